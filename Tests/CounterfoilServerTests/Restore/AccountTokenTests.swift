import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

/// Tests customers whose identifiers are no UUIDs and whose backend names an app account token in the customer token.
@Suite struct `App account tokens named by the backend` {
    private static let token = UUID()

    private static func app(_ world: World, _ customer: String, names token: String? = token.uuidString)
        -> TestAPIClient
    {
        let issuedAt = Int64(world.simulator.now.timeIntervalSince1970)
        let named = token.map { #","app_account_token":"\#($0)""# } ?? ""
        let claims = #"{"sub":"\#(customer)","iat":\#(issuedAt),"exp":\#(issuedAt + 3600)\#(named)}"#
        return TestAPIClient(url: world.url, key: TestAPIClient.publicKey, token: TestAPIClient.token(claims: claims))
    }

    /// Makes a purchase with the token. Returns the signed transaction.
    private static func buy(_ world: World, _ product: String = "com.example.premium.monthly") async throws -> String {
        let outcome = try await world.simulator.perform(
            .purchase(customer: "anna", product: product, appAccountToken: AppAccountToken(token)))
        let id = try #require(outcome.transactionID)
        return try #require(try await world.signedTransactions(of: id).last)
    }

    private static func report(_ client: TestAPIClient, _ customer: String, _ text: String) async throws
        -> TestAPIClient.Response
    {
        let body: [String: Any] = ["signed_transactions": [text], "restore": false]
        return try await client.send(
            "POST", "/v1/customers/\(customer)/purchases", body: JSONSerialization.data(withJSONObject: body))
    }

    @Test(arguments: [true, false])
    func `A purchase with the customer token's account token becomes the customer's by a report`(isNotified: Bool)
        async throws
    {
        try await World.withAPI { world in
            if !isNotified { try world.simulator.add(Fault("notification:*", .drop)) }
            let text = try await Self.buy(world)
            try await world.waitUntilIdle()
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
            // Repeating the report changes nothing.
            let events = try await world.api.get(path + "/timeline").items.count
            #expect((try await Self.report(anna, "anna@example.com", text)["kept"] as? [String])?.count == 1)
            #expect(try await world.api.get(path + "/timeline").items.count == events)
            // After the next purchase, too. Responses to a backend do not contain the token.
            let unlock = try await Self.report(
                anna, "anna@example.com", try await Self.buy(world, "com.example.unlock"))
            #expect((unlock["purchases"] as? [Any])?.count == 1)
            #expect(try await world.api.get(path)["app_account_token"] == nil)
        }
    }

    @Test func `A report without purchases claims those of the customer token's account token`() async throws {
        try await World.withAPI { world in
            _ = try await Self.buy(world)
            try await world.waitUntilIdle()
            let path = "/v1/customers/anna@example.com"
            let answer = try await Self.app(world, "anna@example.com").post(
                path + "/purchases", ["signed_transactions": [String]()])
            #expect((answer["subscriptions"] as? [Any])?.count == 1, "\(answer.text)")
            #expect((try await world.api.get(path)["subscriptions"] as? [Any])?.count == 1)
        }
    }

    @Test func `An offer in the original format is signed for the customer token's account token`() async throws {
        try await World.withAPI(server: { $0.apps[0].publicOffers = ["save20"] }) { world in
            let customer = "anna@example.com"
            let anna = Self.app(world, customer)
            #expect(try await Self.report(anna, customer, try await Self.buy(world)).status == 200)
            let path = "/v1/customers/\(customer)/offers/promotional"
            let offer: [String: Any] = [
                "product_id": "com.example.premium.monthly", "offer_id": "save20", "format": "original",
            ]
            let signed = try await anna.post(path, offer)
            #expect(signed["app_account_token"] as? String == Self.token.uuidString.lowercased(), "\(signed.text)")
            let unnamed = try await Self.app(world, customer, names: nil).post(path, offer)
            #expect(unnamed.status == 409 && unnamed.code == "no_account_token", "\(unnamed.text)")
        }
    }

    @Test func `Only the account token in the customer token entitles a customer to the purchase`() async throws {
        try await World.withAPI { world in
            let text = try await Self.buy(world)
            try await world.waitUntilIdle()
            // A customer token without an account token, or with another one, does not claim the purchase.
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
            // The customer's own identifier may be the account token.
            let own = Self.token.uuidString.lowercased()
            let answer = try await Self.report(Self.app(world, own), own, text)
            #expect((answer["kept"] as? [String])?.count == 1)
        }
    }
}
