import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `API use of a typical backend` {
    @Test func `A backend can read a single entitlement and a single subscription`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let customer = try await world.api.get("/v1/customers/\(anna)")
            let whole = try #require((customer["entitlements"] as? [[String: Any]])?.first)
            let entitlement = try await world.api.get("/v1/customers/\(anna)/entitlements/premium")
            #expect(entitlement["is_active"] as? Bool == true && entitlement["customer"] as? String == anna)
            let until = try #require(whole["until"] as? Int)
            #expect(entitlement["until"] as? Int == until)
            #expect(try await world.api.get("/v1/customers/\(anna)/entitlements/gold").status == 404)
            #expect(try await world.api.get("/v1/customers/ben/entitlements/premium")["is_active"] as? Bool == false)
            let past = try await world.api.get("/v1/customers/\(anna)/entitlements/premium?at=1000")
            #expect(past["is_active"] as? Bool == false)
            let original = try #require(whole["original_transaction_id"] as? String)
            let subscription = try await world.api.get("/v1/subscriptions/\(original)")
            #expect(subscription["has_access"] as? Bool == true && subscription["customers"] as? [String] == [anna])
            #expect(try await world.api.get("/v1/subscriptions/1").status == 404)
            #expect(try await world.api.get("/v1/subscriptions/a%20b").status == 400)
            // A public key sees its customer's subscription; others appear not to exist.
            let own = try await world.appClient(for: anna).get("/v1/subscriptions/\(original)")
            #expect(own.status == 200 && own["customers"] == nil)
            #expect(try await world.appClient(for: "ben").get("/v1/subscriptions/\(original)").status == 404)
        }
    }

    @Test func `A migrated subscription has no access, and its successor has`() async throws {
        try await World.withAPI { world in
            try await world.simulator.trigger(TriggerRequest(.migration))
            try await world.waitUntilIdle()
            let (old, new) = try #require(world.simulator.core.read(.production) { store, _ in store.migrations.first })
            let subscription = try await world.api.get("/v1/subscriptions/\(old)")
            #expect(subscription["has_access"] as? Bool == false && subscription["will_renew"] as? Bool == false)
            #expect(subscription["details"] as? [String] == ["upgraded"], "\(subscription.text)")
            #expect(try await world.api.get("/v1/subscriptions/\(new)")["has_access"] as? Bool == true)
        }
    }

    @Test func `A request repeated with its idempotency key gets the stored answer`() async throws {
        try await World.withAPI { world in
            let path = "/v1/customers/anna/grants"
            let body: [String: Any] = ["entitlement": "premium", "reason": "r", "actor": "a"]
            func post(_ body: [String: Any], key: String, path: String = path) async throws -> TestAPIClient.Response {
                try await world.api.send(
                    "POST", path, body: try JSONSerialization.data(withJSONObject: body, options: .sortedKeys),
                    headers: [("Idempotency-Key", key)])
            }
            let first = try await post(body, key: "one")
            #expect(first.status == 201 && first.headers["idempotent-replayed"] == nil)
            let second = try await post(body, key: "one")
            #expect(second.status == 201 && second.body == first.body)
            #expect(second.headers["idempotent-replayed"] == "true")
            #expect(second.headers["content-type"] == first.headers["content-type"])
            #expect(try await world.api.get(path).items.count == 1)
            let other = try await post(body.merging(["reason": "x"]) { $1 }, key: "one")
            #expect(other.status == 422 && other.code == "idempotency_key_reused")
            #expect(try await post(body, key: "one", path: "/v1/customers/ben/grants").status == 422)
            // Refusals are stored as well.
            let wrong = try await post(["entitlement": "premium"], key: "two")
            #expect(wrong.status == 400)
            #expect(try await post(["entitlement": "premium"], key: "two").body == wrong.body)
            for key in [String(repeating: "k", count: 256), "a b"] {
                #expect(try await post(body, key: key).code == "invalid_idempotency_key")
            }
            let get = try await world.api.send("GET", path, headers: [("Idempotency-Key", "three")])
            #expect(get.code == "invalid_idempotency_key")
            // After a day the key is free for another request.
            try await world.simulator.advance(by: 86_401)
            #expect(try await post(body, key: "one").body != first.body)
            #expect(try await world.api.get(path).items.count == 2)
        }
    }

    @Test func `Idempotency keys are ignored for public API keys`() async throws {
        try await World.withAPI { world in
            let body = Data(#"{"customer_consented":true}"#.utf8)
            for _ in 0..<2 {
                let answer = try await world.appClient(for: "anna").send(
                    "POST", "/v1/customers/anna/usage", body: body, headers: [("Idempotency-Key", "one")])
                #expect((200...299).contains(answer.status), "\(answer.text)")
                #expect(answer.headers["idempotent-replayed"] == nil)
            }
            #expect(try await world.storedRequests() == 0)
        }
    }

    @Test func `Concurrent requests with one idempotency key create one grant`() async throws {
        try await World.withAPI { world in
            let body = Data(#"{"entitlement":"premium","reason":"r","actor":"a"}"#.utf8)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await world.api.send(
                            "POST", "/v1/customers/anna/grants", body: body, headers: [("Idempotency-Key", "k")]
                        ).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.contains(201) && statuses.allSatisfy { $0 == 201 || $0 == 409 })
            #expect(try await world.api.get("/v1/customers/anna/grants").items.count == 1)
        }
    }
}

@Suite struct `The feed of events` {
    private static func feed(_ world: World, _ query: String = "") async throws -> TestAPIClient.Response {
        let answer = try await world.api.get("/v1/events" + query)
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }

    private static func member(_ item: [String: Any], _ name: String) -> String? {
        (item["data"] as? [String: Any])?[name] as? String
    }

    @Test func `The event feed returns the bodies that an endpoint receives, in order and page by page`() async throws {
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await World.withAPI(server: { $0.webhooks = [webhook] }) { world in
                let anna = try await world.subscribe("anna")
                try await world.simulator.perform(.cancel(customer: "anna"))
                try await world.waitUntilIdle()
                _ = try await world.subscribe("ben", in: .sandbox)
                try await world.waitUntilIdle()
                var items: [[String: Any]] = []
                var page = ""
                for _ in 0..<9 {
                    let answer = try await Self.feed(world, "?limit=1" + page)
                    items += answer.items
                    page = "&page=" + (try #require(answer["next_page"] as? String))
                    if answer["has_more"] as? Bool == false { break }
                }
                let types = items.map { $0["type"] as? String }
                #expect(types.count == 3 && types.prefix(2) == ["subscription.started", "subscription.cancelled"])
                #expect(Self.member(try #require(items.first), "customer") == anna)
                try await world.deliverWebhooks()
                let bodies = receiver.take().compactMap { message in
                    (message.json.value as? [String: Any]).map { $0 as NSDictionary }
                }
                #expect(bodies.count == 3 && Set(bodies) == Set(items.map { $0 as NSDictionary }))
                // Without new events the page token stays the same.
                let rest = try await Self.feed(world, "?" + page.dropFirst())
                #expect(rest.items.isEmpty && "&page=" + (rest["next_page"] as? String ?? "") == page)
                #expect(try await Self.feed(world, "?page=end").items.isEmpty)
                #expect(try await Self.feed(world, "?environment=Sandbox").items.count == 1)
                #expect(try await world.api.get("/v1/events?page=x").code == "invalid_page")
                var reader = world.api
                reader.key = TestAPIClient.readerKey
                #expect(try await reader.get("/v1/events").status == 403)
            }
        }
    }

    @Test func `The event feed refuses a page token that is ahead of a restored ledger`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            let before = try #require(try await Self.feed(world)["next_page"] as? String)
            let backup = world.folder.appending(path: "backup.sqlite")
            try world.backUp(to: backup)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let later = try #require(try await Self.feed(world, "?page=\(before)")["next_page"] as? String)
            #expect(try await Self.feed(world, "?page=\(later)").items.isEmpty)
            try await world.stopServer()
            try world.restore(backup)
            try await world.startServer()
            // The next event would get the number of a lost one.
            let ahead = try await world.api.get("/v1/events?page=\(later)")
            #expect(ahead.status == 409 && ahead.code == "page_ahead", "\(ahead.text)")
            // A page of an earlier version is only a number.
            let number = try #require(later.split(separator: ".").first)
            #expect(try await world.api.get("/v1/events?page=\(number)").code == "page_ahead")
            #expect(try await Self.feed(world, "?page=\(before)").items.isEmpty)
            #expect(try await Self.feed(world).items.count == 1)
            try await world.simulator.advance(by: 60)
            try await world.simulator.perform(.resume(customer: "anna"))
            try await world.waitUntilIdle()
            let replaced = try await world.api.get("/v1/events?page=\(later)")
            #expect(replaced.status == 409 && replaced.code == "page_ahead", "\(replaced.text)")
            #expect(try await world.api.get("/v1/events?page=\(number)").status == 200)
            #expect(try await world.api.get("/v1/events?page=\(before)").status == 200)
        }
    }

    @Test func `The event feed repeats events that are newer than an event that arrived late`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            // The App Store cannot reach the server when anna cancels, and can when she comes back.
            let fault = try world.simulator.add(Fault("notification:*", .drop))
            try await world.simulator.perform(.cancel(customer: "anna"))
            try world.simulator.removeFault(fault)
            try await world.simulator.advance(by: 60)
            try await world.simulator.perform(.resume(customer: "anna"))
            try await world.waitUntilIdle()
            let first = try await Self.feed(world)
            #expect(first.items.map { $0["type"] as? String } == ["subscription.started", "subscription.uncancelled"])
            let page = try #require(first["next_page"] as? String)
            try await world.server.core.recovery.runNow()
            try await world.waitUntilIdle()
            let second = try await Self.feed(world, "?page=\(page)")
            #expect(
                second.items.map { $0["type"] as? String } == ["subscription.cancelled", "subscription.uncancelled"])
            let again = try #require(second.items.last)
            #expect(Self.member(again, "repeats") == first.items.last.flatMap { Self.member($0, "id") })
            #expect(Self.member(again, "customer") == anna)
            // A client that starts at the beginning gets every event once and in order.
            let whole = try await Self.feed(world)
            #expect(
                whole.items.map { $0["type"] as? String } == [
                    "subscription.started", "subscription.cancelled", "subscription.uncancelled",
                ])
        }
    }
}
