import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

/// Customers whose identifiers are no UUIDs buy with the UUID that their backend names.
@Suite struct `An account token that the backend names` {
    private static let token = UUID()

    private static func app(_ world: World, _ customer: String, names token: String? = token.uuidString) -> Asker {
        let begin = Int64(world.simulator.now.timeIntervalSince1970)
        let named = token.map { #","app_account_token":"\#($0)""# } ?? ""
        let claims = #"{"sub":"\#(customer)","iat":\#(begin),"exp":\#(begin + 3600)\#(named)}"#
        return Asker(url: world.url, key: Asker.publicKey, token: Asker.token(claims: claims))
    }

    /// Buys for the token, and returns the signed transaction.
    private static func buy(_ world: World, _ product: String = "com.example.premium.monthly") async throws -> String {
        let outcome = try await world.simulator.perform(
            .purchase(customer: "anna", product: product, appAccountToken: AppAccountToken(token)))
        let id = try #require(outcome.transactionID)
        return try #require(try await world.signedTransactions(of: id).last)
    }

    private static func report(_ asker: Asker, _ customer: String, _ text: String) async throws -> Asker.Answer {
        let body: [String: Any] = ["signed_transactions": [text], "restore": false]
        return try await asker.send(
            "POST", "/v1/customers/\(customer)/purchases", body: JSONSerialization.data(withJSONObject: body))
    }

    @Test(arguments: [true, false])
    func `makes what was signed for it the customer's, notified before or not`(isNotified: Bool) async throws {
        try await World.withAPI { world in
            if !isNotified { try world.simulator.add(Fault("notification:*", .drop)) }
            let text = try await Self.buy(world)
            try await world.settle()
            let anna = Self.app(world, "anna@example.com")
            let path = "/v1/customers/anna@example.com"
            let before = try await anna.get(path)
            #expect(before["app_account_token"] as? String == Self.token.uuidString.lowercased())
            #expect((before["subscriptions"] as? [Any])?.isEmpty == true)
            let answer = try await Self.report(anna, "anna@example.com", text)
            #expect(answer.status == 200 && (answer["kept"] as? [String])?.count == 1, "\(answer.text)")
            #expect(answer["app_account_token"] as? String == Self.token.uuidString.lowercased())
            #expect((answer["subscriptions"] as? [Any])?.count == 1)
            #expect((try await anna.get(path)["subscriptions"] as? [Any])?.count == 1)
            let token = try await world.api.get("/v1/customers/\(Self.token.uuidString)")
            #expect((token["subscriptions"] as? [Any])?.isEmpty == true)
            // Again, and nothing changes.
            let events = try await world.api.get(path + "/timeline").items.count
            #expect((try await Self.report(anna, "anna@example.com", text)["kept"] as? [String])?.count == 1)
            #expect(try await world.api.get(path + "/timeline").items.count == events)
            // The next purchase too, and no answer to a backend names it.
            let unlock = try await Self.report(
                anna, "anna@example.com", try await Self.buy(world, "com.example.unlock"))
            #expect((unlock["purchases"] as? [Any])?.count == 1)
            #expect(try await world.api.get(path)["app_account_token"] == nil)
        }
    }

    @Test func `is the backend's word alone`() async throws {
        try await World.withAPI { world in
            let text = try await Self.buy(world)
            try await world.settle()
            // A token that names none, or another one, takes nothing.
            for name in [nil, UUID().uuidString] {
                let otto = Self.app(world, "otto", names: name)
                let answer = try await Self.report(otto, "otto", text)
                #expect((answer["kept"] as? [String])?.isEmpty == true, "\(answer.text)")
                #expect((answer["subscriptions"] as? [Any])?.isEmpty == true)
            }
            for name in ["", "anna", Self.token.uuidString + "0"] {
                let answer = try await Self.app(world, "anna", names: name).get("/v1/customers/anna")
                #expect(answer.status == 401 && answer.code == "unauthorized")
            }
            // The customer's own identifier is no other name.
            let own = Self.token.uuidString.lowercased()
            let answer = try await Self.report(Self.app(world, own), own, text)
            #expect((answer["kept"] as? [String])?.count == 1)
        }
    }
}
