@testable import CounterfoilServer
@testable import LedgerServices
@testable import WebConsole
import AppStoreModels
import Foundation
import Ledger
import StoreSimulator
import Testing

@Suite struct `Open pages of the console` {
    @Test(arguments: ["never", "1e3"])
    func `are of an instant that can be read`(at: String) async throws {
        try await `The console`.run { world, browser in
            let anna = try await world.subscriber("anna")
            try await browser.signIn()
            for path in ["/console/customers/\(anna)", "/console/customers/\(anna)/explain/premium"] {
                let page = try await browser.get("\(path)?at=\(at)")
                #expect(page.status == 400 && page.text.contains("An instant is"), "\(path)")
                #expect(page.text.contains("<title>Error: "))
                #expect(!page.text.contains("com.example.premium.monthly"))
                // The open page keeps what it has, and says what is wrong.
                let refetch = try await browser.get("\(path)?at=\(at)&fragment=all")
                #expect(refetch.status == 400 && !refetch.text.contains("<"))
                #expect(refetch.headers["content-type"] == "text/plain; charset=utf-8")
            }
            for text in ["2026-05-28T20:26:40.500Z", "2026-05-28", "2026-05-28%2020:26:40%20UTC"] {
                let page = try await browser.get("/console/customers/\(anna)?at=\(text)")
                #expect(page.status == 200 && page.text.contains("As it was known at that instant"), "\(text)")
            }
        }
    }

    @Test func `leave one entry in the audit log, however often they ask`() async throws {
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
            // Who opens the page is noted each time.
            for _ in 0..<2 { #expect(try await browser.get("/console/customers/anna").status == 200) }
            #expect(try await entries("GET /v1/customers/{id}") == 3)
        }
    }

    @Test func `name no key of who asked first`() async throws {
        try await `The console`.run { configuration in
            configuration.keys.append(
                .init(name: "viewer", hash: APIKeyText.hash(of: "viewer"), scopes: [.operationsRead, .consoleOpen]))
        } _: { _, browser in
            try await browser.signIn("viewer")
            let parts = try await browser.get("/console/webhooks?fragment=all").text
            #expect(parts.contains("lacks the scope webhooks:write") && !parts.contains("viewer"))
        }
    }

    @Test func `have the number of the last change before they were made`() async throws {
        try await `The console`.run { _, browser in
            try await browser.signIn()
            let page = try await browser.get("/console/notifications").text
            #expect(page.contains("data-topics=\"inbox\"") && !page.contains("data-since=\"\""))
            #expect(page.contains("data-since=\""))
        }
    }

    /// The topics that a page follows.
    private static func topics(_ page: Browser.Page) -> String? {
        page.text.firstMatch(of: /data-topics="([^"]*)"/).map { String($0.1) }
    }

    @Test func `follow what they show, and nothing where that stays as it is`() async throws {
        let webhook = World.webhook("backend", "http://127.0.0.1:1/")
        try await `The console`.run({ configuration in
            configuration.webhooks = [webhook]
            configuration.apps[0].consumption = ConsumptionPolicy()
        }) { world, browser in
            let anna = try await world.subscriber("anna")
            let kim = UUID().uuidString.lowercased()
            try await world.simulator.perform(
                .purchase(
                    customer: "kim", product: "com.example.coins.100",
                    appAccountToken: AppAccountToken(UUID(uuidString: kim))))
            let asked = try #require(try await world.simulator.perform(.requestRefund(customer: "kim")).transactionID)
            try await world.settle()
            try await browser.signIn()
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            for (path, topics) in [
                ("customers/\(anna)/explain/premium", "customer:\(anna)"),
                ("customers/\(anna)/explain/premium?at=2026-05-28", ""), ("notifications/\(uuid)", ""),
                ("refunds/of?customer=\(kim)&transaction=\(asked)", "inbox"),
                ("refunds/of?customer=\(anna)&transaction=1", ""), ("webhooks", "deliveries,deliveries:backend"),
            ] {
                let page = try await browser.get("/console/\(path)")
                #expect(page.status < 500 && Self.topics(page) == topics, "\(path): \(Self.topics(page) ?? "none")")
            }
            let core = try world.server.core
            let kept = try #require(try await core.storage.notification(uuid))
            try await core.storage.fail(kept.id, code: "bad_signature", message: "a test", at: 0)
            #expect(Self.topics(try await browser.get("/console/notifications/\(uuid)")) == ChangeTopic.inbox)
        }
    }

    /// Looks, and gives the topics that have changed.
    private static func news(_ watch: inout ChangeWatch, _ hub: EventHub) async -> Set<String> {
        let before = hub.lastChange
        await watch.look()
        return Set(hub.news(of: hub.watched, since: before).topics.map { $0.name })
    }

    @Test func `are told of what they show, and of nothing else`() async throws {
        let webhooks = ["one", "two"].map { World.webhook($0, "http://127.0.0.1:1/\($0)") }
        try await `The console`.run({ $0.webhooks = webhooks }) { world, _ in
            let core = try world.server.core
            let (anna, ben) = (try await world.subscriber("anna"), try await world.subscriber("ben"))
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let one = ChangeTopic.deliveries(of: "one")
            hub.expect([
                ChangeTopic.overview, ChangeTopic.inbox, ChangeTopic.recoveries, ChangeTopic.deliveries, one,
                ChangeTopic.customer(anna), ChangeTopic.customer(ben),
            ])
            _ = await Self.news(&watch, hub)
            // Deliveries fail by themselves for a moment.
            var quiet = false
            for _ in 0..<100 where !quiet { quiet = await Self.news(&watch, hub).isEmpty }
            #expect(quiet)

            let token = try #require(UUID(uuidString: anna))
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.yearly", appAccountToken: AppAccountToken(token)),
                in: .production)
            try await world.settle()
            let bought = await Self.news(&watch, hub)
            #expect(bought.isSuperset(of: [ChangeTopic.overview, ChangeTopic.inbox, ChangeTopic.customer(anna)]))
            #expect(!bought.contains(ChangeTopic.customer(ben)) && !bought.contains(ChangeTopic.recoveries))

            _ = try await world.api.send("POST", "/apple/notifications", body: Data("nonsense".utf8))
            await core.refusals.keep()
            #expect(await Self.news(&watch, hub).contains(ChangeTopic.overview))

            let off = Data(#"{"enabled":false}"#.utf8)
            #expect(try await world.api.send("PATCH", "/v1/webhooks/one", body: off).status == 200)
            #expect(await Self.news(&watch, hub).isSuperset(of: [ChangeTopic.deliveries, one, ChangeTopic.overview]))
        }
    }

    @Test func `are told of a purchase that is shared, whichever of its owners they are about`() async throws {
        try await `The console`.run({ $0.apps[0].restorePolicy = .share }) { world, browser in
            let core = try world.server.core
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            try await world.settle()
            let id = try #require(bought.transactionID)
            let texts = try await world.signedTransactions(of: id)
            let body = try JSONSerialization.data(withJSONObject: ["signed_transactions": texts])
            let owners: Set = ["anna", "otto"]
            for owner in owners.sorted() {
                let answer = try await world.api.send("POST", "/v1/customers/\(owner)/purchases", body: body)
                #expect(answer.status == 200)
            }
            let scope = try world.scope().id
            let known = try await core.storage.owners(of: id, in: scope)
            #expect(Set(known) == owners)
            // A link that names both leads to a page that has a link to each.
            try await browser.signIn()
            let found = try await browser.get("/console/customers?q=\(id)").text
            let both = known.joined(separator: ", ")
            let link = try #require(
                found.components(separatedBy: "<bdi>\(both)</bdi>").first?.split(separator: "<").last)
            #expect(link.hasPrefix("a href=\"/console/transactions/\(id)?"))
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let topics = Set(owners.map { ChangeTopic.customer($0) })
            hub.expect(topics.union([ChangeTopic.customer("kim")]))
            _ = await Self.news(&watch, hub)
            #expect(await Self.news(&watch, hub).isEmpty)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.settle()
            let told = await Self.news(&watch, hub)
            #expect(told == topics)
        }
    }

    /// A page that was made in between shows it as pending.
    @Test func `are told of a notification that was processed again between two looks`() async throws {
        try await `The console`.run { world, _ in
            _ = try await world.subscriber("anna")
            try await world.settle()
            let core = try world.server.core
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            hub.expect([ChangeTopic.inbox])
            _ = await Self.news(&watch, hub)
            #expect(await Self.news(&watch, hub).isEmpty)
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let kept = try #require(try await core.storage.notification(uuid))
            try await core.storage.reprocess([kept.id], at: world.simulator.now.milliseconds)
            core.processor.lookAgain()
            await core.processor.settle()
            #expect(try await core.storage.notification(uuid) == kept)
            let told = await Self.news(&watch, hub)
            #expect(told == [ChangeTopic.inbox])
            #expect(await Self.news(&watch, hub).isEmpty)
        }
    }

    /// A page that was made in between shows it as switched off.
    @Test func `are told of an endpoint that was switched off and on again between two looks`() async throws {
        try await `The console`.run({ $0.webhooks = [World.webhook("one", "http://127.0.0.1:1/")] }) { world, _ in
            let core = try world.server.core
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            hub.expect([ChangeTopic.overview])
            _ = await Self.news(&watch, hub)
            // Completeness is read at the fifth look.
            for _ in 0..<5 { _ = await Self.news(&watch, hub) }
            #expect(await Self.news(&watch, hub).isEmpty)
            for isOn in [false, true] {
                let body = Data(#"{"enabled":\#(isOn)}"#.utf8)
                #expect(try await world.api.send("PATCH", "/v1/webhooks/one", body: body).status == 200)
            }
            let told = await Self.news(&watch, hub)
            #expect(told == [ChangeTopic.overview])
        }
    }

    /// Completeness is read at every fifth look: a change just before must not wait for the next one.
    @Test func `are told that something is missing although nothing else changes`() async throws {
        try await `The console`.run { world, _ in
            _ = try await world.subscriber("anna")
            let core = try world.server.core
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            hub.expect([ChangeTopic.recoveries])
            _ = await Self.news(&watch, hub)
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let kept = try #require(try await core.storage.notification(uuid))
            try await core.storage.fail(
                kept.id, code: "bad_signature", message: "a test", at: world.simulator.now.milliseconds)
            var told: Set<String> = []
            for _ in 0..<5 { told.formUnion(await Self.news(&watch, hub)) }
            #expect(told == [ChangeTopic.recoveries])
        }
    }

    @Test func `show a mark that begins a text`() {
        let value = APIValue(json: Data("{\"a\":\"\u{FEFF}t\",\"b\":[\"\u{FEFF}\",\"x\u{FEFF}\"]}".utf8))
        #expect(value["a"].text == "\u{FEFF}t")
        #expect(value["b"].items.map(\.text) == ["\u{FEFF}", "x\u{FEFF}"])
    }

    @Test func `show decimals as numbers`() {
        let value = APIValue(json: Data(#"{"a":0.1,"b":12345678901234,"c":9.99,"d":true}"#.utf8))
        #expect(value["a"].text == "0.1")
        let pretty = value.pretty
        for line in [#""a" : 0.1,"#, #""b" : 12345678901234"#, #""c" : 9.99"#, #""d" : true"#] {
            #expect(pretty.contains(line), "\(pretty)")
        }
    }

    @Test func `save the audit log with the headers of every page`() async throws {
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
            // Where there is no file, there is a page.
            let refused = try await browser.get("/console/operations/audit.csv?page=x")
            #expect(refused.status == 400 && refused.headers["content-type"]?.hasPrefix("text/html") == true)
            #expect(refused.text.contains("Refused") && !refused.text.contains("retryable"))
        }
    }

    @Test func `are pages where they took too long, and a form whose end nobody knows is not sent twice`() async throws
    {
        try await `The console`.run({ $0.limits.requestTime = .seconds(2) }) { world, browser in
            let anna = try await world.subscriber("anna")
            try await browser.signIn()
            var fields = ["action": "refresh", "id": anna]
            fields["ticket"] = try await browser.post("/console/confirm", fields).hidden("ticket")
            let fault = try world.simulator.add(Fault("route:*", .delay(seconds: 20)))
            let late = try await browser.post("/console/do", fields)
            #expect(late.status == 503 && late.headers["content-type"] == "text/html; charset=utf-8")
            try world.simulator.removeFault(fault)
            // The ticket stays used: who sends the form again is told to look.
            let again = try await browser.post("/console/do", fields)
            #expect(again.status == 503 && again.text.contains("Look before you do it again"))
        }
    }
}
