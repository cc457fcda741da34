import AppStoreServer
import AppStoreTrust
import Foundation
import Ledger
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import LedgerServices

@Suite struct `The console` {
    static func run(
        _ change: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: (World, Browser) async throws -> Void
    ) async throws {
        try await World.withAPI { configuration in
            configuration.console.isEnabled = true
            configuration.console.secret = Secret("a secret of the tests' own console")
            change(&configuration)
        } _: { world in
            try await body(world, Browser(world.url))
        }
    }

    @Test func `A disabled console answers 404`() async throws {
        try await Self.run({ $0.console.isEnabled = false }) { _, browser in
            for path in ["/console", "/console/sign-in"] {
                let page = try await browser.get(path)
                #expect(page.status == 404)
            }
        }
    }

    @Test func `Each console page redirects to sign-in without a session and is shown in full with one`() async throws {
        try await Self.run { world, browser in
            let anna = try await world.subscribe("anna")
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let paths = [
                "", "/customers", "/customers?q=\(anna)", "/customers/\(anna)", "/customers/\(anna)/explain/premium",
                "/customers/nobody", "/transactions/1", "/orders/ABC", "/notifications", "/notifications?state=failed",
                "/notifications/\(uuid)", "/notifications/none", "/notifications/refused", "/completeness",
                "/recoveries/rec_9",
                "/webhooks", "/webhooks/none", "/refunds", "/refunds/of?customer=\(anna)&transaction=1", "/decode",
                "/customers/\(anna)?open=\(uuid)", "/operations", "/operations/audit",
                "/operations/configuration",
            ]
            for path in paths {
                let page = try await browser.get("/console" + path)
                #expect(page.status == 303 && page.location?.hasPrefix("/console/sign-in") == true, "\(path)")
            }
            try await browser.signIn()
            for path in paths {
                let page = try await browser.get("/console" + path)
                let isPresent = !Self.missingPages.contains(path)
                #expect(page.status == (isPresent ? 200 : 404), "\(path): \(page.status)")
                #expect(!page.text.contains("⟦"), "\(path): \(page.text.split(separator: "⟦").dropFirst().first ?? "")")
                #expect(page.text.components(separatedBy: "<h1").count == 2, "\(path)")
                #expect(page.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
                #expect(page.text.utf8.count < 60_000, "\(path)")
                for title in ["As API", "As command"] { #expect(page.text.contains(title), "\(path): \(title)") }
                for secret in [TestAPIClient.key, "a secret of the tests"] {
                    #expect(!page.text.contains(secret), "\(path)")
                }
            }
            let customer = try await browser.get("/console/customers/\(anna)").text
            #expect(customer.contains("<svg") && customer.contains("explain premium"))
            #expect(customer.contains("this customer<") && customer.contains("names the account"))
            // Live updates of a list wait for the reader; those of the part above replace it at once.
            let halves = customer.components(separatedBy: "<div id=\"list\" data-live=\"hold\">")
            #expect(halves.count == 2 && halves[0].contains("<div id=\"page\" data-live=\"replace\">"))
            #expect(halves[0].contains("<tr data-row data-key=") && !halves[0].contains("class=\"timeline\""))
            #expect(halves.last?.contains("<li data-row data-key=\"\" id=\"entry-") == true)
            let searched = try await browser.get("/console/customers?q=\(anna)").text
            #expect(try await browser.get("/console/customers").text.contains("Lately active"))
            #expect(!searched.contains("Lately active"))
            // A timeline entry opens in its place, without a script.
            let open = try await browser.get("/console/customers/\(anna)?open=\(uuid)").text
            #expect(!customer.contains("Verification of the transaction"))
            #expect(open.contains("<li data-row data-key=\"\" id=\"entry-\(uuid)\" class=\"open\">"))
            #expect(open.contains("Verification of the transaction") && open.contains("<dt>Anchor</dt>"))
            #expect(open.contains("No endpoint takes events of this kind"))
            // The audit log can be downloaded as CSV.
            let file = try await browser.get("/console/operations/audit.csv")
            #expect(file.status == 200 && file.text.hasPrefix("id,at,actor,"))
            #expect(file.headers["content-disposition"] == "attachment; filename=\"audit.csv\"")
            #expect(try await browser.get("/console/nothing").status == 404)
        }
    }

    /// The pages of unknown objects, which answer 404.
    private static let missingPages: Set<String> = [
        "/transactions/1", "/notifications/none", "/recoveries/rec_9", "/webhooks/none",
    ]

    @Test func `A sign-in link works once, and opening its page does not use it up`() async throws {
        try await Self.run { world, browser in
            let configuration = try world.configuration()
            let link = try ConsoleLink.make(configuration, key: "all", url: "")
            #expect(try await browser.get(link).text.contains("This link signs you in once"))
            let token = try #require(try await browser.get(link).hidden("link"))
            #expect(try await browser.post("/console/sign-in", ["link": token]).status == 303)
            #expect(try await browser.get("/console").status == 200)
            let other = Browser(world.url)
            #expect(try await other.post("/console/sign-in", ["link": token]).status == 403)
            #expect(try await other.get(link).text.contains("was used"))
            #expect(try await other.get("/console").status == 303)
        }
    }

    @Test func `The console refuses cross-site requests, foreign hosts and altered paths`() async throws {
        try await Self.run { _, browser in
            try await browser.signIn()
            for site in ["cross-site", "same-site"] {
                #expect(try await browser.post("/console/sign-out", [:], site: site).status == 403)
                #expect(try await browser.post("/console/do", ["action": "recover"], site: site).status == 403)
            }
            let form = [("Content-Type", "application/x-www-form-urlencoded")]
            for headers in [form, form + [("Origin", "http://evil.example")], form + [("Origin", "null")]] {
                let page = try await browser.send(
                    "POST", "/console/sign-out", Data(), headers.map { (name: $0.0, value: $0.1) })
                #expect(page.status == 403)
            }
            #expect(try await browser.get("/console", [("Host", "evil.example")]).status == 403)
            for path in ["/%63onsole", "//console", "/console/%2e%2e/console", "/x/../console"] {
                #expect(try await Browser(browser.url).get(path).status != 200, "\(path)")
            }
            #expect(try await browser.get("/console").status == 200)
        }
    }

    @Test func `The console ignores an unknown session cookie and blocks sign-in after five wrong keys`() async throws {
        try await Self.run { world, browser in
            let planted = try await browser.send(
                "GET", "/console", nil, [("Cookie", "counterfoil=\(String(repeating: "A", count: 43))")])
            #expect(planted.status == 303)
            var last: Browser.Page?
            // Repeated, because on a busy machine the failures may be spread over more than a minute.
            for _ in 0..<20 where last?.status != 429 {
                let stranger = Browser(world.url)
                for _ in 0..<5 {
                    let refused = try await stranger.post("/console/sign-in", ["key": "wrong"]).status
                    #expect(refused == 403 || refused == 429)
                }
                last = try await stranger.post("/console/sign-in", ["key": TestAPIClient.key])
            }
            #expect(last?.status == 429)
            let wait = try #require(last?.headers["retry-after"].flatMap { Int($0) })
            #expect((1...60).contains(wait))
            #expect(try await browser.get("/console").status == 303)
        }
    }

    @Test func `Console pages escape untrusted text`() async throws {
        try await Self.run { world, browser in
            try await browser.signIn()
            let hostile = "<script>alert(1)</script>\"'\u{202E}{{{x}}}"
            _ = try await world.api.send("POST", "/apple/notifications", body: Data(hostile.utf8))
            _ = try await world.refusals()
            let page = try await browser.get("/console/notifications/refused").text
            #expect(page.contains("&lt;script&gt;") && !page.contains("<script>alert") && page.contains("U+202E"))
            let decoded = try await browser.post("/console/decode", ["text": hostile]).text
            #expect(!decoded.contains("<script>alert"))
        }
    }

    @Test func `The decode page reads an uploaded file of up to 3.5 MiB`() async throws {
        try await Self.run { world, browser in
            try await browser.signIn()
            let large = Data([0x30, 0x83, 0x38, 0, 0]) + Data(repeating: 0xFF, count: 0x380000)
            for content in [Data("-----BEGIN CERTIFICATE-----".utf8), Data([0x30, 0x82, 0xFF, 0]), large] {
                let body =
                    Data("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n".utf8) + content
                    + Data("\r\n--x--\r\n".utf8)
                let page = try await browser.send(
                    "POST", "/console/decode", body,
                    [("Content-Type", "multipart/form-data; boundary=x"), ("Sec-Fetch-Site", "same-origin")])
                #expect(page.status == 200 && page.text.contains("not proven"))
            }
        }
    }

    @Test func `The console's templates pass the template audit with every kind of block`() throws {
        var audit = try TemplateAudit(ServerPages.files)
        var shell = Shell(
            heading: "x", product: "x", home: PageLink("console"), assets: ConsoleAssets(folder: ["x"]), version: "x")
        shell.themeAction = PageLink("x")
        for page in [Self.everything, ConsolePage("empty")] { audit.render("page", page.values, in: shell) }
        #expect(audit.complete().isEmpty, "\(audit.complete())")
    }

    /// A page with each kind of block and each kind of cell.
    private static var everything: ConsolePage {
        let link = PageLink("x")
        var page = ConsolePage("x", foreign: "y", now: World.start)
        page.topics = ["x"]
        page.title("x")
        page.subtitle("x")
        page.paragraph("x", "note")
        let cells: [ConsolePage.Cell] = [
            .plain("x"), .foreign("x"), .code("x"), .tag("x", .good), .time(World.start), .time(nil), .link("x", link),
            .number("1"), .progress(1, of: 2, "x"), .none,
        ]
        page.facts(cells.map { ("x", $0) })
        page.table("x", cells.map { _ in "x" }, [cells], empty: "")
        page.table("x", ["x"], [], empty: "Nothing.")
        let drawing = Drawing(height: 1, title: "x", summary: "x")
        page.drawing(drawing, caption: "x", legend: [["look": "paid", "word": "Paid"]])
        page.drawing(drawing, caption: "x")
        var entry = ConsolePage.Entry("x")
        (entry.anchor, entry.link, entry.facts, entry.links) = ("x", link, [("x", .plain("x"))], [("x", link)])
        entry.inside = ConsolePage("x")
        entry.inside?.subtitle("x")
        page.entries([entry, .init("y")], empty: "")
        page.holdFollowingBlocks()
        page.exact("x", "y", isOpen: true)
        page.links([("x", link)], next: link)
        page.filter("x", of: link, [.init("x")], isUsed: true)
        page.form(
            link,
            [
                .hidden("x", "y"), .init("x", "", .area), .init("x", "", .choice([("x", "y")])), .init("x"),
            ],
            button: "x")
        page.formTitle("x")
        page.form(link, [], button: "x")
        return page
    }
}
