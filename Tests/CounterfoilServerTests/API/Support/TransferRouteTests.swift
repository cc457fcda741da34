import CounterfoilServer
import Foundation
import Ledger
import LedgerServices
import StoreSimulator
import Testing

/// `POST /v1/customers/{id}/purchases/{transaction}/transfer`.
@Suite("Purchases transferred by support") struct TransferRouteTests {
    /// Makes a customer subscribe with an app account token. Returns the customer and the original transaction.
    static func bought(_ world: World) async throws -> (customer: String, original: String) {
        let customer = try await world.subscribe("anna")
        let answer = try await world.api.get("/v1/customers/\(customer)")
        let subscriptions = answer["subscriptions"] as? [[String: Any]]
        return (customer, try #require(subscriptions?.first?["original_transaction_id"] as? String))
    }

    static func hasAccess(_ world: World, _ customer: String) async throws -> Bool {
        let answer = try await world.api.get("/v1/customers/\(customer)/entitlements/premium")
        return try #require(answer["is_active"] as? Bool, "\(answer.text)")
    }

    @Test(arguments: RestorePolicy.allCases)
    func `A transfer by support moves a purchase under every restore policy`(_ policy: RestorePolicy) async throws {
        try await World.withAPI(server: { $0.apps[0].restorePolicy = policy }) { world in
            let (anna, original) = try await Self.bought(world)
            let path = "/v1/customers/ben/purchases/\(original)/transfer"
            let answer = try await world.api.post(path, ["reason": "ticket 4711"])
            #expect(answer.status == 200 && answer["id"] as? String == "ben", "\(answer.text)")
            #expect(try await Self.hasAccess(world, "ben"))
            #expect(try await !Self.hasAccess(world, anna))
            let events = try await world.api.get("/v1/events").items
            let transfers = events.filter { $0["type"] as? String == "purchase.transferred" }
            #expect(transfers.count == 1)
            let sentences = try await world.api.get("/v1/customers/\(anna)/timeline").items
                .compactMap { $0["sentence"] as? String }
            #expect(sentences.contains { $0.contains("was transferred to the customer ben") }, "\(sentences)")
            // Repeating the transfer changes nothing.
            #expect(try await world.api.post(path, ["reason": "again"]).status == 200)
            #expect(try await world.api.get("/v1/events").items.count == events.count)
            await (try world.server).core.audit.flush()
            let entry = try #require(
                try await world.api.get("/v1/audit").items.last {
                    ($0["action"] as? String)?.hasSuffix("/transfer") == true
                })
            #expect(entry["detail"] as? String == "\(original): ticket 4711" && entry["target"] as? String == "ben")
        }
    }

    @Test func `A transfer by support leaves a shared purchase with one customer`() async throws {
        try await World.withAPI(server: { $0.apps[0].restorePolicy = .share }) { world in
            let (anna, original) = try await Self.bought(world)
            let texts = try await world.signedTransactions(of: original)
            let shared = try await world.api.post(
                "/v1/customers/ben/purchases", ["signed_transactions": texts, "restore": true])
            #expect(shared.status == 200, "\(shared.text)")
            for customer in [anna, "ben"] { #expect(try await Self.hasAccess(world, customer), "\(customer)") }
            let path = "/v1/customers/\(anna)/purchases/\(original)/transfer"
            #expect(try await world.api.post(path, ["reason": "ticket 4711"]).status == 200)
            #expect(try await Self.hasAccess(world, anna))
            #expect(try await !Self.hasAccess(world, "ben"))
            let event = try #require(
                try await world.api.get("/v1/events").items.last { $0["type"] as? String == "purchase.transferred" })
            let details = (event["data"] as? [String: Any])?["details"] as? [String: Any]
            #expect(details?["from"] as? [String] == ["ben"] && details?["to"] as? [String] == [anna], "\(event)")
        }
    }

    @Test func `A transfer or merge with an invalid nonce changes nothing`() async throws {
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

    @Test func `A transfer refused for its nonce can be repeated with the same idempotency key`() async throws {
        try await World.withAPI { world in
            let (anna, original) = try await Self.bought(world)
            func transfer(_ nonce: String) async throws -> TestAPIClient.Response {
                try await world.api.send(
                    "POST", "/v1/customers/ben/purchases/\(original)/transfer", body: Data(#"{"reason":"x"}"#.utf8),
                    headers: [("Counterfoil-Nonce", nonce), ("Idempotency-Key", "one")])
            }
            #expect(try await transfer("short").code == "invalid_nonce")
            #expect(try await transfer("a-nonce-that-is-long-enough").status == 200)
            #expect(try await Self.hasAccess(world, "ben"))
            #expect(try await !Self.hasAccess(world, anna))
        }
    }

    @Test func `A transfer requires a reason, a known purchase and the scope customers:transfer`() async throws {
        try await World.withAPI { configuration in
            let scopes = Set(APIScope.all).subtracting([.customersTransfer])
            configuration.keys.append(.init(name: "others", hash: APIKeyText.hash(of: "others"), scopes: scopes))
        } _: { world in
            let (anna, original) = try await Self.bought(world)
            let path = "/v1/customers/ben/purchases/\(original)/transfer"
            for body in [[:], ["reason": " "], ["reason": String(repeating: "x", count: 501)], ["because": "x"]] {
                #expect(try await world.api.post(path, body).status == 400, "\(body)")
            }
            for reason in [" ", "two\nlines", "\u{1B}[2Jhidden", "left\u{202E}right"] {
                let refused = try await world.api.post(path, ["reason": reason])
                #expect(refused.status == 400 && refused.code == "invalid_reason", "\(reason): \(refused.text)")
            }
            let unknown = try await world.api.post("/v1/customers/ben/purchases/1/transfer", ["reason": "x"])
            #expect(unknown.status == 404 && unknown["param"] as? String == "transaction")
            let other = TestAPIClient(url: world.url, key: "others", token: nil)
            let refused = try await other.post(path, ["reason": "x"])
            #expect(refused.status == 403 && refused.text.contains("customers:transfer"))
            #expect(try await world.appClient(for: "ben").post(path, ["reason": "x"]).status == 403)
            #expect(try await Self.hasAccess(world, anna))
            #expect(try await !Self.hasAccess(world, "ben"))
        }
    }
}
