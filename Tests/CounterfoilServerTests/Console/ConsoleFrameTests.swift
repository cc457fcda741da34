import AppStoreServer
import Foundation
import Ledger
import LedgerServices
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer

/// The parts that all pages share: navigation, commands, error pages, links.
@Suite struct `Common parts of console pages` {
    /// Runs a command from a page in a shell, unchanged.
    private static func runInShell(_ line: String) async throws -> ChildProcess.Outcome {
        let folder = try Tool.executable().deletingLastPathComponent().path
        return try await ChildProcess.run(
            URL(filePath: "/bin/sh"), ["-c", line],
            environment: ["PATH": "\(folder):/usr/bin:/bin", "COUNTERFOIL_KEY": TestAPIClient.key, "TERM": "dumb"])
    }

    @Test func `Each console page shows a command that prints the API response behind the page`() async throws {
        let webhook = World.webhook("backend", "http://127.0.0.1:9/")
        try await World.withConsole({ $0.webhooks = [webhook] }) { world, browser in
            let anna = try await world.subscribe("anna")
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let own = try await world.api.get("/v1/customers/\(anna)")
            let subscriptions = own["subscriptions"] as? [[String: Any]]
            let original = try #require(subscriptions?.first?["original_transaction_id"] as? String)
            for path in [
                "", "/customers", "/customers?q=\(anna)", "/customers?q=it%27s%20%24HOME", "/customers/\(anna)",
                "/customers/\(anna)?at=2026-01-01", "/customers/\(anna)/explain/premium", "/customers/a%20b%27c",
                "/transactions/\(original)", "/notifications", "/notifications?state=failed&type=TEST",
                "/notifications/\(uuid)", "/notifications/refused", "/completeness", "/webhooks", "/webhooks/backend",
                "/refunds",
                "/operations", "/operations/audit",
            ] {
                let page = try await browser.get("/console" + path)
                let command = try #require(page.text(of: "equivalent-command"), "\(path)")
                let target = try #require(page.text(of: "equivalent-api"), "\(path)").dropFirst("GET ".count)
                #expect(command.hasPrefix("counterfoil server get "), "\(command)")
                let outcome = try await Self.runInShell(command)
                // Tests disable some parts of the API. The command fails there as the API does.
                guard try await world.api.get(String(target)).status == 200 else {
                    #expect(outcome.status == 1 && path == "/operations", "\(command)")
                    continue
                }
                #expect(outcome.status == 0, "\(command): \(outcome.errors)")
                let printed = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
                let answer = try await world.api.get(String(target))
                let object = try #require(answer["object"] as? String, "\(command)")
                #expect(printed?["object"] as? String == object, "\(command)")
                #expect(printed?.keys.sorted() == answer.json.keys.sorted(), "\(command)")
            }
            // The decode page is the only page whose request is not a GET.
            let decode = try await browser.get("/console/decode")
            #expect(decode.text(of: "equivalent-command") == "counterfoil verify FILE")
        }
    }

    @Test func `Commands on console pages contain the configured public URL`() async throws {
        try await World.withConsole({ $0.listen.publicURL = "https://purchases.example.com" }) { _, browser in
            let page = try await browser.get("/console/completeness")
            #expect(
                page.text(of: "equivalent-command")
                    == "counterfoil server get /v1/completeness --url https://purchases.example.com")
        }
    }

    @Test func `Error pages keep the navigation and show the status, the code and the request ID`() async throws {
        try await World.withConsole { world, browser in
            for path in ["/nothing", "/notifications/none", "/transactions/1", "/webhooks/none", "/recoveries/rec_9"] {
                let page = try await browser.get("/console" + path)
                #expect(page.status == 404, "\(path)")
                #expect(page.text.contains("<title>Error: "), "\(path)")
                #expect(page.text.contains(/Code [a-z_]+, request [0-9a-f]/), "\(path): \(page.text)")
                for part in ["aria-label=\"Pages\"", "role=\"search\"", "Sign out", "id=\"theme\""] {
                    #expect(page.text.contains(part), "\(path): \(part)")
                }
            }
            let bad = try await browser.get("/console/notifications?from=yesterday")
            #expect(bad.status == 400 && bad.text.contains("<title>Error: "))
            #expect(
                try await browser.post("/console/confirm", ["action": "none"]).text.contains("aria-label=\"Pages\""))
            // Without a session the answer is the same 404, without navigation links.
            let stranger = try await Browser(world.url).get("/console/nothing")
            #expect(stranger.status == 404 && !stranger.text.contains("aria-label=\"Pages\"><ul><li>"))
        }
    }

    @Test func `A page whose scope the key lacks is answered with 403 and names the scope`() async throws {
        try await World.withConsole({ configuration in
            configuration.keys.append(
                .init(
                    name: "viewer", hash: APIKeyText.hash(of: "viewer"), scopes: [.operationsRead, .consoleOpen]))
        }) { world, _ in
            let viewer = Browser(world.url)
            try await viewer.signIn("viewer")
            let page = try await viewer.get("/console/customers/anna")
            #expect(page.status == 403 && page.text.contains("customers:read"))
            #expect(page.text.contains("<title>Error: ") && page.text.contains("Code forbidden, request "))
            #expect(try await viewer.get("/console/customers").status == 200)
        }
    }

    @Test func `A page names a missing scope once, and has no forms that the key may not use`() async throws {
        try await World.withConsole({ configuration in
            configuration.keys.append(
                .init(
                    name: "viewer", hash: APIKeyText.hash(of: "viewer"), scopes: [.operationsRead, .consoleOpen]))
            configuration.keys.append(
                .init(name: "nobody", hash: APIKeyText.hash(of: "nobody"), scopes: [.consoleOpen]))
        }) { world, _ in
            for (key, path, scope) in [
                ("viewer", "refunds", "support:read"), ("viewer", "decode", "support:read"),
                ("nobody", "customers", "support:read"), ("nobody", "completeness", "operations:read"),
                ("nobody", "notifications", "operations:read"),
            ] {
                let browser = Browser(world.url)
                try await browser.signIn(key)
                let page = try await browser.get("/console/\(path)").text
                #expect(page.components(separatedBy: scope).count == 2, "\(path)")
                #expect(!page.contains("role=\"search\"") && !page.contains("<form class=\"stack\""), "\(path)")
                #expect(!page.contains("notifications/refused"), "\(path)")
            }
        }
    }

    @Test func `Each console page shows the version of the program`() async throws {
        try await World.withConsole { world, browser in
            let version = "<span>Counterfoil \(AppStoreServerClient.version)</span>"
            for path in ["/console", "/console/nothing"] {
                let page = try await browser.get(path)
                #expect(page.text.contains(version), "\(path)")
            }
            let signIn = try await Browser(world.url).get("/console/sign-in")
            #expect(signIn.text.contains(version))
        }
    }

    @Test func `Lists link to the previous page, and items link back to their page of the list`() async throws {
        try await World.withConsole { world, browser in
            for name in ["anna", "ben", "kim", "otto", "zoe"] { _ = try await world.subscribe(name) }
            for _ in 0..<24 { try await world.simulator.advance(by: 31 * 86_400) }
            try await world.waitUntilIdle()
            func link(_ relation: String, _ page: Browser.Page) -> String? {
                let pattern = try? Regex("<a href=\"([^\"]*)\" rel=\"\(relation)\"", as: (Substring, Substring).self)
                return pattern.flatMap { page.text.firstMatch(of: $0) }.map {
                    String($0.1).replacing("&amp;", with: "&")
                }
            }
            let first = try await browser.get("/console/notifications?type=DID_RENEW&from=2020-01-01")
            #expect(link("prev", first) == nil)
            let second = try await browser.get(try #require(link("next", first)))
            let third = try await browser.get(try #require(link("next", second)))
            func rows(_ page: Browser.Page) -> [Substring] {
                page.text.matches(of: /console\/notifications\/([0-9a-f-]{36})/).map(\.1)
            }
            #expect(rows(first) != rows(second) && rows(second) != rows(third) && !rows(third).isEmpty)
            let back = try await browser.get(try #require(link("prev", third)))
            #expect(rows(back) == rows(second))
            let start = try await browser.get(try #require(link("prev", back)))
            #expect(rows(start) == rows(first) && link("prev", start) == nil)
            // Each page shows the entered filter.
            for page in [first, second, third, back] {
                #expect(page.text.contains("name=\"from\" type=\"text\" value=\"2020-01-01\""))
            }
            // An item links back to its page of the list.
            let item = try #require(
                second.text.firstMatch(of: /<a href="(\/console\/notifications\/[0-9a-f-]{36}[^"]*)"/)
            ).1
            let page = try await browser.get(String(item).replacing("&amp;", with: "&"))
            let up = try #require(link("up", page))
            #expect(rows(try await browser.get(up)) == rows(second))
        }
    }

    /// The paths of the links that choose an app and environment.
    private static func choices(_ page: Browser.Page) -> Set<String> {
        let list = page.text.components(separatedBy: "<nav class=\"choices\"").dropFirst().first
        let links = list?.components(separatedBy: "</nav>").first?.matches(of: /href="([^"?]*)\?/) ?? []
        return Set(links.map { String($0.1) })
    }

    @Test func `The environment links of each page lead to an existing page`() async throws {
        try await World.withConsole { _, browser in
            let confirmation = try await browser.post("/console/confirm", ["action": "recover", "from": "2026-01-01"])
            #expect(Self.choices(confirmation) == ["/console"])
            for (path, target) in [
                ("events/evt_1", "/console/customers"), ("customers/anna", "/console/customers"),
                ("nothing", "/console"), ("operations/audit", "/console/operations"),
            ] {
                let page = try await browser.get("/console/\(path)")
                #expect(Self.choices(page) == [target], "\(path)")
                let there = try await browser.get(target)
                #expect(there.status == 200)
            }
        }
    }

    @Test func `A search reads a plus sign as a blank and an encoded plus sign as a plus sign`() async throws {
        let webhook = World.webhook("backend", "http://127.0.0.1:9/")
        try await World.withConsole({ $0.webhooks = [webhook] }) { world, browser in
            for (written, meant) in [("a+b", "a%20b"), ("a%20b", "a%20b"), ("a%2Bb", "a%2Bb")] {
                let search = try await browser.get("/console/customers?q=\(written)")
                #expect(search.text(of: "equivalent-api") == "GET /v1/search?q=\(meant)")
                let name = meant.replacing("%20", with: " ").replacing("%2B", with: "+")
                #expect(search.text.contains("type=\"search\" name=\"q\" value=\"\(name)\""))
                // The page reloads itself from the same address.
                #expect(search.text.contains("data-here=\"/console/customers?q=\(meant)\""))
                let deliveries = try await browser.get("/console/webhooks/backend?customer=\(written)")
                #expect(deliveries.text(of: "equivalent-api")?.hasSuffix("?customer=\(meant)") == true)
            }
            let anna = try await world.subscribe("anna")
            let past = try await browser.get("/console/customers/\(anna)?at=2026-05-28+20%3A26%3A40+UTC")
            #expect(past.status == 200 && past.text.contains("As it was known at 2026-05-28"))
        }
    }

    @Test func `Links of a customer's page keep the search that led to the page`() async throws {
        try await World.withConsole { world, browser in
            let anna = try await world.subscribe("anna")
            func links(_ page: Browser.Page, _ part: String) -> [String] {
                page.text.matches(of: /href="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
                    .filter { $0.contains(part) }
            }
            let page = try await browser.get("/console/customers/\(anna)?list=q%3Dticket&done=refresh")
            #expect(page.text.contains("Ask the App Store about the customer: done."))
            for part in ["open=", "at=", "/explain/"] {
                let found = links(page, part)
                #expect(!found.isEmpty && found.allSatisfy { $0.contains("list=q%3Dticket") }, "\(part): \(found)")
            }
            #expect(page.text.contains("<input type=\"hidden\" name=\"list\" value=\"q=ticket\">"))
            // The link to this page omits `done`, so that its message is shown once only.
            #expect(page.text.contains("data-here=\"/console/customers/\(anna)?list=q%3Dticket\""))
            let explanation = try await browser.get(
                "/console/customers/\(anna)/explain/premium?list=q%3Dticket&at=2026-05-28")
            let up = try #require(links(explanation, "/console/customers/\(anna)?").first)
            #expect(up.contains("list=q%3Dticket") && up.contains("at=1779926400000"), "\(up)")
            let back = try await browser.get(up)
            #expect(links(back, "/console/customers?").contains { $0.contains("q=ticket") })
        }
    }

    @Test func `Links to other delivery states keep the customer filter`() async throws {
        let webhook = World.webhook("backend", "http://127.0.0.1:9/")
        try await World.withConsole({ $0.webhooks = [webhook] }) { _, browser in
            let page = try await browser.get("/console/webhooks/backend?customer=anna&state=failed").text
            let main = try #require(page.components(separatedBy: "<main").last)
            let links = main.matches(of: /href="\/console\/webhooks\/backend\?([^"]*)"/).map { String($0.1) }
            #expect(links.count == 5 && links.allSatisfy { $0.contains("customer=anna") }, "\(links)")
            #expect(links.first?.contains("state=") == false)
        }
    }
}
