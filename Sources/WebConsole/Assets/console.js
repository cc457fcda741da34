// Everything works without it.
"use strict";
(() => {
  const $ = (q, n = document) => n.querySelector(q), $$ = (q, n = document) => [...n.querySelectorAll(q)];
  const body = document.body, state = $("[data-live-state]"), pause = $("[data-pause]");
  const store = { get: k => { try { return localStorage.getItem(k) } catch { return null } },
    set: (k, v) => { try { localStorage.setItem(k, v) } catch { } } };
  let paused = store.get("paused") === "1", source, timer, stale = false, busy = false;

  // Live updates
  const say = t => { if (state && state.textContent !== t) state.textContent = t };
  const url = () => { const u = new URL(location.href); u.hash = ""; u.searchParams.set("fragment", "all"); return u };
  const inUse = e => {
    const s = getSelection();
    return e.contains(document.activeElement) || $$("details[open],dialog[open]", e).length > 0 ||
      (s && !s.isCollapsed && e.contains(s.anchorNode));
  };
  const keys = e => new Set($$("[data-key]", e).map(k => k.dataset.key));
  const put = (old, fresh) => {
    old.replaceWith(fresh); dress(fresh);
    $$("[data-update='" + fresh.id + "']").forEach(b => b.remove());
  };
  async function refetch() {
    if (paused || busy || document.hidden) { stale = true; return }
    busy = true; stale = false;
    try {
      const answer = await fetch(url(), { headers: { Accept: "text/html" }, cache: "no-store" });
      if (!answer.ok) throw 0;
      const doc = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (paused) return;
      for (const fresh of $$("[data-live]", doc)) {
        const old = document.getElementById(fresh.id);
        if (!old || old.outerHTML === fresh.outerHTML || old.dataset.as === fresh.outerHTML) continue;
        fresh.dataset.as = fresh.outerHTML;
        const known = keys(old), news = [...keys(fresh)].filter(k => !known.has(k)).length;
        if (old.dataset.live === "hold" && news) offer(old, fresh, news);
        else if (inUse(old)) stale = true;
        else put(old, document.adoptNode(fresh));
      }
      say("");
    } catch { say("Not reachable: what is shown may be old") }
    busy = false;
  }
  // A list never moves under its reader.
  function offer(old, fresh, news) {
    $$("[data-update='" + old.id + "']").forEach(b => b.remove());
    const p = document.createElement("p"), b = document.createElement("button");
    p.setAttribute("role", "status"); p.dataset.update = old.id; p.className = "news"; b.type = "button";
    b.textContent = news + " new: show";
    b.onclick = () => { put(document.getElementById(old.id), document.adoptNode(fresh)); $("a", fresh)?.focus() };
    p.append(b); old.before(p);
  }
  function listen() {
    source?.close(); source = null;
    if (!body.dataset.topics || paused || document.hidden) return;
    const u = new URL(body.dataset.events, location.href);
    u.searchParams.set("topics", body.dataset.topics);
    source = new EventSource(u);
    source.onmessage = refetch;
    source.onopen = () => { say(""); if (stale) refetch() };
    source.onerror = () => {
      say("Not live"); stale = true;
      if (source?.readyState === 2) { clearTimeout(timer); timer = setTimeout(listen, 6e4) }
    };
  }
  function show() {
    if (!pause) return;
    pause.hidden = false; pause.textContent = paused ? "Paused" : "Live";
    pause.setAttribute("aria-pressed", paused);
  }
  function toggle() { paused = !paused; store.set("paused", paused ? "1" : "0"); show(); say(""); listen(); if (!paused) refetch() }
  pause?.addEventListener("click", toggle);
  // A hidden tab must not keep one of six connections.
  document.addEventListener("visibilitychange", () => { if (document.hidden) stale = true; listen() });
  addEventListener("pagehide", () => source?.close());
  addEventListener("focusout", () => setTimeout(() => { if (stale && !paused) refetch() }, 300));

  // Copy buttons, times, commands
  const quote = v => /^[\w@%+=:,.\/-]+$/.test(v) ? v : "'" + v.replace(/'/g, "'\\''") + "'";
  function command(form) {
    const code = $("[data-command]", form);
    if (!code) return;
    const data = new FormData(form), value = n => [...data.getAll(n)].pop()?.toString().trim() || "";
    const fill = (t, must) => {
      let missing = false;
      const r = t.replace(/\{(json:)?(\w+)\}/g, (_, json, n) => {
        const v = value(n);
        if (!v) missing = true;
        return json ? JSON.stringify(v).replace(/'/g, "'\\''") : v ? quote(v) : n.toUpperCase();
      });
      return missing && !must ? "" : r;
    };
    code.textContent = code.dataset.command.split(/(\[[^\]]*\])/).map((p, i) => i % 2 ? fill(p.slice(1, -1)) : fill(p, 1)).join("")
      .replace(/ {2,}/g, " ").trim();
  }
  function dress(root) {
    $$("[data-copy]", root).forEach(b => {
      b.hidden = !navigator.clipboard;
      b.onclick = async () => {
        const e = document.getElementById(b.dataset.copy), was = b.innerHTML;
        await navigator.clipboard.writeText(e.value ?? e.textContent);
        b.textContent = "Copied"; setTimeout(() => { b.innerHTML = was }, 1500);
      };
    });
    $$("time[datetime]", root).forEach(t => { t.title = new Date(t.dateTime).toLocaleString() + " here" });
    $$("form", root).forEach(f => { f.oninput = () => command(f); command(f) });
  }

  // Shortcuts
  let going = 0;
  const off = () => store.get("shortcuts") === "off";
  const rows = () => $$("main [data-row]"), row = () => rows().findIndex(r => r.contains(document.activeElement));
  const move = by => { const r = rows(), i = row(); r[i < 0 ? 0 : Math.min(r.length - 1, Math.max(0, i + by))]?.querySelector("a")?.focus() };
  const follow = q => { const a = $(q); if (a) a.click(); return !!a };
  function help() {
    const d = document.createElement("dialog"), add = (p, t, x) => { const e = document.createElement(t); e.textContent = x; p.append(e); return e };
    d.setAttribute("aria-label", "Keyboard shortcuts");
    add(d, "h2", "Keyboard shortcuts");
    const dl = add(d, "dl", "");
    const list = [["/", "Search"], ["j k", "Next, previous row"], ["Enter", "Open"], ["Esc", "Back to the list"], ["[ ]", "Previous, next page"], ["p", "Pause live updates"], ["?", "This list"]];
    $$("[data-go]").forEach(a => list.push(["g " + a.dataset.go, a.textContent]));
    list.forEach(([k, t]) => { add(add(dl, "dt", ""), "kbd", k); add(dl, "dd", t) });
    const label = add(d, "label", ""), box = add(label, "input", ""); box.type = "checkbox"; box.checked = !off();
    label.append(" Use shortcuts"); box.onchange = () => store.set("shortcuts", box.checked ? "on" : "off");
    const close = add(d, "button", "Close"); close.type = "button"; close.onclick = () => d.close(); d.onclose = () => d.remove();
    body.append(d); d.showModal();
  }
  $$("[data-keys]").forEach(b => { b.hidden = false; b.onclick = help });
  document.addEventListener("keydown", e => {
    const t = e.target;
    if (e.ctrlKey || e.metaKey || e.altKey || t.isContentEditable || $("dialog[open]")) return;
    if (e.key === "Escape" && t.matches("input,select,textarea")) { t.blur(); return }
    if (t.matches("input,select,textarea") || off()) return;
    const k = e.key;
    if (going && Date.now() - going < 1500) { going = 0; if (follow('[data-go="' + CSS.escape(k) + '"]')) e.preventDefault(); return }
    const act = { "/": () => $("#q")?.focus(), "?": help, g: () => { going = Date.now() }, j: () => move(1), k: () => move(-1),
      "[": () => follow("[rel=prev]"), "]": () => follow("[rel=next]"), p: () => pause && toggle(), Escape: () => follow("[data-up]") }[k];
    if (act) { e.preventDefault(); act() }
  });
  // Back in a list, the row that was opened has the focus.
  const place = "row " + location.pathname;
  addEventListener("click", e => { const a = e.target.closest?.("[data-row] a"); if (a) try { sessionStorage.setItem(place, a.getAttribute("href")) } catch { } });
  try { const h = sessionStorage.getItem(place); if (h) { sessionStorage.removeItem(place); $$("[data-row] a").find(a => a.getAttribute("href") === h)?.focus() } } catch { }

  dress(document); show(); listen();
  $("[data-focus]")?.focus();
})();
