"use strict";
{
const $ = (q, n = document) => n.querySelector(q), $$ = (q, n = document) => [...n.querySelectorAll(q)];
const make = (t, p, x = "") => { const e = document.createElement(t); e.textContent = x; p?.append(e); return e };
const find = id => document.getElementById(id), body = document.body, { topics, events, here } = body.dataset;
const state = $("[data-live-state]"), pause = $("[data-pause]");
const store = { get: k => { try { return localStorage.getItem(k) } catch { return null } },
  set: (k, v) => { try { localStorage.setItem(k, v) } catch { } } };
let paused = store.get("paused") === "1", since = body.dataset.since, source, timer, retry;
let busy, again, ended, later;

const say = t => { if (state && state.textContent !== t) state.textContent = t };
// location may be a refused form's URL.
const url = () => { const u = new URL(here, location); u.searchParams.set("fragment", "all"); return u };
const inUse = (e, s = getSelection()) =>
  e.contains(document.activeElement) || $("details[open]", e) || !s.isCollapsed && s.containsNode(e, true);
const keys = e => new Set($$("[data-key]", e).map(k => k.dataset.key || k.id));
const offered = id => $(`[data-update='${id}']`);
const put = (old, fresh) => { old.replaceWith(fresh); dress(fresh); offered(fresh.id)?.remove() };
async function refetch() {
  if (ended || paused || document.hidden) return;
  if (busy) return again = true;
  busy = true; again = false;
  clearTimeout(retry); retry = 0;
  let problem = "";
  try {
    const answer = await fetch(url(), { cache: "no-store" });
    const text = await answer.text();
    if (answer.status === 401) end();
    else if (!answer.ok) problem = "Not up to date: " + (text[0] === "<" ? answer.status : text);
    else if (!paused) replace(new DOMParser().parseFromString(text, "text/html"));
  } catch { problem = "Not reachable: this may be old" }
  busy = false;
  if (ended) return;
  if (problem) retry = setTimeout(refetch, 1e4);
  say(problem || (source?.readyState === 2 ? "Not live" : ""));
  if (again) refetch();
}
function replace(doc) {
  for (const fresh of $$("[data-live]", doc)) {
    const old = find(fresh.id);
    if (!old) continue;
    old.late = 0;
    if (old.dataset.as === fresh.outerHTML) { offered(old.id)?.remove(); continue }
    fresh.dataset.as = fresh.outerHTML;
    const known = keys(old), news = [...keys(fresh)].filter(k => !known.has(k)).length;
    if (old.dataset.live === "hold" && news) offer(old, fresh, news);
    else if (inUse(old)) old.late = 1;
    else put(old, document.adoptNode(fresh));
  }
}
function end() {
  ended = true; source?.close();
  say("The session has ended. ");
  make("a", state, "Sign in").href = location.href;
}
// Do not move content while the user reads.
function offer(old, fresh, news) {
  let p = offered(old.id), b = p?.firstChild;
  if (!b) {
    b = make("button", p = make("p"));
    p.role = "status"; p.dataset.update = old.id; old.before(p);
  }
  b.textContent = news + " new: show"; b.onclick = () => { put(find(old.id), document.adoptNode(fresh)); $("a", fresh)?.focus() };
}
function listen() {
  source?.close(); source = null; clearTimeout(timer);
  if (!topics || paused || ended || document.hidden) return;
  source = new EventSource(events + "?" + new URLSearchParams({ topics, since }));
  source.onmessage = e => { since = JSON.parse(e.data).version; refetch() };
  source.onopen = () => { if (!retry) say("") };
  source.onerror = () => {
    say("Not live");
    // refetch shows why.
    if (source?.readyState === 2) { timer = setTimeout(listen, 6e4); refetch() }
  };
}
function show() {
  if (!pause) return;
  pause.hidden = false; pause.textContent = paused ? "Paused" : "Live";
  pause.ariaPressed = paused;
}
function toggle() { paused = !paused; store.set("paused", +paused); show(); say(""); listen(); if (!paused) refetch() }
pause?.addEventListener("click", toggle);
// Hidden tabs use no connection (limit: 6).
document.addEventListener("visibilitychange", () => { listen(); if (topics) refetch() });
addEventListener("pagehide", () => source?.close());
// Update parts no longer in use.
for (const t of ["focusout", "selectionchange", "toggle"]) addEventListener(t, () => {
  clearTimeout(later);
  later = setTimeout(() => { if ($$("[data-live]").some(e => e.late && !inUse(e))) refetch() }, 300);
}, true);

const quote = v => /^[\w@%+=:,./-]+$/.test(v) ? v : `'${v.replace(/'/g, "'\\''")}'`;
function command(form) {
  const code = $("[data-command]", form);
  if (!code) return;
  const data = new FormData(form), value = n => data.getAll(n).pop()?.trim() || "";
  const fill = (t, must) => {
    let missing = false;
    const r = t.replace(/\{(json:)?(\w+)\}/g, (_, json, n) => {
      const v = value(n);
      if (!v) missing = true;
      return json ? JSON.stringify(v || null).replace(/'/g, "'\\''") : v ? quote(v) : n.toUpperCase();
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
      const e = find(b.dataset.copy), was = b.innerHTML;
      await navigator.clipboard.writeText(e.textContent);
      b.textContent = "Copied"; setTimeout(() => { b.innerHTML = was }, 1500);
    };
  });
  $$("time[datetime]", root).forEach(t => { t.title = new Date(t.dateTime).toLocaleString() + " here" });
  $$("form", root).forEach(f => { f.oninput = () => command(f); command(f) });
}

let going = 0;
const off = () => store.get("shortcuts") === "off";
const move = by => {
  const r = $$("main [data-row]"), i = r.findIndex(e => e.contains(document.activeElement));
  r[i < 0 ? 0 : i + by]?.querySelector("a")?.focus();
};
const follow = q => { const a = $(q); if (a) a.click(); return !!a };
function help() {
  const d = make("dialog");
  d.ariaLabel = make("h2", d, "Keyboard shortcuts").textContent;
  const dl = make("dl", d);
  const list = [["/", "Search"], ["j k", "Next, previous row"], ["Enter", "Open"], ["Esc", "Back to the list"], ["[ ]", "Previous, next page"], ["p", "Pause live updates"], ["?", "This list"],
    ...$$("[data-go]").map(a => ["g " + a.dataset.go, a.textContent])];
  list.forEach(([k, t]) => { make("kbd", make("dt", dl), k); make("dd", dl, t) });
  const l = make("label", d), box = make("input", l); box.type = "checkbox"; box.checked = !off();
  l.append(" Use shortcuts"); box.onchange = () => store.set("shortcuts", box.checked ? "" : "off");
  make("button", d, "Close").onclick = () => d.close(); d.onclose = () => d.remove();
  body.append(d); d.showModal();
}
$$("[data-keys]").forEach(b => { b.hidden = false; b.onclick = help });
addEventListener("keydown", e => {
  const t = e.target, k = e.key;
  if (e.ctrlKey || e.metaKey || e.altKey || $("dialog[open]")) return;
  if (t.matches("input,select,textarea")) return k === "Escape" && t.blur();
  if (off()) return;
  if (going && Date.now() - going < 1500) { going = 0; if (follow(`[data-go="${CSS.escape(k)}"]`)) e.preventDefault(); return }
  const act = { "/": () => $("#q")?.focus(), "?": help, g: () => { going = Date.now() }, j: () => move(1), k: () => move(-1),
    "[": () => follow("[rel=prev]"), "]": () => follow("[rel=next]"), p: () => pause && toggle(), Escape: () => follow("[data-up]") }[k];
  if (act) { e.preventDefault(); act() }
});
// Restore the row's focus. A click on a time shows local time.
const place = "row " + location.pathname;
addEventListener("click", e => {
  const t = e.target, a = t.closest?.("[data-row] a");
  if (t.matches?.("time")) [t.title, t.textContent] = [t.textContent, t.title];
  if (a) try { sessionStorage.setItem(place, a.getAttribute("href")) } catch { }
});
try { const h = sessionStorage.getItem(place); if (h) { sessionStorage.removeItem(place); $$("[data-row] a").find(a => a.getAttribute("href") === h)?.focus() } } catch { }

// HTML as rendered.
$$("[data-live]").forEach(e => { e.dataset.as = e.outerHTML });
dress(document); show(); listen();
$("[data-focus]")?.focus();
}
