import AppStoreModels
import Foundation
import Ledger
import StoreSimulator
import Testing

@testable import CounterfoilServer
@testable import LedgerServices
@testable import WebConsole

@Suite struct `Live updates of console pages` {
    @Test func `An unreadable instant is answered with 400, as a page or as plain text for a live update`() async throws
    {
        try await `The console`.run { world, browser in
            let anna = try await world.subscribe("anna")
            try await browser.signIn()
            let customer = "/console/customers/\(anna)"
            for path in ["never", "1e3"].flatMap({ ["\(customer)?at=\($0)", "\(customer)/explain/premium?at=\($0)"] }) {
                let page = try await browser.get(path)
                #expect(page.status == 400 && page.text.contains("An instant is"), "\(path)")
                #expect(page.text.contains("<title>Error: "))
                #expect(!page.text.replacing("<wbr>", with: "").contains("com.example.premium.monthly"))
                // The open page keeps its contents and shows this message.
                let refetch = try await browser.get("\(path)&fragment=all")
                #expect(refetch.status == 400 && !refetch.text.contains("<"))
                #expect(refetch.headers["content-type"] == "text/plain; charset=utf-8")
            }
            for text in ["2026-05-28T20:26:40.500Z", "2026-05-28", "2026-05-28%2020:26:40%20UTC"] {
                let page = try await browser.get("\(customer)?at=\(text)")
                #expect(page.status == 200 && page.text.contains("As it was known at 2026-05-28"), "\(text)")
            }
        }
    }

    @Test func `Repeated live updates of a page leave one entry in the audit log`() async throws {
        try await `The console`.run { configuration in
            configuration.console.auditsReads = true
            configuration.keys.append(
                .init(
                    name: "viewer", hash: APIKeyText.hash(of: "viewer"),
                    scopes: [.operationsRead, .customersRead, .consoleOpen]))
        } _: { world, browser in
            try await browser.signIn("viewer")
            for _ in 0..<3 {
                #expect(try await browser.get("/console/webhooks?fragment=all").status == 403)
                #expect(try await browser.get("/console/customers/anna?fragment=all").status == 200)
            }
            func entries(_ action: String) async throws -> Int {
                try await world.api.get("/v1/audit?limit=100").items.count { $0["action"] as? String == action }
            }
            #expect(try await entries("GET /v1/webhooks") == 1)
            #expect(try await entries("GET /v1/customers/{id}") == 1)
            // Each opening of the page is recorded.
            for _ in 0..<2 { #expect(try await browser.get("/console/customers/anna").status == 200) }
            #expect(try await entries("GET /v1/customers/{id}") == 3)
        }
    }

    @Test func `Repeated live updates that fail leave one entry in the audit log`() async throws {
        try await `The console`.run {
            $0.console.auditsReads = true
        } _: { world, browser in
            let anna = UUID()
            let outcome = try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(anna)))
            try await world.waitUntilIdle()
            try await `Damaged ledger rows`.damage(
                try #require(outcome.originalTransactionID), world.sqlite)
            try await browser.signIn()
            let path = "/console/customers/\(anna.uuidString.lowercased())?fragment=all"
            for _ in 0..<3 { #expect(try await browser.get(path).status == 503) }
            let results = try await world.api.get("/v1/audit?limit=100").items
                .filter { $0["action"] as? String == "GET /v1/customers/{id}" }.compactMap { $0["result"] as? String }
            #expect(results == ["failed"])
        }
    }

    @Test func `A live update names the missing scope and not the key`() async throws {
        try await `The console`.run { configuration in
            configuration.keys.append(
                .init(name: "viewer", hash: APIKeyText.hash(of: "viewer"), scopes: [.operationsRead, .consoleOpen]))
        } _: { _, browser in
            try await browser.signIn("viewer")
            let parts = try await browser.get("/console/webhooks?fragment=all").text
            #expect(parts.contains("lacks the scope webhooks:write") && !parts.contains("viewer"))
        }
    }

    @Test func `A decoded API value keeps a leading byte order mark`() {
        let value = APIValue(json: Data("{\"a\":\"\u{FEFF}t\",\"b\":[\"\u{FEFF}\",\"x\u{FEFF}\"]}".utf8))
        #expect(value["a"].text == "\u{FEFF}t")
        #expect(value["b"].items.map(\.text) == ["\u{FEFF}", "x\u{FEFF}"])
    }

    @Test func `A decoded API value prints decimal numbers without rounding errors`() {
        let value = APIValue(json: Data(#"{"a":0.1,"b":12345678901234,"c":9.99,"d":true}"#.utf8))
        #expect(value["a"].text == "0.1")
        let pretty = value.pretty
        for line in [#""a" : 0.1,"#, #""b" : 12345678901234"#, #""c" : 9.99"#, #""d" : true"#] {
            #expect(pretty.contains(line), "\(pretty)")
        }
    }

    @Test func `The audit log's CSV file has the security headers of a page`() async throws {
        try await `The console`.run { _, browser in
            try await browser.signIn()
            let file = try await browser.get("/console/operations/audit.csv")
            #expect(file.headers["content-type"]?.hasPrefix("text/csv") == true)
            #expect(file.headers["cache-control"] == "no-store")
            let none = try await browser.get("/console/assets/none.css")
            #expect(none.status == 404 && none.headers["content-security-policy"] != nil)
            for name in [
                "content-security-policy", "referrer-policy", "cross-origin-resource-policy", "content-disposition",
            ] { #expect(file.headers[name] != nil, "\(name)") }
            // A refused download is answered with a page.
            let refused = try await browser.get("/console/operations/audit.csv?page=x")
            #expect(refused.status == 400 && refused.headers["content-type"]?.hasPrefix("text/html") == true)
            #expect(refused.text.contains("Refused") && !refused.text.contains("retryable"))
        }
    }

    @Test func `A form whose outcome is unknown is answered with a page, and its ticket cannot be used again`()
        async throws
    {
        try await `The console`.run({ $0.limits.historyTimeout = .milliseconds(50) }) { world, browser in
            let anna = try await world.subscribe("anna")
            try await browser.signIn()
            var fields = ["action": "refresh", "id": anna]
            fields["ticket"] = try await browser.post("/console/confirm", fields).hidden("ticket")
            let fault = try world.simulator.add(Fault("route:*", .delay(seconds: 3600)))
            let late = try await browser.post("/console/do", fields)
            #expect(late.status == 503 && late.headers["content-type"] == "text/html; charset=utf-8")
            #expect(late.text.contains("Check the result before you repeat it"))
            try world.simulator.removeFault(fault)
            let again = try await browser.post("/console/do", fields)
            #expect(again.status == 503 && again.text.contains("Check the result before you repeat it"))
        }
    }
}
