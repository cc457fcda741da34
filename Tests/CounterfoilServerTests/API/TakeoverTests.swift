import CounterfoilServer
import Foundation
import Ledger
import LedgerServices
import StoreSimulator
import Testing

/// `POST /v1/customers/{id}/purchases/{original}/transfer`.
@Suite("A purchase that support gives to a customer") struct TakeoverTests {
    /// A subscription of a customer whom the app named when it was bought.
    static func bought(_ world: World) async throws -> (customer: String, original: String) {
        let customer = try await world.subscriber("anna")
        let answer = try await world.api.get("/v1/customers/\(customer)")
        let subscriptions = answer["subscriptions"] as? [[String: Any]]
        return (customer, try #require(subscriptions?.first?["original_transaction_id"] as? String))
    }

    static func hasAccess(_ world: World, _ customer: String) async throws -> Bool {
        try await world.api.get("/v1/customers/\(customer)/entitlements/premium")["is_active"] as? Bool ?? false
    }

    @Test func `is theirs alone, whatever the restore policy says, and both and the webhooks are told`() async throws {
        try await World.withAPI(server: { $0.apps[0].restorePolicy = .keepOriginal }) { world in
            let (anna, original) = try await Self.bought(world)
            let path = "/v1/customers/ben/purchases/\(original)/transfer"
            let answer = try await world.api.post(path, ["reason": "ticket 4711"])
            #expect(answer.status == 200 && answer["id"] as? String == "ben", "\(answer.text)")
            #expect(try await Self.hasAccess(world, "ben"))
            #expect(try await !Self.hasAccess(world, anna))
            let events = try await world.api.get("/v1/events").items
            let told = events.filter { $0["type"] as? String == "purchase.transferred" }
            #expect(told.count == 1)
            let sentences = try await world.api.get("/v1/customers/\(anna)/timeline").items
                .compactMap { $0["sentence"] as? String }
            #expect(sentences.contains { $0.contains("was transferred to the customer ben") }, "\(sentences)")
            // Doing it again changes nothing.
            #expect(try await world.api.post(path, ["reason": "again"]).status == 200)
            #expect(try await world.api.get("/v1/events").items.count == events.count)
            await (try world.server).core.audit.keep()
            let entry = try #require(
                try await world.api.get("/v1/audit").items.last {
                    ($0["action"] as? String)?.hasSuffix("/transfer") == true
                })
            #expect(entry["detail"] as? String == "\(original): ticket 4711" && entry["target"] as? String == "ben")
        }
    }

    @Test func `stays where it is when the request is refused for its nonce, and so does one that is merged`()
        async throws
    {
        try await World.withAPI { world in
            let (anna, original) = try await Self.bought(world)
            for (path, body) in [
                ("/v1/customers/ben/purchases/\(original)/transfer", ["reason": "x"]),
                ("/v1/customers/ben/merge", ["from": anna]),
            ] {
                let answer = try await world.api.send(
                    "POST", path, body: try JSONSerialization.data(withJSONObject: body),
                    headers: [("Counterfoil-Nonce", "short")])
                #expect(answer.status == 400 && answer.code == "invalid_nonce", "\(answer.text)")
                #expect(try await Self.hasAccess(world, anna), "\(path)")
            }
        }
    }

    @Test func `is theirs when the request is sent again with a nonce that is one, and the same idempotency key`()
        async throws
    {
        try await World.withAPI { world in
            let (anna, original) = try await Self.bought(world)
            func give(_ nonce: String) async throws -> Asker.Answer {
                try await world.api.send(
                    "POST", "/v1/customers/ben/purchases/\(original)/transfer", body: Data(#"{"reason":"x"}"#.utf8),
                    headers: [("Counterfoil-Nonce", nonce), ("Idempotency-Key", "one")])
            }
            #expect(try await give("short").code == "invalid_nonce")
            #expect(try await give("a-nonce-that-is-long-enough").status == 200)
            #expect(try await Self.hasAccess(world, "ben"))
            #expect(try await !Self.hasAccess(world, anna))
        }
    }

    @Test func `needs a reason, a purchase that is known, and a scope of its own`() async throws {
        try await World.withAPI { configuration in
            let scopes = Set(APIScope.all).subtracting([.customersTransfer])
            configuration.keys.append(.init(name: "others", hash: APIKeyText.hash(of: "others"), scopes: scopes))
        } _: { world in
            let (anna, original) = try await Self.bought(world)
            let path = "/v1/customers/ben/purchases/\(original)/transfer"
            for body in [[:], ["reason": " "], ["reason": String(repeating: "x", count: 501)], ["because": "x"]] {
                #expect(try await world.api.post(path, body).status == 400, "\(body)")
            }
            let unknown = try await world.api.post("/v1/customers/ben/purchases/1/transfer", ["reason": "x"])
            #expect(unknown.status == 404 && unknown["param"] as? String == "original")
            let other = Asker(url: world.url, key: "others", token: nil)
            let refused = try await other.post(path, ["reason": "x"])
            #expect(refused.status == 403 && refused.text.contains("customers:transfer"))
            #expect(try await world.app(for: "ben").post(path, ["reason": "x"]).status == 403)
            #expect(try await Self.hasAccess(world, anna))
            #expect(try await !Self.hasAccess(world, "ben"))
        }
    }
}
