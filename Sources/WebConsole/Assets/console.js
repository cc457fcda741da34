"use strict";
{
const $ = (q, n = document) => n.querySelector(q), $$ = (q, n = document) => [...n.querySelectorAll(q)];
const add = (t, p, x = "") => { const e = document.createElement(t); e.textContent = x; p?.append(e); return e };
const byId = id => document.getElementById(id), body = document.body, { topics, events, here } = body.dataset;
const state = $("[data-live-state]"), pause = $("[data-pause]");
const store = { get: k => { try { return localStorage.getItem(k) } catch { return null } },
  set: (k, v) => { try { localStorage.setItem(k, v) } catch { } } };
let paused = store.get("paused") === "1", since = body.dataset.since, source, timer, retry;
let fetching, again, ended, later;

const setStatus = t => { if (state && state.textContent !== t) state.textContent = t };
const isOff = () => paused || ended || document.hidden;
const inUse = (e, s = getSelection()) =>
  e.contains(document.activeElement) || $("details[open]", e) || !s.isCollapsed && s.containsNode(e, true);
const keys = e => new Set($$("[data-key]", e).map(k => k.dataset.key || k.id));
const notice = id => $(`[data-update='${id}']`);
const swap = (old, fresh) => { old.replaceWith(fresh); enhance(fresh); notice(fresh.id)?.remove() };
async function refetch() {
  if (isOff()) return;
  if (fetching) return again = true;
  fetching = true; again = false;
  clearTimeout(retry); retry = 0;
  let problem = "";
  try {
    // location may be a refused form's URL.
    const url = new URL(here, location);
    url.searchParams.set("fragment", "all");
    const reply = await fetch(url, { cache: "no-store" });
    const text = await reply.text();
    if (reply.status === 401) endSession();
    else if (!reply.ok) problem = "Not up to date: " + (text[0] === "<" ? reply.status : text);
    else if (!paused) replaceParts(new DOMParser().parseFromString(text, "text/html"));
  } catch { problem = "Not reachable: this may be old" }
  fetching = false;
  if (ended) return;
  if (problem) retry = setTimeout(refetch, 1e4);
  setStatus(problem || (source?.readyState === 2 ? "Not live" : ""));
  if (again) refetch();
}
function replaceParts(doc) {
  for (const fresh of $$("[data-live]", doc)) {
    const old = byId(fresh.id);
    if (!old) continue;
    old.isStale = 0;
    if (old.dataset.as === fresh.outerHTML) { notice(old.id)?.remove(); continue }
    fresh.dataset.as = fresh.outerHTML;
    const known = keys(old), added = [...keys(fresh)].filter(k => !known.has(k)).length;
    if (old.dataset.live === "hold" && added) offer(old, fresh, added);
    else if (inUse(old)) old.isStale = 1;
    else swap(old, fresh);
  }
}
function endSession() {
  ended = true; source?.close();
  setStatus("The session has ended. ");
  add("a", state, "Sign in").href = location.href;
}
function offer(old, fresh, added) {
  let p = notice(old.id), b = p?.firstChild;
  if (!b) {
    b = add("button", p = add("p"));
    p.role = "status"; p.dataset.update = old.id; old.before(p);
  }
  b.textContent = added + " new: show"; b.onclick = () => { swap(byId(old.id), fresh); $("a", fresh)?.focus() };
}
function listen() {
  source?.close(); source = null; clearTimeout(timer);
  if (!topics || isOff()) return;
  source = new EventSource(events + "?" + new URLSearchParams({ topics, since }));
  source.onmessage = e => { since = JSON.parse(e.data).version; refetch() };
  source.onopen = () => { if (!retry) setStatus("") };
  source.onerror = () => {
    setStatus("Not live");
    // refetch shows why.
    if (source?.readyState === 2) { timer = setTimeout(listen, 6e4); refetch() }
  };
}
function showPause() {
  if (!pause) return;
  pause.hidden = false; pause.textContent = paused ? "Paused" : "Live";
  pause.ariaPressed = paused; pause.onclick = toggle;
}
function toggle() { paused = !paused; store.set("paused", +paused); showPause(); setStatus(""); listen(); refetch() }
// Hidden tabs use no connection (limit: 6).
document.addEventListener("visibilitychange", () => { listen(); if (topics) refetch() });
addEventListener("pagehide", () => source?.close());
// Update parts no longer in use.
for (const t of ["focusout", "selectionchange", "toggle"]) addEventListener(t, () => {
  clearTimeout(later);
  later = setTimeout(() => { if ($$("[data-live]").some(e => e.isStale && !inUse(e))) refetch() }, 300);
}, true);

const escaped = v => v.replace(/'/g, "'\\''");
const quote = v => /^[\w@%+=:,./-]+$/.test(v) ? v : `'${escaped(v)}'`;
function command(form) {
  const code = $("[data-command]", form);
  if (!code) return;
  const data = new FormData(form), value = n => data.getAll(n).pop()?.trim() || "";
  const fill = (t, required) => {
    let missing;
    const r = t.replace(/\{(json:)?(\w+)\}/g, (_, json, n) => {
      const v = value(n);
      missing ||= !v;
      return json ? escaped(JSON.stringify(v || null)) : v ? quote(v) : n.toUpperCase();
    });
    return missing && !required ? "" : r;
  };
  code.textContent = code.dataset.command.split(/(\[[^\]]*\])/).map((p, i) => i % 2 ? fill(p.slice(1, -1)) : fill(p, 1)).join("")
    .replace(/ {2,}/g, " ").trim();
}
function enhance(root) {
  $$("[data-copy]", root).forEach(b => {
    b.hidden = !navigator.clipboard;
    b.onclick = async () => {
      const e = byId(b.dataset.copy), was = b.innerHTML;
      await navigator.clipboard.writeText(e.textContent);
      b.textContent = "Copied"; setTimeout(() => { b.innerHTML = was }, 1500);
    };
  });
  $$("time[datetime]", root).forEach(t => { t.title = new Date(t.dateTime).toLocaleString() + " here" });
  $$("form", root).forEach(f => { f.oninput = () => command(f); command(f) });
}

let goAt = 0;
const shortcutsOff = () => store.get("shortcuts") === "off";
const move = by => {
  const r = $$("main [data-row]"), i = r.findIndex(e => e.contains(document.activeElement));
  r[i < 0 ? 0 : i + by]?.querySelector("a")?.focus();
};
const follow = q => { const a = $(q); a?.click(); return a };
function help() {
  const d = add("dialog");
  d.ariaLabel = add("h2", d, "Keyboard shortcuts").textContent;
  const dl = add("dl", d);
  for (const [k, t] of [["/", "Search"], ["j k", "Next, previous row"], ["Enter", "Open"], ["Esc", "Back to the list"], ["[ ]", "Previous, next page"], ["p", "Pause live updates"], ["?", "This list"],
    ...$$("[data-go]").map(a => ["g " + a.dataset.go, a.textContent])]) if (!{ "/": !$("#q"), p: !pause }[k]) { add("kbd", add("dt", dl), k); add("dd", dl, t) }
  const l = add("label", d), box = add("input", l); box.type = "checkbox"; box.checked = !shortcutsOff();
  l.append(" Use shortcuts"); box.onchange = () => store.set("shortcuts", box.checked ? "" : "off");
  add("button", d, "Close").onclick = () => d.close(); d.onclose = () => d.remove();
  body.append(d); d.showModal();
}
$$("[data-keys]").forEach(b => { b.hidden = false; b.onclick = help });
addEventListener("keydown", e => {
  const t = e.target, k = e.key;
  if (e.ctrlKey || e.metaKey || e.altKey || $("dialog[open]")) return;
  if (t.matches("input,select,textarea")) return k === "Escape" && t.blur();
  if (shortcutsOff()) return;
  if (goAt && Date.now() - goAt < 1500) { goAt = 0; if (follow(`[data-go="${CSS.escape(k)}"]`)) e.preventDefault(); return }
  const act = { "/": () => $("#q")?.focus(), "?": help, g: () => { goAt = Date.now() }, j: () => move(1), k: () => move(-1),
    "[": () => follow("[rel=prev]"), "]": () => follow("[rel=next]"), p: () => pause && toggle(), Escape: () => follow("[data-up]") }[k];
  if (act) { e.preventDefault(); act() }
});
// Restore the row's focus. A click on a time shows local time.
const rowKey = "row " + location.pathname;
addEventListener("click", e => {
  const t = e.target, a = t.closest?.("[data-row] a");
  if (t.matches?.("time")) [t.title, t.textContent] = [t.textContent, t.title];
  if (a) try { sessionStorage.setItem(rowKey, a.getAttribute("href")) } catch { }
});
try { const h = sessionStorage.getItem(rowKey); if (h) { sessionStorage.removeItem(rowKey); $$("[data-row] a").find(a => a.getAttribute("href") === h)?.focus() } } catch { }

// HTML as rendered.
$$("[data-live]").forEach(e => { e.dataset.as = e.outerHTML });
enhance(document); showPause(); listen();
$("[data-focus]")?.focus();
}
