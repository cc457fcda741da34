"use strict";
{
const $ = (q, n = document) => n.querySelector(q), $$ = (q, n = document) => [...n.querySelectorAll(q)];
const create = (t, p, x = "") => { const e = document.createElement(t); e.textContent = x; p?.append(e); return e };
const byId = id => document.getElementById(id), body = document.body, { topics, events, here } = body.dataset;
const state = $("[data-live-state]"), pause = $("[data-pause]");
const store = { get: k => { try { return localStorage.getItem(k) } catch { return null } },
  set: (k, v) => { try { localStorage.setItem(k, v) } catch { } } };
let paused = store.get("paused") === "1", since = body.dataset.since, source, timer, retry;
let isFetching, mustRefetch, sessionEnded, staleTimer;

const setStatus = t => { if (state && state.textContent !== t) state.textContent = t };
// location may be a refused form's URL.
const url = () => { const u = new URL(here, location); u.searchParams.set("fragment", "all"); return u };
const inUse = (e, s = getSelection()) =>
  e.contains(document.activeElement) || $("details[open]", e) || !s.isCollapsed && s.containsNode(e, true);
const keys = e => new Set($$("[data-key]", e).map(k => k.dataset.key || k.id));
const updateNotice = id => $(`[data-update='${id}']`);
const replacePart = (old, fresh) => { old.replaceWith(fresh); enhance(fresh); updateNotice(fresh.id)?.remove() };
async function refetch() {
  if (sessionEnded || paused || document.hidden) return;
  if (isFetching) return mustRefetch = true;
  isFetching = true; mustRefetch = false;
  clearTimeout(retry); retry = 0;
  let problem = "";
  try {
    const response = await fetch(url(), { cache: "no-store" });
    const text = await response.text();
    if (response.status === 401) endSession();
    else if (!response.ok) problem = "Not up to date: " + (text[0] === "<" ? response.status : text);
    else if (!paused) replaceParts(new DOMParser().parseFromString(text, "text/html"));
  } catch { problem = "Not reachable: this may be old" }
  isFetching = false;
  if (sessionEnded) return;
  if (problem) retry = setTimeout(refetch, 1e4);
  setStatus(problem || (source?.readyState === 2 ? "Not live" : ""));
  if (mustRefetch) refetch();
}
function replaceParts(doc) {
  for (const fresh of $$("[data-live]", doc)) {
    const old = byId(fresh.id);
    if (!old) continue;
    old.isStale = 0;
    if (old.dataset.as === fresh.outerHTML) { updateNotice(old.id)?.remove(); continue }
    fresh.dataset.as = fresh.outerHTML;
    const known = keys(old), newRows = [...keys(fresh)].filter(k => !known.has(k)).length;
    if (old.dataset.live === "hold" && newRows) offerUpdate(old, fresh, newRows);
    else if (inUse(old)) old.isStale = 1;
    else replacePart(old, document.adoptNode(fresh));
  }
}
function endSession() {
  sessionEnded = true; source?.close();
  setStatus("The session has ended. ");
  create("a", state, "Sign in").href = location.href;
}
// Do not move content while the user reads.
function offerUpdate(old, fresh, newRows) {
  let p = updateNotice(old.id), b = p?.firstChild;
  if (!b) {
    b = create("button", p = create("p"));
    p.role = "status"; p.dataset.update = old.id; old.before(p);
  }
  b.textContent = newRows + " new: show"; b.onclick = () => { replacePart(byId(old.id), document.adoptNode(fresh)); $("a", fresh)?.focus() };
}
function listen() {
  source?.close(); source = null; clearTimeout(timer);
  if (!topics || paused || sessionEnded || document.hidden) return;
  source = new EventSource(events + "?" + new URLSearchParams({ topics, since }));
  source.onmessage = e => { since = JSON.parse(e.data).version; refetch() };
  source.onopen = () => { if (!retry) setStatus("") };
  source.onerror = () => {
    setStatus("Not live");
    // refetch shows why.
    if (source?.readyState === 2) { timer = setTimeout(listen, 6e4); refetch() }
  };
}
function showPauseButton() {
  if (!pause) return;
  pause.hidden = false; pause.textContent = paused ? "Paused" : "Live";
  pause.ariaPressed = paused;
}
function togglePause() { paused = !paused; store.set("paused", +paused); showPauseButton(); setStatus(""); listen(); if (!paused) refetch() }
pause?.addEventListener("click", togglePause);
// Hidden tabs use no connection (limit: 6).
document.addEventListener("visibilitychange", () => { listen(); if (topics) refetch() });
addEventListener("pagehide", () => source?.close());
// Update parts no longer in use.
for (const t of ["focusout", "selectionchange", "toggle"]) addEventListener(t, () => {
  clearTimeout(staleTimer);
  staleTimer = setTimeout(() => { if ($$("[data-live]").some(e => e.isStale && !inUse(e))) refetch() }, 300);
}, true);

const quote = v => /^[\w@%+=:,./-]+$/.test(v) ? v : `'${v.replace(/'/g, "'\\''")}'`;
function command(form) {
  const code = $("[data-command]", form);
  if (!code) return;
  const data = new FormData(form), value = n => data.getAll(n).pop()?.trim() || "";
  const fill = (t, isRequired) => {
    let missing = false;
    const r = t.replace(/\{(json:)?(\w+)\}/g, (_, json, n) => {
      const v = value(n);
      if (!v) missing = true;
      return json ? JSON.stringify(v || null).replace(/'/g, "'\\''") : v ? quote(v) : n.toUpperCase();
    });
    return missing && !isRequired ? "" : r;
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

let goPressedAt = 0;
const shortcutsOff = () => store.get("shortcuts") === "off";
const moveFocus = by => {
  const r = $$("main [data-row]"), i = r.findIndex(e => e.contains(document.activeElement));
  r[i < 0 ? 0 : i + by]?.querySelector("a")?.focus();
};
const clickLink = q => { const a = $(q); if (a) a.click(); return !!a };
function help() {
  const d = create("dialog");
  d.ariaLabel = create("h2", d, "Keyboard shortcuts").textContent;
  const dl = create("dl", d);
  const list = [["/", "Search"], ["j k", "Next, previous row"], ["Enter", "Open"], ["Esc", "Back to the list"], ["[ ]", "Previous, next page"], ["p", "Pause live updates"], ["?", "This list"],
    ...$$("[data-go]").map(a => ["g " + a.dataset.go, a.textContent])];
  list.forEach(([k, t]) => { create("kbd", create("dt", dl), k); create("dd", dl, t) });
  const l = create("label", d), box = create("input", l); box.type = "checkbox"; box.checked = !shortcutsOff();
  l.append(" Use shortcuts"); box.onchange = () => store.set("shortcuts", box.checked ? "" : "off");
  create("button", d, "Close").onclick = () => d.close(); d.onclose = () => d.remove();
  body.append(d); d.showModal();
}
$$("[data-keys]").forEach(b => { b.hidden = false; b.onclick = help });
addEventListener("keydown", e => {
  const t = e.target, k = e.key;
  if (e.ctrlKey || e.metaKey || e.altKey || $("dialog[open]")) return;
  if (t.matches("input,select,textarea")) return k === "Escape" && t.blur();
  if (shortcutsOff()) return;
  if (goPressedAt && Date.now() - goPressedAt < 1500) { goPressedAt = 0; if (clickLink(`[data-go="${CSS.escape(k)}"]`)) e.preventDefault(); return }
  const act = { "/": () => $("#q")?.focus(), "?": help, g: () => { goPressedAt = Date.now() }, j: () => moveFocus(1), k: () => moveFocus(-1),
    "[": () => clickLink("[rel=prev]"), "]": () => clickLink("[rel=next]"), p: () => pause && togglePause(), Escape: () => clickLink("[data-up]") }[k];
  if (act) { e.preventDefault(); act() }
});
// Restore the row's focus. A click on a time shows local time.
const focusKey = "row " + location.pathname;
addEventListener("click", e => {
  const t = e.target, a = t.closest?.("[data-row] a");
  if (t.matches?.("time")) [t.title, t.textContent] = [t.textContent, t.title];
  if (a) try { sessionStorage.setItem(focusKey, a.getAttribute("href")) } catch { }
});
try { const h = sessionStorage.getItem(focusKey); if (h) { sessionStorage.removeItem(focusKey); $$("[data-row] a").find(a => a.getAttribute("href") === h)?.focus() } } catch { }

// HTML as rendered.
$$("[data-live]").forEach(e => { e.dataset.as = e.outerHTML });
enhance(document); showPauseButton(); listen();
$("[data-focus]")?.focus();
}
