import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `A session for an app without a backend` {
    private static let app = TestAPIClient.publicKey

    /// Calls `body` with a world without notifications, so that the server's data comes only from the app.
    private static func run(
        server change: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: (World) async throws -> Void
    ) async throws {
        try await World.withAPI(server: change) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            try await body(world)
        }
    }

    private static func device(
        _ world: World, _ customer: String, _ environment: AppStoreEnvironment = .production
    ) throws -> DeviceContents {
        try world.simulator.core.contents(of: "phone", of: customer, in: environment)
    }

    private static func buy(
        _ world: World, _ customer: String, _ product: String = "com.example.premium.monthly",
        in environment: AppStoreEnvironment = .production
    ) async throws -> String {
        let outcome = try await world.simulator.perform(
            .purchase(customer: customer, product: product, appAccountToken: .absent, device: "phone"),
            in: environment)
        return try #require(outcome.transactionID)
    }

    private static func beginSession(
        _ world: World, _ members: [String: Any], query: String = "", key: String? = app
    ) async throws -> TestAPIClient.Response {
        let body = try JSONSerialization.data(withJSONObject: members)
        return try await TestAPIClient(url: world.url, key: key).send("POST", "/v1/sessions" + query, body: body)
    }

    /// Returns a client with a session of the customer's device, and the customer's identifier.
    private static func session(
        _ world: World, _ customer: String, _ environment: AppStoreEnvironment = .production
    ) async throws -> (TestAPIClient, String) {
        let text = try #require(try device(world, customer, environment).signedAppTransactionInfo)
        let answer = try await beginSession(world, ["customer": UUID().uuidString, "app_transaction": text])
        try #require(answer.status == 200, "\(answer.text)")
        return (
            TestAPIClient(url: world.url, key: app, token: try #require(answer["token"] as? String)),
            try #require(answer["customer"] as? String)
        )
    }

    private static func report(
        _ client: TestAPIClient, _ name: String, _ members: [String: Any]
    ) async throws -> TestAPIClient.Response {
        let body = try JSONSerialization.data(withJSONObject: members)
        return try await client.send("POST", "/v1/customers/\(name)/purchases", body: body)
    }

    @Test func `Sessions of one Apple account on two devices have the same customer and read its purchases`()
        async throws
    {
        try await Self.run { world in
            let id = try await Self.buy(world, "anna")
            let (phone, name) = try await Self.session(world, "anna")
            let texts = try Self.device(world, "anna").all.map(\.signedTransactionInfo)
            let answer = try await Self.report(phone, name, ["signed_transactions": texts])
            #expect(answer.status == 200 && answer["kept"] as? [String] == [id])
            // Another device sends another customer ID and gets the same customer.
            let (tablet, same) = try await Self.session(world, "anna")
            #expect(same == name && UUID(uuidString: name) != nil)
            let read = try await tablet.get("/v1/customers/\(name)")
            #expect((read["entitlements"] as? [[String: Any]])?.first?["is_active"] as? Bool == true)
            let products = try #require(read["product_entitlements"] as? [[String: Any]])
            #expect(products.first?["product_id"] as? String == "com.example.premium.monthly")
            #expect(products.first?["entitlements"] as? [String] == ["premium"])
        }
    }

    @Test func `A session is for one Apple account in one environment, and refuses purchases of others`() async throws {
        try await Self.run { world in
            _ = try await Self.buy(world, "anna")
            _ = try await Self.buy(world, "ben")
            let (anna, annas) = try await Self.session(world, "anna")
            let (_, bens) = try await Self.session(world, "ben")
            #expect(annas != bens)
            #expect(try await anna.get("/v1/customers/\(bens)").status == 403)
            _ = try await Self.buy(world, "anna", in: .sandbox)
            #expect(try await Self.session(world, "anna", .sandbox).1 != annas)
            // A report refuses each transaction of another Apple account by itself.
            let own = try Self.device(world, "anna").all.map(\.signedTransactionInfo)
            let others = try Self.device(world, "ben").all.map(\.signedTransactionInfo)
            let mixed = try await Self.report(anna, annas, ["signed_transactions": own + others])
            #expect(mixed.status == 200 && (mixed["kept"] as? [String])?.count == 1)
            let refused = try #require((mixed["refused"] as? [[String: Any]])?.first)
            #expect(refused["code"] as? String == "other_apple_account" && refused["id"] is String)
            let alone = try await Self.report(anna, annas, ["signed_transactions": others])
            #expect(alone.status == 400 && alone.code == "other_apple_account")
            let app = try #require(try Self.device(world, "ben").signedAppTransactionInfo)
            let foreign = try await Self.report(anna, annas, ["app_transaction": app])
            #expect(foreign.status == 400 && foreign.code == "other_apple_account")
            #expect(foreign["param"] as? String == "app_transaction")
        }
    }

    /// Returns the transaction without its Apple account, as texts were signed before that member existed.
    private static func withoutAppleAccount(_ world: World, _ id: String) throws -> String {
        let stored = world.simulator.core.read(.production) { store, _ in store.transactions[id]?.payload }
        var payload = try #require(stored)
        payload.appTransactionId = nil
        payload.signedDate = payload.purchaseDate
        return try world.simulator.core.authority.signer.sign(payload)
    }

    @Test func `A session cannot claim a transaction that belongs to another known Apple account`() async throws {
        try await Self.run { world in
            let own = try await Self.buy(world, "anna")
            // The server receives the notification of this purchase. No customer claims it.
            try world.simulator.removeFault()
            let other = try await Self.buy(world, "ben")
            try await world.simulator.processDueEvents()
            try await world.waitUntilIdle()
            try await world.simulator.advance(by: 86_400)
            let (anna, name) = try await Self.session(world, "anna")
            let old = try Self.withoutAppleAccount(world, other)
            let alone = try await Self.report(anna, name, ["signed_transactions": [old]])
            #expect(alone.status == 400 && alone.code == "other_apple_account", "\(alone.text)")
            #expect(alone["param"] as? String == "signed_transactions[0]")
            let texts = try Self.device(world, "anna").all.map(\.signedTransactionInfo)
            let mixed = try await Self.report(anna, name, ["signed_transactions": [old] + texts])
            #expect(mixed.status == 200 && mixed["kept"] as? [String] == [own], "\(mixed.text)")
            let refused = try #require((mixed["refused"] as? [[String: Any]])?.first)
            #expect(refused["code"] as? String == "other_apple_account" && refused["id"] as? String == other)
            let storage = try world.server.core.storage
            #expect(try await storage.owners(of: other, in: world.appEnvironment().id).isEmpty)
            // Old texts of the customer's own Apple account are accepted.
            let early = try Self.withoutAppleAccount(world, own)
            let again = try await Self.report(anna, name, ["signed_transactions": [early]])
            #expect(again.status == 200 && again["kept"] as? [String] == [own], "\(again.text)")
        }
    }

    @Test func `A session that claims an unknown old transaction does not get the rest of its Apple account`()
        async throws
    {
        try await Self.run { world in
            let first = try await Self.buy(world, "ben")
            let second = try await Self.buy(world, "ben", "com.example.unlock")
            try await world.simulator.advance(by: 86_400)
            _ = try await Self.buy(world, "anna")
            let (anna, name) = try await Self.session(world, "anna")
            let old = try Self.withoutAppleAccount(world, first)
            let answer = try await Self.report(anna, name, ["signed_transactions": [old]])
            #expect(answer.status == 200 && answer["kept"] as? [String] == [first], "\(answer.text)")
            // The App Store's history shows the Apple account of the other purchases.
            let storage = try world.server.core.storage
            #expect(try await storage.lineage(second, in: world.appEnvironment().id) != nil)
            #expect(try await storage.owners(of: second, in: world.appEnvironment().id).isEmpty)
            #expect(try await storage.lineage(first, in: world.appEnvironment().id)?.appTransactionID != nil)
            // The claim stays, and the app may report the transaction at each start.
            let again = try await Self.report(anna, name, ["signed_transactions": [old]])
            #expect(again.status == 200 && again["kept"] as? [String] == [first], "\(again.text)")
            #expect((again["refused"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `A session can read and report purchases, and nothing else`() async throws {
        try await Self.run { world in
            _ = try await Self.buy(world, "anna")
            let (anna, name) = try await Self.session(world, "anna")
            let path = "/v1/customers/\(name)"
            for route in ["", "/timeline", "/entitlements/premium/explain"] {
                #expect(try await anna.get(path + route).status == 200)
            }
            let receipt = try #require(try Self.device(world, "anna").receipt)
            let refused = try await Self.report(anna, name, ["receipt": receipt])
            #expect(refused.status == 403, "\(refused.text)")
            let writes = [
                ("/usage", #"{"customer_consented":true}"#), ("/merge", #"{"from":"otto"}"#),
                ("/offers/promotional", #"{"product_id":"com.example.premium.monthly","offer_id":"save20"}"#),
                ("/offers/introductory", #"{"product_id":"com.example.premium.monthly","allow":true}"#),
            ]
            for (route, body) in writes {
                let answer = try await anna.send("POST", path + route, body: Data(body.utf8))
                // The offer is not checked, and the message does not blame the key, which has the scope.
                #expect(answer.status == 403 && answer.code == "forbidden", "\(route): \(answer.text)")
                #expect(answer.text.contains("sign the customer in first"), "\(route): \(answer.text)")
            }
            for route in ["/v1/notifications", "/v1/completeness", "/v1/webhooks", "/v1/transactions/1"] {
                #expect(try await anna.get(route).status == 403)
            }
        }
    }

    @Test func `A session expires after a day, and the same app transaction starts a new one`() async throws {
        try await Self.run { world in
            _ = try await Self.buy(world, "anna")
            let (anna, name) = try await Self.session(world, "anna")
            try await world.simulator.advance(by: 86_399)
            #expect(try await anna.get("/v1/customers/\(name)").status == 200)
            try await world.simulator.advance(by: 1)
            let answer = try await anna.get("/v1/customers/\(name)")
            #expect(answer.status == 401 && answer.code == "token_expired")
            // An old app transaction is enough: a device gets a newer one only with a password.
            #expect(try await Self.session(world, "anna").1 == name)
        }
    }

    @Test func `A session starts only with a valid app transaction and a key that allows it`() async throws {
        try await Self.run { world in
            let id = try await Self.buy(world, "anna")
            let text = try #require(try Self.device(world, "anna").signedAppTransactionInfo)
            let transaction = try Self.device(world, "anna").all[0].signedTransactionInfo
            var parts = text.split(separator: ".").map(String.init)
            parts[2] = String(parts[2].reversed())
            let hostile: [Any] = [
                "", "..", "nothing", transaction, parts.joined(separator: "."), id, 7, NSNull(), [text],
                String(repeating: "a", count: 60_000), text + ".", "e30.e30.e30",
            ]
            for text in hostile {
                let answer = try await Self.beginSession(world, ["app_transaction": text])
                #expect(answer.status == 400 && answer["token"] == nil, "\(text)")
            }
            for members in [[:], ["app_transaction": text, "x": 1], ["app_transaction": text, "customer": ""]] {
                #expect(try await Self.beginSession(world, members).status == 400, "\(members)")
            }
            let long = ["app_transaction": String(repeating: "a", count: 70_000)]
            #expect(try await Self.beginSession(world, long).status == 413)
            let query = "?app=com.example.other"
            #expect(try await Self.beginSession(world, ["app_transaction": text], query: query).code == "wrong_app")
            let other = "?environment=Sandbox"
            #expect(
                try await Self.beginSession(world, ["app_transaction": text], query: other).code == "wrong_environment")
            for key in [nil, "cfk_of-nobody-whom-we-know"] {
                #expect(try await Self.beginSession(world, ["app_transaction": text], key: key).status == 401)
            }
            // A key that may only read.
            #expect(
                try await Self.beginSession(world, ["app_transaction": text], key: TestAPIClient.readerKey).status
                    == 403)
        }
    }

    @Test func `A session is refused for an app or environment that the key does not allow`() async throws {
        try await Self.run(server: { configuration in
            configuration.keys = configuration.keys.map { key in
                var key = key
                if key.isPublic { key.environments = [.sandbox] }
                return key
            }
        }) { world in
            _ = try await Self.buy(world, "anna")
            let text = try #require(try Self.device(world, "anna").signedAppTransactionInfo)
            #expect(try await Self.beginSession(world, ["app_transaction": text]).code == "wrong_environment")
            // The app transaction of another app's store.
            var other = SimulatorConfiguration()
            other.app.bundleID = "com.example.stranger"
            other.clock = .frozen(World.start)
            let stranger = try await Simulator.start(other)
            try await stranger.perform(.createCustomer(customer: "anna"))
            let foreign = try stranger.core.contents(of: "phone", of: "anna", in: .production)
            await stranger.stop()
            let app = foreign.signedAppTransactionInfo ?? ""
            #expect(try await Self.beginSession(world, ["app_transaction": app]).status == 400)
        }
    }

    @Test func `A session needs a customer token secret of the app`() async throws {
        try await Self.run(server: { $0.apps[0].customerTokenSecret = nil }) { world in
            _ = try await Self.buy(world, "anna")
            let text = try #require(try Self.device(world, "anna").signedAppTransactionInfo)
            // A public key is refused because the app has no customer tokens. The backend's key gets the reason.
            let answer = try await Self.beginSession(world, ["app_transaction": text], key: TestAPIClient.key)
            #expect(answer.status == 409 && answer.code == "not_configured")
        }
    }

    @Test func `Too many session requests are answered with 429`() async throws {
        try await Self.run(server: { $0.limits.requestsPerSecondOfCustomer = 1 }) { world in
            _ = try await Self.buy(world, "anna")
            let text = try #require(try Self.device(world, "anna").signedAppTransactionInfo)
            var statuses: Set<Int> = []
            // Concurrently and repeatedly, because a busy machine may be too slow for the limit.
            for _ in 0..<20 where !statuses.contains(429) {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<20 {
                        group.addTask { try await Self.beginSession(world, ["app_transaction": text]).status }
                    }
                    for try await status in group { statuses.insert(status) }
                }
            }
            #expect(statuses.contains(429))
        }
    }
}
