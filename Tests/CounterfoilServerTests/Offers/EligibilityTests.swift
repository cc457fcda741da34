@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

extension World {
    /// Asks with the key that is shipped in an app, for a customer.
    func app(for customer: String) -> Asker {
        let iat = Int64(World.start.timeIntervalSince1970)
        let now = Int64(simulator.now.timeIntervalSince1970)
        return Asker(
            url: url, key: Asker.publicKey,
            token: Asker.token(
                claims: #"{"sub":"\#(customer)","iat":\#(max(iat, now)),"exp":\#(max(iat, now) + 3600)}"#))
    }

    /// `AppTransaction.shared` of whoever bought this.
    func appTransaction(of transactionID: String) async throws -> String {
        try await store().appTransaction(of: transactionID).signedAppTransactionInfo
    }
}

extension Asker {
    func post(_ path: String, _ body: [String: Any]) async throws -> Answer {
        try await send("POST", path, body: try JSONSerialization.data(withJSONObject: body))
    }
}

@Suite struct `An introductory offer is signed` {
    private static let monthly = "com.example.premium.monthly"
    private static let yearly = "com.example.premium.yearly"
    private static let news = "com.example.news.monthly"

    private func buy(_ world: World, _ customer: String, _ product: String, _ token: UUID? = nil) async throws -> String
    {
        let outcome = try await world.simulator.perform(
            .purchase(customer: customer, product: product, appAccountToken: AppAccountToken(token)))
        try await world.settle()
        return try #require(outcome.transactionID)
    }

    /// Has it signed for a backend.
    private func sign(
        _ world: World, _ customer: some CustomStringConvertible, _ product: String, _ more: [String: Any] = [:]
    ) async throws -> Asker.Answer {
        try await world.api.post(
            "/v1/customers/\(customer)/offers/introductory",
            ["product_id": product, "allow": true].merging(more) { $1 })
    }

    @Test func `not for another product of the group that a trial runs in`() async throws {
        try await World.withAPI { world in
            let (anna, ben) = (UUID(), UUID())
            let trial = try await buy(world, "anna", Self.monthly, anna)
            // Somebody has bought the other one, so its group is known.
            _ = try await buy(world, "ben", Self.yearly, ben)
            let refused = try await sign(world, anna, Self.yearly)
            #expect(refused.status == 409 && refused["code"] as? String == "not_eligible")
            // The same Apple account under another name in the app, by its app transaction.
            let text = try await world.appTransaction(of: trial)
            let other = try await sign(world, UUID(), Self.yearly, ["app_transaction": text])
            #expect(other.status == 409 && other["code"] as? String == "not_eligible")
            // Another group, which somebody has bought in.
            _ = try await buy(world, "ben", Self.news, ben)
            #expect(try await sign(world, anna, Self.news).status == 200)
            // Who has nothing is new in every group.
            let otto = try await sign(world, "otto", Self.yearly, ["transaction_id": "704000000000000001"])
            #expect(otto.status == 200)
            #expect(try await sign(world, anna, Self.yearly, ["force": true]).status == 200)
        }
    }

    @Test func `not for a product of a group that nobody knows, unless the configuration does`() async throws {
        try await World.withAPI { world in
            let anna = UUID()
            _ = try await buy(world, "anna", Self.monthly, anna)
            let refused = try await sign(world, anna, Self.yearly)
            #expect(refused.status == 409 && refused["code"] as? String == "unknown_group")
        }
        try await World.withAPI(server: {
            $0.apps[0].catalogue.groups = [Self.yearly: "20000001", Self.news: "20000002"]
        }) { world in
            let anna = UUID()
            _ = try await buy(world, "anna", Self.monthly, anna)
            let refused = try await sign(world, anna, Self.yearly)
            #expect(refused.status == 409 && refused["code"] as? String == "not_eligible")
            #expect(try await sign(world, anna, Self.news).status == 200)
        }
    }

    @Test func `to a key of an app only for an Apple account that is proven`() async throws {
        try await World.withAPI { world in
            let (anna, second) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
            let trial = try await buy(world, "anna", Self.monthly, UUID(uuidString: anna))
            let unlock = try await buy(world, "ben", "com.example.unlock", UUID(uuidString: second))
            let yearly: [String: Any] = ["product_id": Self.yearly, "allow": true]
            func ask(_ customer: String, _ more: [String: Any] = [:]) async throws -> Asker.Answer {
                try await world.app(for: customer).post(
                    "/v1/customers/\(customer)/offers/introductory", yearly.merging(more) { $1 })
            }
            let unproven = try await ask(second, ["transaction_id": "704000000000000001"])
            #expect(unproven.status == 403 && unproven["code"] as? String == "app_transaction_required")
            let hers = try await world.appTransaction(of: trial)
            let his = try await world.appTransaction(of: unlock)
            // Nobody has bought the product yet.
            let unknown = try await ask(second, ["app_transaction": his])
            #expect(unknown.status == 409 && unknown["code"] as? String == "unknown_group")
            _ = try await buy(world, "carl", Self.yearly, UUID())
            // A second account of the app on the device with the trial.
            let farmed = try await ask(second, ["app_transaction": hers])
            #expect(farmed.status == 409 && farmed["code"] as? String == "not_eligible")
            // One account is proven, and the signature would be for another.
            let mixed = try await ask(second, ["app_transaction": his, "transaction_id": trial])
            #expect(mixed.status == 409 && mixed["code"] as? String == "not_the_customers")
            let signed = try await ask(second, ["app_transaction": his])
            #expect(signed.status == 200)
            #expect(signed["transaction_id"] as? String != trial)
            // What the server was never told, the App Store tells.
            try world.simulator.add(Fault("notification:*", .drop))
            _ = try await buy(world, "ben", Self.monthly)
            try await world.simulator.advance(by: 120)
            let quiet = try await ask(second, ["app_transaction": his])
            #expect(quiet.status == 409 && quiet["code"] as? String == "not_eligible")
        }
    }
}

@Suite struct `A key that is shipped in an app` {
    private static let monthly = "com.example.premium.monthly"

    @Test func `has only those promotional offers signed that the configuration names`() async throws {
        try await World.withAPI(server: { $0.apps[0].publicOffers = ["save20"] }) { world in
            let anna = try await world.subscriber("anna")
            let ben = try await world.subscriber("ben")
            let path = "/v1/customers/\(anna)/offers/promotional"
            let api = world.app(for: anna)
            let offer: [String: Any] = ["product_id": Self.monthly, "offer_id": "save20"]
            #expect(try await api.post(path, offer).status == 200)
            let other = try await api.post(path, offer.merging(["offer_id": "comeback"]) { $1 })
            #expect(other.status == 403 && other["code"] as? String == "offer_not_public")
            let unknown = try await api.post(path, offer.merging(["transaction_id": "704000000000000001"]) { $1 })
            #expect(unknown.status == 409 && unknown["code"] as? String == "not_the_customers")
            // In the original format the account token is the customer's, said or not.
            let original = offer.merging(["format": "original"]) { $1 }
            #expect(try await api.post(path, original)["app_account_token"] as? String == anna)
            let stolen = try await api.post(path, original.merging(["app_account_token": ben]) { $1 })
            #expect(stolen.status == 403 && stolen["param"] as? String == "app_account_token")
            #expect(try await world.api.post(path, offer.merging(["offer_id": "comeback"]) { $1 }).status == 200)
        }
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna")
            let none = try await world.app(for: anna).post(
                "/v1/customers/\(anna)/offers/promotional", ["product_id": Self.monthly, "offer_id": "save20"])
            #expect(none.status == 403 && none["code"] as? String == "offer_not_public")
        }
    }

    @Test func `reports consent and nothing else about a refund`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna", product: "com.example.coins.100")
            let (api, path) = (world.app(for: anna), "/v1/customers/\(anna)/usage")
            let frauds: [[String: Any]] = [
                ["delivery_status": "UNDELIVERED_OTHER"], ["sample_content_provided": false],
                ["product_id": "com.example.coins.100", "consumption_percentage": 0],
                ["transaction_id": "1", "consumption_percentage": 0],
            ]
            for fraud in frauds {
                let refused = try await api.post(path, fraud.merging(["customer_consented": true]) { $1 })
                #expect(refused.status == 403 && refused["code"] as? String == "forbidden")
                #expect(fraud[refused["param"] as? String ?? ""] != nil)
                #expect(try await world.api.post(path, fraud).status == 204)
            }
            #expect(try await api.post(path, ["customer_consented": true]).status == 204)
        }
    }
}
