import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

extension World {
    /// Returns a client that uses the public key of an app and a token of the customer.
    func appClient(for customer: String) -> TestAPIClient {
        let iat = Int64(World.start.timeIntervalSince1970)
        let now = Int64(simulator.now.timeIntervalSince1970)
        return TestAPIClient(
            url: url, key: TestAPIClient.publicKey,
            token: TestAPIClient.token(
                claims: #"{"sub":"\#(customer)","iat":\#(max(iat, now)),"exp":\#(max(iat, now) + 3600)}"#))
    }

    /// Returns the app transaction of the Apple account that made this purchase.
    func appTransaction(of transactionID: String) async throws -> String {
        try await appStoreClient().appTransaction(of: transactionID).signedAppTransactionInfo
    }
}

extension TestAPIClient {
    func post(_ path: String, _ body: [String: Any]) async throws -> Response {
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
        try await world.waitUntilIdle()
        return try #require(outcome.transactionID)
    }

    /// Requests the signature with the backend's key.
    private func sign(
        _ world: World, _ customer: some CustomStringConvertible, _ product: String, _ more: [String: Any] = [:]
    ) async throws -> TestAPIClient.Response {
        try await world.api.post(
            "/v1/customers/\(customer)/offers/introductory",
            ["product_id": product, "allow": true].merging(more) { $1 })
    }

    @Test func `An introductory offer is refused for another product of the group in which a trial was used`()
        async throws
    {
        try await World.withAPI { world in
            let (anna, ben) = (UUID(), UUID())
            let trial = try await buy(world, "anna", Self.monthly, anna)
            // The server learns the yearly product's group from another customer's purchase.
            _ = try await buy(world, "ben", Self.yearly, ben)
            let refused = try await sign(world, anna, Self.yearly)
            #expect(refused.status == 409 && refused["code"] as? String == "not_eligible")
            // The same Apple account with another account token, identified by its app transaction.
            let text = try await world.appTransaction(of: trial)
            let other = try await sign(world, UUID(), Self.yearly, ["app_transaction": text])
            #expect(other.status == 409 && other["code"] as? String == "not_eligible")
            // Another group, which is known from a purchase.
            _ = try await buy(world, "ben", Self.news, ben)
            #expect(try await sign(world, anna, Self.news).status == 200)
            // A customer without purchases is eligible in every group.
            let otto = try await sign(world, "otto", Self.yearly, ["transaction_id": "704000000000000001"])
            #expect(otto.status == 200)
            #expect(try await sign(world, anna, Self.yearly, ["force": true]).status == 200)
        }
    }

    @Test func `An introductory offer is refused if the product's group is neither known nor configured`() async throws
    {
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

    @Test func `A public key gets an introductory offer only with the app transaction of an eligible account`()
        async throws
    {
        try await World.withAPI { world in
            let (anna, second) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
            let trial = try await buy(world, "anna", Self.monthly, UUID(uuidString: anna))
            let unlock = try await buy(world, "ben", "com.example.unlock", UUID(uuidString: second))
            let yearly: [String: Any] = ["product_id": Self.yearly, "allow": true]
            func requestSignature(_ customer: String, _ more: [String: Any] = [:]) async throws
                -> TestAPIClient.Response
            {
                try await world.appClient(for: customer).post(
                    "/v1/customers/\(customer)/offers/introductory", yearly.merging(more) { $1 })
            }
            let unproven = try await requestSignature(second, ["transaction_id": "704000000000000001"])
            #expect(unproven.status == 403 && unproven["code"] as? String == "app_transaction_required")
            let hers = try await world.appTransaction(of: trial)
            let his = try await world.appTransaction(of: unlock)
            // No customer has bought the product yet.
            let unknown = try await requestSignature(second, ["app_transaction": his])
            #expect(unknown.status == 409 && unknown["code"] as? String == "unknown_group")
            _ = try await buy(world, "carl", Self.yearly, UUID())
            // A second account of the app on the Apple account with the trial.
            let farmed = try await requestSignature(second, ["app_transaction": hers])
            #expect(farmed.status == 409 && farmed["code"] as? String == "not_eligible")
            // The app transaction and the transaction ID belong to different Apple accounts.
            let mixed = try await requestSignature(second, ["app_transaction": his, "transaction_id": trial])
            #expect(mixed.status == 409 && mixed["code"] as? String == "not_the_customers")
            let signed = try await requestSignature(second, ["app_transaction": his])
            #expect(signed.status == 200)
            #expect(signed["transaction_id"] as? String != trial)
            // The server did not receive the notification and requests the history from the App Store.
            try world.simulator.add(Fault("notification:*", .drop))
            _ = try await buy(world, "ben", Self.monthly)
            try await world.simulator.advance(by: 120)
            let quiet = try await requestSignature(second, ["app_transaction": his])
            #expect(quiet.status == 409 && quiet["code"] as? String == "not_eligible")
        }
    }

    @Test func `A public key needs an app transaction if only a receipt made the Apple account known`() async throws {
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true }, server: { TestAPIClient.configure(&$0) }
        ) { world in
            let anna = UUID().uuidString.lowercased()
            _ = try await buy(world, "anna", "com.example.unlock", UUID(uuidString: anna))
            _ = try await buy(world, "carl", Self.yearly, UUID())
            let receipt = ["receipt": try world.simulator.receipt(of: "anna")]
            let reported = try await world.api.post("/v1/customers/\(anna)/purchases", receipt)
            #expect(reported.status == 200, "\(reported.text)")
            let (storage, appEnvironment) = (try world.server.core.storage, try world.appEnvironment())
            try #require(try await storage.accounts(of: anna, in: appEnvironment.id).count == 1)
            let answer = try await world.appClient(for: anna).post(
                "/v1/customers/\(anna)/offers/introductory", ["product_id": Self.yearly, "allow": true])
            #expect(answer.status == 403 && answer.code == "app_transaction_required", "\(answer.text)")
        }
    }

    @Test func `A public key gets no introductory offer while an item of the account's history fails verification`()
        async throws
    {
        try await World.withAPI { world in
            let ben = UUID().uuidString.lowercased()
            let unlock = try await buy(world, "ben", "com.example.unlock", UUID(uuidString: ben))
            _ = try await buy(world, "carl", Self.yearly, UUID())
            let text = try await world.appTransaction(of: unlock)
            func requestSignature() async throws -> TestAPIClient.Response {
                try await world.appClient(for: ben).post(
                    "/v1/customers/\(ben)/offers/introductory",
                    ["product_id": Self.yearly, "allow": true, "app_transaction": text])
            }
            // The server learns of the trial only from the App Store's answers.
            try world.simulator.add(Fault("notification:*", .drop))
            _ = try await buy(world, "ben", Self.monthly)
            let faults = try ["transaction-history", "subscription-statuses"].map {
                try world.simulator.add(Fault("route:\($0)", .invalidSignature))
            }
            let unknown = try await requestSignature()
            #expect(unknown.status == 503 && unknown["code"] as? String == "history_unknown")
            for fault in faults { try world.simulator.removeFault(fault) }
            try await world.simulator.advance(by: 61)
            let known = try await requestSignature()
            #expect(known.status == 409 && known["code"] as? String == "not_eligible")
        }
    }
}

@Suite struct `Offers and consent with a public key` {
    private static let monthly = "com.example.premium.monthly"

    @Test func `A public key gets only the configured promotional offers, for the customer's own account`() async throws
    {
        try await World.withAPI(server: { $0.apps[0].publicOffers = ["save20"] }) { world in
            let anna = try await world.subscribe("anna")
            let ben = try await world.subscribe("ben")
            let path = "/v1/customers/\(anna)/offers/promotional"
            let api = world.appClient(for: anna)
            let offer: [String: Any] = ["product_id": Self.monthly, "offer_id": "save20"]
            #expect(try await api.post(path, offer).status == 200)
            let other = try await api.post(path, offer.merging(["offer_id": "comeback"]) { $1 })
            #expect(other.status == 403 && other["code"] as? String == "offer_not_public")
            let unknown = try await api.post(path, offer.merging(["transaction_id": "704000000000000001"]) { $1 })
            #expect(unknown.status == 409 && unknown["code"] as? String == "not_the_customers")
            for kind in ["promotional", "introductory"] {
                let forced = try await api.post(
                    "/v1/customers/\(anna)/offers/\(kind)", offer.merging(["allow": true, "force": true]) { $1 })
                #expect(forced.status == 403 && forced["param"] as? String == "force", "\(kind)")
            }
            // In the original format, the account token defaults to the customer's.
            let original = offer.merging(["format": "original"]) { $1 }
            #expect(try await api.post(path, original)["app_account_token"] as? String == anna)
            let stolen = try await api.post(path, original.merging(["app_account_token": ben]) { $1 })
            #expect(stolen.status == 403 && stolen["param"] as? String == "app_account_token")
            #expect(try await world.api.post(path, offer.merging(["offer_id": "comeback"]) { $1 }).status == 200)
        }
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let none = try await world.appClient(for: anna).post(
                "/v1/customers/\(anna)/offers/promotional", ["product_id": Self.monthly, "offer_id": "save20"])
            #expect(none.status == 403 && none["code"] as? String == "offer_not_public")
        }
    }

    @Test func `A public key may report consent and no other usage data`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna", product: "com.example.coins.100")
            let (api, path) = (world.appClient(for: anna), "/v1/customers/\(anna)/usage")
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
