import Foundation
import TestSupport
import Testing
import WebConsole

@Suite struct `Pages` {
    static func shell(_ change: (inout Shell) -> Void = { _ in }) -> Shell {
        var shell = Shell(
            heading: "Customers", product: "Counterfoil", home: PageLink("console"),
            assets: ConsoleAssets(folder: ["console", "assets"]), version: "Counterfoil 1")
        change(&shell)
        return shell
    }

    static let fullShell = shell {
        $0.foreignHeading = "an\u{202E}na"
        $0.up = ("Customers", PageLink("console", "customers"))
        $0.navigation = [.init("Customers", PageLink("console", "customers"), isCurrent: true, shortcut: "c")]
        $0.choices = [.init(of: "com.example", [.init("Sandbox", PageLink("console"), isCurrent: true)])]
        $0.isSandbox = true
        $0.search = .init(PageLink("search"), label: "Find", text: "\"><script>", fields: [("app", "com.example")])
        $0.account = .init(name: "ada", signOut: PageLink("out"))
        $0.topics = ["inbox", "customer:<b>"]
        $0.theme = .dark
        $0.notes = ["Sent."]
        $0.problem = .init("That did not work", reasons: ["<b>no</b>"], field: "days")
        $0.clock = "simulated"
        $0.api = "GET /v1/customers"
        $0.command = "counterfoil simulator customers"
    }

    @Test func `Every name in a shared template has a value, and every value is used`() throws {
        var audit = try TemplateAudit()
        for shell in [Self.shell(), Self.fullShell] {
            let back: PageValue = ["url": .link(PageLink()), "title": "Back"]
            audit.render("message", ["links": [back]], in: shell)
            for word in ["GONE", nil] {
                let confirmation = Confirmation(
                    ["12 deliveries are sent again."], button: "Send", action: PageLink("go"), cancel: PageLink(),
                    ticket: "t", fields: [("a", "b")], typedWord: word, asksForReason: word != nil)
                audit.render("confirmation", confirmation.values, in: shell)
            }
        }
        #expect(audit.complete().isEmpty, "\(audit.complete())")
    }

    @Test func `A confirmation keeps the entered reason, and a page has its own address for refreshes`()
        throws
    {
        let confirmation = Confirmation(
            ["It is gone."], button: "Go", action: PageLink("go"), cancel: PageLink(), ticket: "t", asksForReason: true,
            reason: "\"the\" outage")
        let shell = Self.shell { $0.current = PageLink("console", "customers", query: [("q", "a b")]) }
        let html = try PageLibrary([:]).page("confirmation", confirmation.values, in: shell)
        #expect(html.contains("name=\"reason\" value=\"&quot;the&quot; outage\" required"))
        #expect(html.contains("data-here=\"/console/customers?q=a%20b\""))
    }

    @Test func `Only the reason of an error about a field links to it`() throws {
        let shell = Self.shell { $0.problem = .init("Not done", reasons: ["Too long.", "Code a."], field: "days") }
        let html = try PageLibrary([:]).page("message", ["links": []], in: shell)
        #expect(html.components(separatedBy: "href=\"#days\"").count == 2)
        #expect(html.contains(/<li><a href="#days">.*Too long\./) && html.contains("<li><bdi>Code a."))
    }

    @Test(arguments: [
        ("`a<b` is `c`.", "<code>a&lt;b</code> is <code>c</code>."), ("5` and", "5` and"),
        ("plain", "plain"), ("`a\u{202E}`", "`a<span class=\"chip\">U+202E</span>`"),
    ])
    func `In the reason of an error, the parts between backticks are code`(text: String, html: String) throws {
        let shell = Self.shell { $0.problem = .init("Not done", reasons: [text]) }
        let page = try PageLibrary([:]).page("message", ["links": []], in: shell)
        #expect(page.contains("<li><bdi>\(html)</bdi>"))
    }

    @Test func `The template audit reports missing values, unused values and forbidden content`()
        throws
    {
        var audit = try TemplateAudit([
            "a": "{{known}}{{unknown}}", "b": "{{{raw}}}", "c": "<a href=\"{{known}}\">x</a>", "d": "<p onclick=\"x\">",
            "e": "<script>alert(1)</script>", "f": "{{a.b}}", "g": "{{^never}}{{/never}}<a href=\"/ok\">{{known}}</a>",
            "h": "{{linkURL}}", "i": "{{% CONTENT_TYPE:HTML}}{{known}}", "j": "{{=<% %>=}}<%known%>",
        ])
        audit.render("a", ["known": "1", "unused": "2"])
        audit.render("h", ["linkURL": "javascript:alert(1)"])
        let problems = audit.complete()
        for expected in [
            "a: unknown has no value", "a: no template uses the value unused", "b inserts an unescaped value",
            "c: href is {{known}}, expected a link", "d has a style or event attribute",
            "e has an inline script or style", "f: a.b is a path", "g: never was never rendered",
            "h: linkURL is used as a link but is none, or the reverse", "i sets a content type or delimiters",
            "j sets a content type or delimiters",
        ] { #expect(problems.contains(expected), "\(expected)") }
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'--><b>", "{{shellTitle}}", "<!--live-->",
    ])
    func `Foreign text is escaped in content and attributes`(text: String) throws {
        let library = try PageLibrary([
            "page":
                "<i title=\"{{plain}}\">{{plain}}</i><input value=\"{{exact}}\">{{#foreign}}{{>foreign}}{{/foreign}}"
        ])
        let html = library.render(
            "page", ["plain": .text(text), "exact": .exact(text), "foreign": .foreign(text)])
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
        #expect(html == "<i title=\"\(escaped)\">\(escaped)</i><input value=\"\(escaped)\"><bdi>\(escaped)</bdi>")
    }

    @Test(arguments: [("\"", "&quot;"), ("<", "&lt;"), (">", "&gt;"), ("&", "&amp;"), ("'", "&#39;")])
    func `A combining mark does not prevent the escaping of an HTML character`(character: String, entity: String) throws
    {
        let library = try PageLibrary([
            "page":
                "<i title=\"{{exact}}\">{{plain}}</i>{{#foreign}}{{>foreign}}{{/foreign}}{{#drawing}}{{>drawing}}{{/drawing}}"
        ])
        // One character to Swift, two to a browser.
        let (text, html) = (character + "\u{301}", entity + "\u{301}")
        #expect(text.count == 1)
        var drawing = Drawing(height: 1, title: "x", summary: "x")
        drawing.text(text, x: 0, y: 0)
        let page = library.render(
            "page",
            ["exact": .exact(text), "plain": .text(text), "foreign": .foreign(text), "drawing": .drawing(drawing)])
        #expect(page.hasPrefix("<i title=\"\(html)\">\(html)</i><bdi>\(html)</bdi>"), "\(page)")
        #expect(page.contains(">\(html)</text>"))
    }

    @Test func `Invisible characters are shown as chips, and a form returns them unchanged`() throws {
        let library = try PageLibrary(["page": "{{#a}}{{>foreign}}{{/a}}|{{b}}|{{c}}"])
        let text = "a\u{202E}b\u{0}\u{200B}c\n"
        let html = library.render("page", ["a": .foreign(text), "b": .text(text), "c": .exact(text)])
        func chip(_ name: String) -> String { "<span class=\"chip\">\(name)</span>" }
        #expect(
            html == "<bdi>a\(chip("U+202E"))b\(chip("U+0000"))\(chip("U+200B"))c\(chip("U+000A"))</bdi>"
                + "|a⟨U+202E⟩b⟨U+0000⟩⟨U+200B⟩c⟨U+000A⟩|\(text)")
        let lines = library.render("page", ["a": .foreign("1\r\n2\n", keepsLines: true), "b": "", "c": ""])
        #expect(lines == "<bdi>1\(chip("U+000D"))\n2\n</bdi>||")
        let marks = "z" + String(repeating: "\u{0301}", count: 6)
        #expect(VisibleText.plain(marks) == "z" + String(repeating: "\u{0301}", count: 4) + "⟨U+0301⟩⟨U+0301⟩")
        #expect(VisibleText.plain("ما 你好 é 🎉") == "ما 你好 é 🎉")
    }

    @Test func `A choice names the app once and in full, however long its name is`() throws {
        let app = "com.example." + String(repeating: "department.", count: 12) + "app"
        let shell = Self.shell {
            $0.choices = [.init(of: app, ["Production", "Sandbox"].map { .init($0, PageLink("console")) })]
        }
        let html = try PageLibrary([:]).page("message", ["paragraphs": [], "links": []], in: shell)
            .replacing("<wbr>", with: "")
        #expect(html.components(separatedBy: "<bdi>\(app)</bdi>").count == 2)
        #expect(html.contains("<div role=\"group\" aria-label=\"\(app)\">"))
        for environment in ["Production", "Sandbox"] { #expect(html.contains("<bdi>\(environment)</bdi></a>")) }
    }

    @Test func `A long text is cut, and the whole text is included on request`() throws {
        let library = try PageLibrary(["page": "{{#a}}{{>foreign}}{{/a}}"])
        let text = String(repeating: "x", count: 1001)
        let cut = library.render("page", ["a": .foreign(text, limit: 10)])
        #expect(cut == "<bdi>xxxxxxxxxx</bdi><span class=\"cut\">…</span>")
        let whole = library.render("page", ["a": .foreign(text, limit: 10, showsWhole: true)])
        #expect(whole.contains("All 1,001 characters") && whole.contains("<bdi>\(text)</bdi>"))
    }

    @Test(arguments: [
        ("com.example.premium.monthly", "com.<wbr>example.<wbr>premium.<wbr>monthly"), ("coins.100", "coins.100"),
        ("9.99 USD. ", "9.99 USD. "), (".a.", ".a."), ("", ""), ("a.b<c", "a.<wbr>b&lt;c"), ("ä.b", "ä.b"),
    ])
    func `In a column, a name breaks only after its dots`(text: String, html: String) throws {
        let library = try PageLibrary(["page": "{{#a}}{{>foreign}}{{/a}}"])
        #expect(library.render("page", ["a": .foreign(text, breaksNames: true)]) == "<bdi>\(html)</bdi>")
        #expect(!library.render("page", ["a": .foreign(text)]).contains("<wbr>"))
    }

    @Test func `A link leads to this server or to an HTTP URL`() {
        #expect(
            PageLink("a b", "../x", "..", query: [("q", "1&2=ü")]).description == "/a%20b/..%2Fx/~..?q=1%262%3D%C3%BC")
        #expect(PageLink().description == "/")
        for text in ["javascript:alert(1)", "data:text/html,x", "//evil.example", "http:", "ftp://x", "java\tscript:x"]
        {
            #expect(PageLink(external: text) == nil, "\(text)")
        }
        #expect(PageLink(external: "https://example.com/a?b")?.description == "https://example.com/a?b")
        for text in ["//evil.example", "https://evil.example", "/\\evil.example", "x", "/a\nb", ""] {
            #expect(PageLink(own: text) == nil, "\(text)")
        }
        #expect(PageLink(own: "/customers?q=1")?.description == "/customers?q=1")
    }

    @Test(arguments: [".", "..", "~.", "~..", "~~..", "...", "~", "_", "a b", "%2E", "+", "\u{FEFF}x", "a/b"])
    func `A name in a path is decoded unchanged, and is never a dot segment`(name: String) {
        let path = PageLink("customers", name).description
        #expect(PageLink.segments(of: path) == ["customers", name])
        let segment = path.dropFirst("/customers/".count).lowercased().replacing("%2e", with: ".")
        #expect(![".", ".."].contains(segment))
    }

    @Test(arguments: [
        (0.4, 5.9, "in 5 seconds"), (0.9, 6.2, "in 6 seconds"), (5.9, 0.4, "5 seconds ago"), (3.1, 3.9, "now"),
        (0.0, 3600.2, "in 1 hour"),
    ])
    func `A relative time is the distance of the times as they are shown`(now: Double, time: Double, words: String) {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        #expect((start + time).words(from: start + now) == words)
    }

    @Test(arguments: [
        (20, 48, ""), (21, 1, "; the last 20 of 21"), (1, 49, "; the last 48 of each"),
        (21, 49, "; the last 20 of 21; the last 48 of each"),
    ])
    func `The description of a timeline says which rows and bars it leaves out`(rows: Int, bars: Int, omissions: String)
    {
        let bar = TimeBars.Bar(.distantPast, nil, .once, "")
        let row = TimeBars.Row("", Array(repeating: bar, count: bars))
        #expect(TimeBars.omissions(from: Array(repeating: row, count: rows)) == omissions)
    }

    @Test func `A timeline of many purchases shows the newest`() throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        var rows = (1...21).map { TimeBars.Row("book \($0)", [.init(start, nil, .once, "")]) }
        // A subscription that began before all books and has renewed since then.
        rows.insert(.init("monthly", [.init(start - 60, start, .paid, ""), .init(start + 60, nil, .paid, "")]), at: 0)
        let drawing = TimeBars(rows, now: start).drawing(title: "Periods", summary: "22 purchases")
        let html = try PageLibrary(["page": "{{#a}}{{>drawing}}{{/a}}"]).render("page", ["a": .drawing(drawing)])
        #expect(html.contains(">monthly<") && html.contains(">book 21<") && html.contains(">book 3<"))
        #expect(!html.contains(">book 1<") && !html.contains(">book 2<"))
    }

    @Test func `Labels of a timeline have one size at every width, and on a phone none overlap or are cut off`() throws
    {
        // March begins shortly before the axis ends.
        let now = Date(timeIntervalSince1970: 1_802_217_600)
        let bar = TimeBars.Bar(now - 200 * 86_400, now, .complete, "")
        let drawing = TimeBars([.init("com.example.app Production", [bar])], now: now)
            .drawing(title: "Periods", summary: "1 period")
        let html = try PageLibrary(["page": "{{#a}}{{>drawing}}{{/a}}"]).render("page", ["a": .drawing(drawing)])
        // A drawing with a view box would shrink its texts.
        #expect(html.contains("width=\"100%\" height=\"90\"") && !html.contains("viewBox"))
        // The label is above its bar.
        #expect(html.contains("x=\"0%\" y=\"17\" text-anchor=\"start\">com.example.app Production<"))
        #expect(html.contains("<rect class=\"paid\" x=\"1.75%\" y=\"24\""))
        let ticks = html.matches(of: /<text class="small( wide)?" [^>]*text-anchor="(\w+)">(\d{4}-\d\d)</)
        let all = ticks.map { "\($0.3) \($0.2)\($0.1 ?? "")" }.sorted()
        #expect(
            all == [
                "2026-08 start", "2026-09 middle wide", "2026-10 middle wide", "2026-11 middle",
                "2026-12 middle wide", "2027-01 middle", "2027-02 middle wide", "2027-03 end wide",
            ])
    }

    @Test func `A single point of a curve is drawn as a dot`() throws {
        var drawing = Drawing(height: 10, title: "x", summary: "x")
        drawing.curve([(x: 50, y: 5)], kind: "curve")
        let html = try PageLibrary(["page": "{{#a}}{{>drawing}}{{/a}}"]).render("page", ["a": .drawing(drawing)])
        #expect(html.contains("points=\"50,5 50,5\""))
    }

    @Test func `Texts in a drawing are escaped`() throws {
        var drawing = Drawing(height: 10, title: "<b>", summary: "\"'&")
        drawing.rectangle(x: 1.005, y: .nan, width: -2.5, height: 1, kind: "paid", label: "</title><script>")
        drawing.text("a\u{202E}<", x: 0, y: 0)
        let html = try PageLibrary(["page": "{{#a}}{{>drawing}}{{/a}}"]).render("page", ["a": .drawing(drawing)])
        #expect(!html.contains("<b>") && !html.contains("<script>") && html.contains("&lt;/title&gt;&lt;script&gt;"))
        #expect(html.contains("y=\"0\" width=\"-2.50%\"") && html.contains("a⟨U+202E⟩&lt;"))
    }

    @Test func `The live parts of a page are the parts between its live marks`() {
        let html = "a<!--live--><p id=x></p><!--/live-->b<!--live-->2<!--/live-->c"
        #expect(PageLibrary.liveParts(of: html) == "<p id=x></p>\n2")
        #expect(PageLibrary.liveParts(of: "nothing").isEmpty)
    }

    @Test func `Script and style sheet are within their size limits, and embedded files equal the sources`()
        throws
    {
        #expect(WebConsoleFiles.script.utf8.count <= 8192)
        #expect(WebConsoleFiles.style.utf8.count <= 16_384)
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/WebConsole")
        for (name, text) in [
            ("console.css", WebConsoleFiles.style), ("console.js", WebConsoleFiles.script),
            ("icon.svg", WebConsoleFiles.icon),
        ] {
            let file = try String(contentsOf: folder.appending(path: "Assets/\(name)"), encoding: .utf8)
            #expect(file == text, "\(name)")
        }
        let templates = folder.appending(path: "Templates")
        let names = try FileManager.default.contentsOfDirectory(atPath: templates.path)
        #expect(Set(names) == Set(WebConsoleFiles.templates.keys.map { $0 + ".mustache" }))
        for (name, text) in WebConsoleFiles.templates {
            let file = try String(contentsOf: templates.appending(path: name + ".mustache"), encoding: .utf8)
            #expect(file == text, "\(name)")
        }
    }
}
