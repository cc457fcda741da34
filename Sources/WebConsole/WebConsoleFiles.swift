// Made by Scripts/embed from the folders Templates and Assets beside it. Change those files, not this one.
// swift-format-ignore-file

package enum WebConsoleFiles {
    /// The text of each template by its name, without .mustache.
    package static let templates: [String: String] = [
        "confirmation": #"""
            {{<shell}}{{$main}}
            <ul class="consequences">{{#consequences}}<li>{{>foreign}}</li>{{/consequences}}</ul>
            <form class="stack" action="{{actionURL}}" method="post">
            <input type="hidden" name="ticket" value="{{ticket}}">
            {{#fields}}<input type="hidden" name="{{name}}" value="{{value}}">{{/fields}}
            {{#typed}}<p><label for="typed">Type <strong>{{#word}}{{>foreign}}{{/word}}</strong> to confirm</label><input id="typed" name="typed" required autocomplete="off" spellcheck="false"></p>{{/typed}}
            {{#asksForReason}}<p><label for="reason">Reason, recorded in the audit log</label><input id="reason" name="reason" value="{{reason}}" required maxlength="500"></p>{{/asksForReason}}
            <p class="buttons"><button class="{{buttonKind}}">{{button}}</button> <a href="{{cancelURL}}">Cancel</a></p>
            </form>
            {{/main}}{{/shell}}

            """#,
        "drawing": #"""
            {{{svgMarkup}}}
            """#,
        "foreign": #"""
            <bdi>{{#runs}}{{#chip}}<span class="chip">{{.}}</span>{{/chip}}{{^chip}}{{plain}}{{/chip}}{{/runs}}</bdi>{{#isCut}}<span class="cut">…</span>{{/isCut}}{{#whole}}<details class="whole"><summary>All {{count}} characters</summary><bdi>{{#allRuns}}{{#chip}}<span class="chip">{{.}}</span>{{/chip}}{{^chip}}{{plain}}{{/chip}}{{/allRuns}}</bdi></details>{{/whole}}
            """#,
        "message": #"""
            {{<shell}}{{$main}}
            {{#paragraphs}}<p>{{>foreign}}</p>{{/paragraphs}}
            {{#links}}<p><a href="{{url}}">{{title}}</a></p>{{/links}}
            {{/main}}{{/shell}}

            """#,
        "shell": #"""
            <!doctype html>
            <html lang="en"{{#shellTheme}} data-theme="{{.}}"{{/shellTheme}}>
            <head>
            <meta charset="utf-8">
            <title>{{shellTitle}}</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="{{shellIconURL}}" type="image/svg+xml">
            <link rel="stylesheet" href="{{shellStyleURL}}">
            <script src="{{shellScriptURL}}" defer></script>
            </head>
            <body data-topics="{{shellTopics}}" data-events="{{shellEventsURL}}" data-since="{{shellSince}}" data-here="{{shellCurrentURL}}">
            <a class="skip" href="#main">Skip to the content</a>
            <header class="bar{{#shellIsSandbox}} sandbox{{/shellIsSandbox}}">
            <a class="product" href="{{shellHomeURL}}">{{shellProduct}}</a>
            {{#shellIsSandbox}}<strong class="word">SANDBOX</strong>{{/shellIsSandbox}}
            {{#shellChoices}}<nav class="choices" aria-label="Environment"><ul>{{#choices}}<li><a href="{{url}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}{{#shortcut}} data-go="{{.}}"{{/shortcut}}>{{#title}}{{>foreign}}{{/title}}</a></li>{{/choices}}</ul></nav>{{/shellChoices}}
            {{#shellSearch}}<form class="search" role="search" action="{{url}}" method="get">{{#fields}}<input type="hidden" name="{{name}}" value="{{value}}">{{/fields}}<label for="q">{{label}}</label><input id="q" type="search" name="q" value="{{text}}" maxlength="500" autocomplete="off" spellcheck="false"><button>Search</button></form>{{/shellSearch}}
            {{#shellIsLive}}<button type="button" class="live" data-pause hidden aria-pressed="false">Live</button><span class="live" role="status" data-live-state></span><noscript><a class="refresh" href="{{shellCurrentURL}}">Refresh</a></noscript>{{/shellIsLive}}
            {{#shellAccount}}<form class="account" action="{{url}}" method="post"><span>{{#name}}{{>foreign}}{{/name}}</span><button>Sign out</button></form>{{/shellAccount}}
            </header>
            <nav class="pages" aria-label="Pages"><ul>{{#shellNavigation}}<li><a href="{{url}}"{{#isCurrent}} aria-current="page"{{/isCurrent}}{{#shortcut}} data-go="{{.}}"{{/shortcut}}>{{#title}}{{>foreign}}{{/title}}</a></li>{{/shellNavigation}}</ul></nav>
            {{$strip}}{{/strip}}
            <main id="main" tabindex="-1">
            {{#shellProblem}}<div class="problem" role="alert" tabindex="-1" data-focus><h2>{{title}}</h2><ul>{{#reasons}}<li>{{#fieldURL}}<a href="{{fieldURL}}">{{>foreign}}</a>{{/fieldURL}}{{^fieldURL}}{{>foreign}}{{/fieldURL}}</li>{{/reasons}}</ul></div>{{/shellProblem}}
            {{#shellUp}}<p class="up"><a href="{{url}}" rel="up" data-up>{{title}}</a></p>{{/shellUp}}
            <h1>{{#shellKind}}<span class="kind">{{.}}</span> {{/shellKind}}{{shellHeading}}{{#shellForeignHeading}}{{>foreign}}{{/shellForeignHeading}}</h1>
            {{#shellNotes}}<p class="note" role="status">{{>foreign}}</p>{{/shellNotes}}
            {{$main}}{{/main}}
            </main>
            <footer>
            {{#shellTwins}}<div class="twin"><span>{{title}}</span> <code id="{{id}}">{{#code}}{{>foreign}}{{/code}}</code> <button type="button" hidden data-copy="{{id}}">Copy<span class="unseen"> {{title}}</span></button></div>{{/shellTwins}}
            <div class="foot"><span>{{shellVersion}}</span>{{#shellClock}}<span>{{.}}</span>{{/shellClock}}
            <button type="button" hidden data-keys>Keyboard shortcuts</button>
            <form class="theme" action="{{shellThemeURL}}" method="post"><input type="hidden" name="return" value="{{shellReturn}}"><label for="theme">Appearance</label> <select id="theme" name="theme">{{#shellThemes}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{title}}</option>{{/shellThemes}}</select> <button>Set</button></form></div>
            </footer>
            </body>
            </html>

            """#,
        "time": #"""
            <time datetime="{{iso}}">{{shown}}</time>{{#relative}} <span class="soft">{{.}}</span>{{/relative}}
            """#,
    ]

    /// console.css
    package static let style = #"""
        /* The console of Counterfoil. Colours come in pairs, light and dark; colour is never the only sign of a status. */
        :root {
          color-scheme: light dark;
          --ground: light-dark(#ffffff, #111417);
          --raised: light-dark(#f3f5f7, #1b2026);
          --edge: light-dark(#767f89, #7d8894);
          --hair: light-dark(#d4dae0, #343c45);
          --ink: light-dark(#14181c, #eef1f4);
          --soft: light-dark(#4a545e, #b3bdc7);
          --link: light-dark(#0b4a8f, #8ec5ff);
          --main: light-dark(#12436d, #8ec5ff);
          --on-main: light-dark(#ffffff, #0b1a29);
          --good: light-dark(#0f5c2e, #7fdba0);
          --warn: light-dark(#7a4300, #ffc36b);
          --bad: light-dark(#a31515, #ff9d95);
          --focus: light-dark(#0b4a8f, #ffd34d);
          --bar: light-dark(#12436d, #0b2740);
          --mono: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
          font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif;
        }
        :root[data-theme=light] { color-scheme: light }
        :root[data-theme=dark] { color-scheme: dark }
        * { box-sizing: border-box }
        html { scroll-padding-top: 1rem; background: var(--ground); color: var(--ink); overflow-wrap: anywhere }
        body { margin: 0; min-height: 100vh; display: flex; flex-direction: column }
        a { color: var(--link); text-underline-offset: .15em }
        :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px }
        [hidden] { display: none !important }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
        .skip { position: absolute; left: -999em; padding: .6rem 1rem; background: var(--ground); z-index: 2 }
        .skip:focus { left: .5rem; top: .5rem }

        /* Frame */
        .bar { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .5rem 1rem; background: var(--bar); color: #fff }
        .bar.sandbox { background-image: repeating-linear-gradient(135deg, #0000 0 14px, #0000004d 14px 28px) }
        .bar a, .bar label { color: #fff }
        .bar :focus-visible { outline-color: #ffd34d }
        .bar .product { font-weight: 700; text-decoration: none; font-size: 1.1rem; padding: .4rem 0 }
        .bar .word { border: 2px solid #fff; padding: 0 .5rem; letter-spacing: .08em; background: #0b2740 }
        .bar ul, nav.pages ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap }
        .bar .choices a { display: block; padding: .45rem .7rem; background: #0b2740 }
        .bar .choices [aria-current] { background: #fff; color: #0b2740; font-weight: 700; text-decoration: none }
        .bar .search { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin-left: auto }
        .bar .account { display: flex; gap: .6rem; align-items: center }
        .bar button { background: #0b2740; color: #fff; border: 1px solid #fff }
        .bar span.live:empty { display: none }
        nav.pages { border-bottom: 1px solid var(--hair); background: var(--raised); padding: 0 .5rem }
        nav.pages a { display: block; padding: .65rem .7rem; color: var(--ink); text-decoration: none; border-bottom: 3px solid #0000 }
        nav.pages a:hover { text-decoration: underline }
        nav.pages [aria-current] { border-bottom-color: var(--main); font-weight: 700 }
        main { flex: 1; width: 100%; max-width: 84rem; margin: 0 auto; padding: 1rem 1rem 3rem }
        main:focus { outline: none }
        .strip { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .5rem 1rem; border-bottom: 1px solid var(--hair) }
        .strip-now { display: contents }
        .strip-now p { flex: 1 0 100%; margin: 0 }
        .strip form { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center }
        footer { border-top: 1px solid var(--hair); background: var(--raised); padding: .8rem 1rem; font-size: .9rem }
        .twin { margin: .2rem 0 }
        .twin > span { display: inline-block; min-width: 7.5rem; color: var(--soft) }
        .foot { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: center; margin-top: .5rem; color: var(--soft) }

        /* Text */
        h1 { font-size: 1.7rem; line-height: 1.2; margin: .4rem 0 1rem }
        h2 { font-size: 1.25rem; line-height: 1.3; margin: 2rem 0 .6rem }
        h3 { font-size: 1.05rem; margin: 1.2rem 0 .4rem }
        h1 .kind { color: var(--soft); font-weight: 400 }
        p { margin: .5rem 0; max-width: 70ch }
        .up { margin: 0 }
        .up a, .pager a { display: inline-block; padding: .2rem 0; min-height: 24px }
        time + .soft { white-space: nowrap }
        .soft, figcaption, caption { color: var(--soft) }
        code, pre, kbd, .exact { font-family: var(--mono); font-size: .9em }
        code { background: var(--raised); padding: .1em .3em; border-radius: 3px }
        footer code { background: var(--ground) }
        pre, .exact { overflow: auto; max-height: 30rem; background: var(--raised); border: 1px solid var(--hair); padding: .7rem; white-space: pre-wrap }
        .chip { overflow-wrap: anywhere; font: .75em var(--mono); border: 1px solid var(--edge); border-radius: 3px; padding: 0 .25em; background: var(--raised); color: var(--ink) }
        .cut { color: var(--soft) }
        dl.facts { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .3rem 1rem; margin: .5rem 0 }
        dl.facts dt { color: var(--soft) }
        dl.facts dd { margin: 0; min-width: 0 }
        details > summary { cursor: pointer; min-height: 24px; padding: .1rem 0 }
        .note, .problem, .empty, .consequences { border: 1px solid var(--hair); border-left: 5px solid var(--main); background: var(--raised); padding: .6rem 1rem; margin: .8rem 0; max-width: 70ch }
        .problem { border-left-color: var(--bad) }
        .problem h2 { margin: 0; color: var(--bad) }
        .problem ul, .consequences { padding-left: 2rem }
        .unproven { border: 2px dashed var(--warn); padding: .6rem }

        /* Status: a word, a shape and a colour */
        .tag { display: inline-block; border: 1px solid currentColor; border-radius: 3px; padding: 0 .4em; font-size: .85rem; white-space: nowrap }
        .tag::before { margin-right: .35em; content: "○" }
        .tag.good { color: var(--good) } .tag.good::before { content: "●" }
        .tag.warn { color: var(--warn) } .tag.warn::before { content: "▲" }
        .tag.bad { color: var(--bad) } .tag.bad::before { content: "■" }

        /* Tables: stacked rows on narrow screens */
        table { border-collapse: collapse; width: 100%; margin: .5rem 0 }
        caption { text-align: left; padding-bottom: .3rem }
        th, td { text-align: left; vertical-align: top; padding: .45rem .6rem; border-bottom: 1px solid var(--hair) }
        thead th { overflow-wrap: normal; border-bottom: 2px solid var(--edge); font-size: .9rem; color: var(--soft) }
        tbody th { font-weight: 600 }
        /* Break a name only if it does not fit into a column of its own. */
        @media (min-width: 60rem) { td, tbody th { overflow-wrap: break-word; max-width: 15rem } }
        .num { text-align: right; font-variant-numeric: tabular-nums }
        td a, th a, li > a, dd a { display: inline-block; min-width: 24px; min-height: 24px; max-width: 100%; overflow-wrap: break-word }
        tbody tr:focus-within { background: var(--raised) }
        @media (max-width: 60rem) {
          table.stack, .stack tbody, .stack tr, .stack th, .stack td, .stack caption { display: block }
          .stack thead { position: absolute; clip-path: inset(50%); height: 1px; overflow: hidden }
          .stack tr { border: 1px solid var(--hair); margin: .6rem 0; padding: .3rem }
          .stack th, .stack td { border: 0; padding: .2rem .4rem; text-align: left }
          /* Hide labels without a value. */
          .stack [data-label]:empty, .stack [data-label]:has(> bdi:only-child:empty) { display: none }
          .stack [data-label]::before { content: attr(data-label) ": "; color: var(--soft); font-weight: 400 }
          dl.facts { grid-template-columns: 1fr; gap: 0 }
          dl.facts dd { margin-bottom: .5rem }
          .bar .search { margin-left: 0; width: 100% }
          .bar .search input { flex: 1; min-width: 0 }
        }

        /* Forms */
        button, input, select, textarea { font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--edge); border-radius: 4px; padding: .35rem .6rem; min-height: 2.25rem; max-width: 100% }
        button { cursor: pointer; background: var(--raised) }
        button.main, button.danger { min-height: 2.75rem; padding: .5rem 1.1rem; font-weight: 700; background: var(--main); color: var(--on-main); border-color: var(--main) }
        button.danger { background: light-dark(#a31515, #ff9d95); color: light-dark(#fff, #2b0503); border-color: var(--bad) }
        input[type=checkbox], input[type=radio] { min-height: 0; width: 1.5rem; height: 1.5rem; vertical-align: middle; accent-color: var(--main) }
        textarea { width: 100%; font-family: var(--mono); min-height: 10rem }
        label { font-weight: 600 }
        form.stack { max-width: 40rem }
        form.stack label { display: block; margin: .6rem 0 .2rem }
        form.stack label.box { font-weight: 400 }
        .stack .hint { color: var(--soft); font-weight: 400; display: block; font-size: .9rem }
        .row { display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: end }
        .row > * { min-width: 0 }
        .buttons { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; margin-top: 1rem }
        .buttons a { padding: .5rem 0; min-width: 24px }
        [aria-invalid=true] { border: 2px solid var(--bad) }
        .inline { display: inline-flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin: 0 }
        .cards { display: grid; align-items: start; margin-top: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: 1rem }
        .card { border: 1px solid var(--hair); border-radius: 6px; padding: .8rem 1rem; min-width: 0 }
        .card > h2, .card > h3 { margin-top: 0 }
        .command { display: block; margin-top: .6rem; font-size: .85rem }
        progress { width: 100%; max-width: 30rem; height: 1.2rem; accent-color: var(--main) }
        dialog { color: var(--ink); background: var(--ground); border: 2px solid var(--edge); border-radius: 8px; max-width: min(34rem, 94vw); max-height: 90vh }
        dialog dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem }
        dialog dd { margin: 0 }
        kbd { border: 1px solid var(--edge); border-radius: 4px; padding: 0 .4em; background: var(--raised) }

        /* What happened */
        .timeline { list-style: none; margin: .5rem 0; padding: 0; border-left: 3px solid var(--hair) }
        .timeline > li { padding: .4rem .8rem; border-bottom: 1px solid var(--hair) }
        .timeline > li.open { border-left: 3px solid var(--main); margin-left: -3px; background: var(--raised) }
        .timeline p { max-width: none; margin: .1rem 0 }
        .timeline .what { font-weight: 600 }
        .timeline .when { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; font-size: .9rem }
        .timeline a { display: inline-block; min-height: 24px }
        .timeline .inside { background: var(--ground); border: 1px solid var(--hair); padding: 0 1rem .6rem; margin: .5rem 0 }

        /* Drawings */
        figure { margin: .8rem 0; overflow-x: auto }
        svg.drawing { display: block; max-width: 100%; height: auto; min-width: 40rem }
        svg .label { fill: var(--ink); font: 13px system-ui, "DejaVu Sans", sans-serif }
        svg .small { fill: var(--soft); font: 12px system-ui, "DejaVu Sans", sans-serif }
        svg .axis { stroke: var(--hair) } svg .now { stroke: var(--bad); stroke-width: 2; stroke-dasharray: 4 3 }
        svg .curve { fill: none; stroke: var(--main); stroke-width: 2 }
        svg .paid { fill: light-dark(#12436d, #7fb3e6) } svg .trial { fill: light-dark(#28a197, #3cc7ba) }
        svg .grace { fill: light-dark(#f46a25, #ff9a5c) } svg .retry { fill: light-dark(#801650, #f08cc0) }
        svg .refunded { fill: none; stroke: var(--bad); stroke-width: 2; stroke-dasharray: 5 3 }
        svg .upgraded { fill: none; stroke: var(--edge); stroke-width: 1.5 }
        svg .once { fill: var(--ink) } svg .unknown { fill: var(--hair) } svg .hit { fill: #0000 }
        svg a:hover .hit { fill: light-dark(#0002, #fff2) }
        .legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: 0; list-style: none }
        .legend li::before { content: ""; display: inline-block; width: 1rem; height: .8rem; margin-right: .4rem; border: 1px solid var(--edge) }
        .legend .paid::before { background: light-dark(#12436d, #7fb3e6) } .legend .trial::before { background: light-dark(#28a197, #3cc7ba) }
        .legend .grace::before { background: light-dark(#f46a25, #ff9a5c) } .legend .retry::before { background: light-dark(#801650, #f08cc0) }
        .legend .refunded::before { border: 2px dashed var(--bad) } .legend .once::before { background: var(--ink); width: .5rem }
        .legend .unknown::before { background: var(--hair) }

        @media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; scroll-behavior: auto !important } }
        @media (forced-colors: active) {
          .tag, button, .card, .chip { border: 1px solid }
          nav.pages [aria-current], .bar .choices [aria-current] { outline: 2px solid Highlight; outline-offset: -2px }
          svg .paid, svg .trial, svg .grace, svg .retry, svg .once { fill: CanvasText }
        }
        @media print {
          .bar, nav.pages, .strip, footer, form, button, .skip { display: none !important }
          main { max-width: none; padding: 0 }
          details::details-content { content-visibility: visible; height: auto }
          a { color: inherit }
        }

        """#

    /// console.js
    package static let script = #"""
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
        // Do not move content while the user reads.
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
            ...$$("[data-go]").map(a => ["g " + a.dataset.go, a.textContent])]) { add("kbd", add("dt", dl), k); add("dd", dl, t) }
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

        """#

    /// icon.svg
    package static let icon = #"""
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#12436D"/><path d="M8 6h16v20l-4-3-4 3-4-3-4 3z" fill="#fff"/><path d="M12 12h8M12 17h8" stroke="#12436D" stroke-width="2"/></svg>

        """#
}
