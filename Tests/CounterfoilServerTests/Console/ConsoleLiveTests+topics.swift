import AppStoreModels
import Foundation
import Ledger
import StoreSimulator
import Testing

@testable import CounterfoilServer
@testable import LedgerServices
@testable import WebConsole

// The topics of pages and of changes.
extension `Live updates of console pages` {
    @Test func `A page with topics has the number of the last change before it was rendered`() async throws {
        try await `The console`.run { world, browser in
            try await browser.signIn()
            let changes = try world.server.core.changes
            for _ in 0..<3 {
                changes.publish(ChangeTopic.inbox)
                let before = changes.lastChange
                let page = try await browser.get("/console/notifications")
                let after = changes.lastChange
                #expect(Self.topics(page) == ChangeTopic.inbox)
                let since = try #require(page.text.firstMatch(of: /data-since="([0-9]+)"/).flatMap { Int($0.1) })
                // The server may publish other changes meanwhile.
                #expect((before...after).contains(since))
            }
        }
    }

    /// The topics that a page subscribes to.
    private static func topics(_ page: Browser.Page) -> String? {
        page.text.firstMatch(of: /data-topics="([^"]*)"/).map { String($0.1) }
    }

    @Test func `A page subscribes to the topics of its contents, and to none if they cannot change`() async throws {
        let webhook = World.webhook("backend", "http://127.0.0.1:1/")
        try await `The console`.run({ configuration in
            configuration.webhooks = [webhook]
            configuration.apps[0].consumption = ConsumptionPolicy()
        }) { world, browser in
            let anna = try await world.subscribe("anna")
            let kim = UUID().uuidString.lowercased()
            try await world.simulator.perform(
                .purchase(
                    customer: "kim", product: "com.example.coins.100",
                    appAccountToken: AppAccountToken(UUID(uuidString: kim))))
            let transaction = try #require(
                try await world.simulator.perform(.requestRefund(customer: "kim")).transactionID)
            try await world.waitUntilIdle()
            try await browser.signIn()
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            for (path, topics) in [
                ("customers/\(anna)/explain/premium", "customer:\(anna)"),
                ("customers/\(anna)/explain/premium?at=2026-05-28", ""), ("notifications/\(uuid)", ""),
                ("refunds/of?customer=\(kim)&transaction=\(transaction)", "inbox"),
                ("refunds/of?customer=\(anna)&transaction=1", ""), ("webhooks", "deliveries,deliveries:backend"),
            ] {
                let page = try await browser.get("/console/\(path)")
                #expect(page.status < 500 && Self.topics(page) == topics, "\(path): \(Self.topics(page) ?? "none")")
            }
            let core = try world.server.core
            let stored = try #require(try await core.storage.notification(uuid))
            try await core.storage.failProcessed(stored.id, code: "bad_signature", message: "a test")
            #expect(Self.topics(try await browser.get("/console/notifications/\(uuid)")) == ChangeTopic.inbox)
        }
    }

    /// Polls once and returns the topics that have changed.
    private static func changedTopics(_ watch: inout ChangeWatch, _ hub: EventHub) async -> Set<String> {
        let before = hub.lastChange
        await watch.poll()
        return Set(hub.changedTopics(of: hub.watched, since: before).topics.map { $0.name })
    }

    @Test func `A change is published on the topics that it concerns and not on those of others`() async throws {
        let webhooks = ["one", "two"].map { World.webhook($0, "http://127.0.0.1:1/\($0)") }
        try await `The console`.run({ $0.webhooks = webhooks }) { world, _ in
            let core = try world.server.core
            let (anna, ben) = (try await world.subscribe("anna"), try await world.subscribe("ben"))
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let one = ChangeTopic.deliveries(of: "one")
            let stream = hub.open([
                ChangeTopic.overview, ChangeTopic.inbox, ChangeTopic.recoveries, ChangeTopic.deliveries, one,
                ChangeTopic.customer(anna), ChangeTopic.customer(ben),
            ])
            defer { stream?.close() }
            _ = await Self.changedTopics(&watch, hub)
            // The endpoints refuse connections, so that deliveries keep failing for a moment.
            var quiet = false
            for _ in 0..<100 where !quiet { quiet = await Self.changedTopics(&watch, hub).isEmpty }
            #expect(quiet)

            let token = try #require(UUID(uuidString: anna))
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.yearly", appAccountToken: AppAccountToken(token)),
                in: .production)
            try await world.waitUntilIdle()
            let bought = await Self.changedTopics(&watch, hub)
            #expect(bought.isSuperset(of: [ChangeTopic.overview, ChangeTopic.inbox, ChangeTopic.customer(anna)]))
            #expect(!bought.contains(ChangeTopic.customer(ben)) && !bought.contains(ChangeTopic.recoveries))

            _ = try await world.api.send("POST", "/apple/notifications", body: Data("nonsense".utf8))
            _ = try await world.refusals()
            #expect(await Self.changedTopics(&watch, hub).contains(ChangeTopic.overview))

            let off = Data(#"{"enabled":false}"#.utf8)
            #expect(try await world.api.send("PATCH", "/v1/webhooks/one", body: off).status == 200)
            #expect(
                await Self.changedTopics(&watch, hub).isSuperset(of: [
                    ChangeTopic.deliveries, one, ChangeTopic.overview,
                ]))
        }
    }

    @Test func `A change of a shared purchase is published on the topics of all its owners`() async throws {
        try await `The console`.run({ $0.apps[0].restorePolicy = .share }) { world, browser in
            let core = try world.server.core
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly", appAccountToken: .absent))
            try await world.waitUntilIdle()
            let id = try #require(bought.transactionID)
            let texts = try await world.signedTransactions(of: id)
            let body = try JSONSerialization.data(withJSONObject: ["signed_transactions": texts])
            let owners: Set = ["anna", "otto"]
            for owner in owners.sorted() {
                let answer = try await world.api.send("POST", "/v1/customers/\(owner)/purchases", body: body)
                #expect(answer.status == 200)
            }
            let scope = try world.appEnvironment().id
            let known = try await core.storage.owners(of: id, in: scope)
            #expect(Set(known) == owners)
            // A search result with both owners links to the transaction, whose page links to each of them.
            try await browser.signIn()
            let found = try await browser.get("/console/customers?q=\(id)").text
            let both = known.joined(separator: ", ")
            let link = try #require(
                found.components(separatedBy: "<bdi>\(both)</bdi>").first?.split(separator: "<").last)
            #expect(link.hasPrefix("a href=\"/console/transactions/\(id)?"))
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let topics = Set(owners.map { ChangeTopic.customer($0) })
            let stream = hub.open(topics.union([ChangeTopic.customer("kim")]))
            defer { stream?.close() }
            _ = await Self.changedTopics(&watch, hub)
            #expect(await Self.changedTopics(&watch, hub).isEmpty)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let changed = await Self.changedTopics(&watch, hub)
            #expect(changed == topics)
        }
    }

    /// A page that was rendered meanwhile shows the error, and an event that was read just before may not be published.
    @Test(arguments: [World.LedgerPart.events, .recoveries])
    func `A customer's topic is published once when a part of the ledger is unreadable, and when it is readable again`(
        _ part: World.LedgerPart
    ) async throws {
        try await `The console`.run { world, _ in
            let anna = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let core = try world.server.core
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let topic = ChangeTopic.customer(anna)
            let stream = hub.open([topic, ChangeTopic.recoveries])
            defer { stream?.close() }
            _ = await Self.changedTopics(&watch, hub)
            #expect(await !Self.changedTopics(&watch, hub).contains(topic))
            for _ in 0..<2 {
                try await world.makeUnreadable(part)
                #expect(await Self.changedTopics(&watch, hub).contains(topic))
                #expect(await !Self.changedTopics(&watch, hub).contains(topic))
                try await world.makeReadable(part)
                #expect(await Self.changedTopics(&watch, hub).contains(topic))
            }
        }
    }

    /// The pages that can be read fetched themselves again every second.
    @Test func `Each topic is published once while a part of the ledger is unreadable`() async throws {
        try await `The console`.run { world, _ in
            let anna = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let core = try world.server.core
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let unreadable: Set = [ChangeTopic.recoveries, ChangeTopic.customer(anna)]
            let stream = hub.open(unreadable.union([ChangeTopic.inbox]))
            defer { stream?.close() }
            // Any five polls read the completeness once.
            for _ in 0..<5 { _ = await Self.changedTopics(&watch, hub) }
            for change in [world.makeUnreadable, world.makeReadable] {
                try await change(.recoveries)
                let changed = await Self.changedTopics(&watch, hub)
                #expect(changed == unreadable)
                for _ in 0..<5 {
                    let unchanged = await Self.changedTopics(&watch, hub)
                    #expect(unchanged.isEmpty)
                }
            }
        }
    }

    @Test func `A change is published once on each topic while the owners of purchases are unreadable`() async throws {
        try await `The console`.run { world, _ in
            let anna = try await world.subscribe("anna")
            let core = try world.server.core
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let topics: Set = [ChangeTopic.inbox, ChangeTopic.customer(anna)]
            let stream = hub.open(topics)
            defer { stream?.close() }
            _ = await Self.changedTopics(&watch, hub)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            try await world.makeUnreadable(.claims)
            let changed = await Self.changedTopics(&watch, hub)
            #expect(changed == topics)
            #expect(await Self.changedTopics(&watch, hub).isEmpty)
            try await world.makeReadable(.claims)
            let readable = await Self.changedTopics(&watch, hub)
            #expect(readable == [ChangeTopic.customer(anna)])
        }
    }

    /// A page rendered between the polls shows the notification as pending.
    @Test func `A notification that is reprocessed between two polls is published on the inbox topic`() async throws {
        try await `The console`.run { world, _ in
            _ = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let core = try world.server.core
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let stream = hub.open([ChangeTopic.inbox])
            defer { stream?.close() }
            _ = await Self.changedTopics(&watch, hub)
            #expect(await Self.changedTopics(&watch, hub).isEmpty)
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let stored = try #require(try await core.storage.notification(uuid))
            try await core.storage.reprocess([stored.id], at: world.simulator.now.milliseconds)
            core.processor.rescan()
            try await world.waitUntilIdle()
            #expect(try await core.storage.notification(uuid) == stored)
            let changed = await Self.changedTopics(&watch, hub)
            #expect(changed == [ChangeTopic.inbox])
            #expect(await Self.changedTopics(&watch, hub).isEmpty)
        }
    }

    /// A page rendered between the polls shows the endpoint as disabled.
    @Test func `An endpoint disabled and enabled between two polls is published on the overview topic`() async throws {
        try await `The console`.run({ $0.webhooks = [World.webhook("one", "http://127.0.0.1:1/")] }) { world, _ in
            let core = try world.server.core
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let stream = hub.open([ChangeTopic.overview])
            defer { stream?.close() }
            _ = await Self.changedTopics(&watch, hub)
            // Every fifth poll reads the completeness.
            for _ in 0..<5 { _ = await Self.changedTopics(&watch, hub) }
            #expect(await Self.changedTopics(&watch, hub).isEmpty)
            for isOn in [false, true] {
                let body = Data(#"{"enabled":\#(isOn)}"#.utf8)
                #expect(try await world.api.send("PATCH", "/v1/webhooks/one", body: body).status == 200)
            }
            let changed = await Self.changedTopics(&watch, hub)
            #expect(changed == [ChangeTopic.overview])
        }
    }

    /// Every fifth poll reads the completeness, so that any five polls include such a one.
    @Test func `A failed notification is published on the recoveries topic within five polls`() async throws {
        try await `The console`.run { world, _ in
            _ = try await world.subscribe("anna")
            let core = try world.server.core
            let hub = EventHub()
            var watch = ChangeWatch(core, hub)
            let stream = hub.open([ChangeTopic.recoveries])
            defer { stream?.close() }
            _ = await Self.changedTopics(&watch, hub)
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let stored = try #require(try await core.storage.notification(uuid))
            try await core.storage.failProcessed(
                stored.id, code: "bad_signature", message: "a test", at: world.simulator.now.milliseconds)
            var changed: Set<String> = []
            for _ in 0..<5 { changed.formUnion(await Self.changedTopics(&watch, hub)) }
            #expect(changed == [ChangeTopic.recoveries])
        }
    }
}
