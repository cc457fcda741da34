import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

@Suite struct `Transferred purchases` {
    static let entitlement = "/entitlements/premium/explain"

    struct Transfer {
        var world: World
        var loser: String
        var original: String
        /// An instant before the transfer.
        var before: Int64
        var api: TestAPIClient { world.api }

        func states(_ customer: String, at instant: Int64? = nil) async throws -> [[String: Any]] {
            let answer = try await api.get("/v1/customers/\(customer)" + (instant.map { "?at=\($0)" } ?? ""))
            #expect(answer.status == 200)
            return answer["subscriptions"] as? [[String: Any]] ?? []
        }

        func sentences(_ customer: String, by client: TestAPIClient? = nil) async throws -> [String] {
            try await (client ?? api).get("/v1/customers/\(customer)/timeline").items
                .compactMap { $0["sentence"] as? String }
        }

        func explanation(
            _ customer: String, at instant: Int64? = nil, by client: TestAPIClient? = nil
        ) async throws -> TestAPIClient.Response {
            try await (client ?? api).get(
                "/v1/customers/\(customer)" + entitlement + (instant.map { "?at=\($0)" } ?? ""))
        }

        func reportPurchases(_ customer: String) async throws {
            let texts = try await world.signedTransactions(of: original)
            let body = try JSONSerialization.data(withJSONObject: ["signed_transactions": texts, "restore": true])
            #expect(try await api.send("POST", "/v1/customers/\(customer)/purchases", body: body).status == 200)
        }

        func now() -> Int64 { world.simulator.core.now.milliseconds }
    }

    /// Makes a customer subscribe, identified by an app account token (`named`) or by a claim. After two days `ben`
    /// claims the subscription, and a month later `body` runs.
    static func withTransfer(named: Bool, _ body: (Transfer) async throws -> Void) async throws {
        try await World.withAPI { world in
            let token = UUID()
            let outcome = try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly",
                    appAccountToken: AppAccountToken(named ? token : nil)))
            try await world.waitUntilIdle()
            var transfer = Transfer(
                world: world, loser: named ? token.uuidString.lowercased() : "anna",
                original: try #require(outcome.originalTransactionID), before: 0)
            if !named { try await transfer.reportPurchases("anna") }
            try await world.simulator.advance(by: 86_400)
            transfer.before = transfer.now()
            try await world.simulator.advance(by: 86_400)
            try await transfer.reportPurchases("ben")
            try await world.simulator.advance(by: .month)
            try await world.waitUntilIdle()
            try await body(transfer)
        }
    }

    @Test(arguments: [true, false]) func `The claims of both customers name the owner and the reason`(_ named: Bool)
        async throws
    {
        try await Self.withTransfer(named: named) { transfer in
            let before = try await transfer.api.get("/v1/customers/\(transfer.loser)/claims?at=\(transfer.before)")
            #expect(before.items.map { $0["owners"] as? [String] } == [[transfer.loser]])
            #expect(before.items.first?["reason"] as? String == (named ? "account_named" : "claimed"))
            for customer in [transfer.loser, "ben"] {
                let claims = try await transfer.api.get("/v1/customers/\(customer)/claims")
                #expect(claims.status == 200 && claims.items.count == 1)
                #expect(claims.items.first?["original_transaction_id"] as? String == transfer.original)
                #expect(claims.items.first?["owners"] as? [String] == ["ben"])
                #expect(claims.items.first?["reason"] as? String == "claimed")
                #expect(claims.items.first?["since"] as? Int64 ?? 0 >= transfer.before)
            }
            #expect(try await transfer.api.get("/v1/customers/ben/claims?page=\(transfer.original)").isEmptyList)
            #expect(try await transfer.api.get("/v1/customers/nobody/claims").isEmptyList)
        }
    }

    @Test(arguments: [true, false])
    func `The claims of former owners have the instant at which the present owner got the purchase`(_ named: Bool)
        async throws
    {
        try await Self.withTransfer(named: named) { transfer in
            let before = transfer.now()
            let path = "/v1/customers/carol/purchases/\(transfer.original)/transfer"
            let answer = try await transfer.api.post(path, ["reason": "ticket 4711"])
            #expect(answer.status == 200, "\(answer.text)")
            for customer in ["carol", "ben", transfer.loser] {
                let claim = try await transfer.api.get("/v1/customers/\(customer)/claims").items.first
                #expect(claim?["owners"] as? [String] == ["carol"])
                #expect(claim?["since"] as? Int64 ?? 0 >= before, "\(customer)")
            }
        }
    }

    @Test(arguments: [true, false]) func `A transferred purchase belongs to the former customer at earlier instants`(
        named: Bool
    ) async throws {
        try await Self.withTransfer(named: named) { transfer in
            #expect(try await transfer.states("ben").count == 1)
            #expect(try await transfer.states(transfer.loser).isEmpty)
            let past = try await transfer.states(transfer.loser, at: transfer.before)
            #expect(past.first?["has_access"] as? Bool == true)
            #expect(try await transfer.states("ben", at: transfer.before).isEmpty)
        }
    }

    @Test func `A customer who shared a purchase and lost it reads that it went to its other owners`() async throws {
        try await World.withAPI(server: { $0.apps[0].restorePolicy = .share }) { world in
            let anna = try await world.subscribe("anna")
            let subscriptions = try await world.api.get("/v1/customers/\(anna)")["subscriptions"] as? [[String: Any]]
            let original = try #require(subscriptions?.first?["original_transaction_id"] as? String)
            let texts = try await world.signedTransactions(of: original)
            let shared = try await world.api.post(
                "/v1/customers/ben/purchases", ["signed_transactions": texts, "restore": true])
            #expect(shared.status == 200, "\(shared.text)")
            #expect(try await world.api.post("/v1/customers/\(anna)/merge", ["from": "ben"]).status == 200)
            let entry = try #require(try await world.api.get("/v1/customers/ben/timeline").items.first)
            #expect(entry["sentence"] as? String == "The purchase \(original) was transferred to its other owners.")
            let explained = try await world.api.get("/v1/customers/ben" + Self.entitlement)
            let sentence = explained["sentence"] as? String
            #expect(
                sentence?.hasPrefix("com.example.premium.monthly was transferred to its other owners on ") == true,
                "\(explained.text)")
        }
    }

    @Test func `A purchase is not in the history of a customer who had the Apple account before it was made`()
        async throws
    {
        try await World.withAPI { world in
            func buy(_ product: String) async throws -> String {
                try await world.simulator.advance(by: 3600)
                let outcome = try await world.simulator.perform(
                    .purchase(customer: "anna", product: product, appAccountToken: .absent))
                try await world.waitUntilIdle()
                return try #require(outcome.originalTransactionID)
            }
            let first = try await buy("com.example.unlock")
            let account = try await world.appTransaction(of: first)
            for customer in ["dora", "ben"] {
                try await world.simulator.advance(by: 3600)
                let answer = try await world.api.post(
                    "/v1/customers/\(customer)/purchases", ["app_transaction": account])
                #expect(answer.status == 200, "\(answer.text)")
            }
            let later = try await buy("com.example.premium.monthly")
            for path in ["timeline", "claims"] {
                let former = try await world.api.get("/v1/customers/dora/\(path)")
                #expect(former.text.contains(first) && !former.text.contains(later), "\(former.text)")
            }
            let explained = try await world.api.get("/v1/customers/dora" + Self.entitlement)
            #expect(explained["rule"] as? String == "never_bought", "\(explained.text)")
            let claims = try await world.api.get("/v1/customers/ben/claims").items
            let claim = try #require(claims.first { $0["original_transaction_id"] as? String == later })
            #expect(claim["owners"] as? [String] == ["ben"] && claim["since"] == nil, "\(claim)")
            let entries = try await world.api.get("/v1/customers/ben/timeline").items
            let types = entries.filter { $0["original_transaction_id"] as? String == later }.map {
                $0["type"] as? String
            }
            #expect(types == ["SUBSCRIBED"])
        }
    }

    @Test func `A public key does not learn the other customer of a transfer`() async throws {
        try await Self.withTransfer(named: false) { transfer in
            let now = Int(transfer.world.simulator.core.now.timeIntervalSince1970)
            for (customer, other) in [("anna", "ben"), ("ben", "anna")] {
                let claims = #"{"sub":"\#(customer)","iat":\#(now),"exp":\#(now + 600)}"#
                let app = TestAPIClient(
                    url: transfer.world.url, key: TestAPIClient.publicKey, token: TestAPIClient.token(claims: claims))
                for path in ["/timeline", Self.entitlement] {
                    let answer = try await app.get("/v1/customers/\(customer)" + path)
                    #expect(answer.status == 200 && answer.text.contains("another customer"), "\(answer.text)")
                    #expect(!answer.text.contains(other), "\(answer.text)")
                }
            }
        }
    }

    @Test func `A purchase that is transferred back has the right owner at each instant`() async throws {
        try await Self.withTransfer(named: true) { transfer in
            let between = transfer.now()
            try await transfer.world.simulator.advance(by: 3600)
            try await transfer.reportPurchases(transfer.loser)
            #expect(try await transfer.states(transfer.loser).count == 1)
            #expect(try await transfer.states("ben").isEmpty)
            #expect(try await transfer.states("ben", at: between).count == 1)
            #expect(try await transfer.states(transfer.loser, at: between).isEmpty)
            #expect(try await transfer.states(transfer.loser, at: transfer.before).count == 1)
            #expect(try await transfer.explanation("ben")["rule"] as? String == "transferred")
        }
    }
}
