@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import StoreSimulator
import Testing

@testable import LedgerSQLite
@testable import Ledger

@Suite struct `What an app reports is restored` {
    /// A world in which no notification arrives, so that all the server knows comes from the app and the App Store.
    static func silent(
        policy: ServerConfiguration.RestorePolicy = .transfer, _ body: (World) async throws -> Void
    ) async throws {
        try await World.run(server: { configuration in
            configuration.keys = [World.backend]
            configuration.apps[0].restorePolicy = policy
        }) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            try await body(world)
        }
    }

    static func buy(
        _ world: World, _ customer: String, _ product: String = "com.example.premium.monthly", token: UUID? = nil
    ) async throws -> String {
        let outcome = try await world.simulator.perform(
            .purchase(customer: customer, product: product, appAccountToken: AppAccountToken(token)))
        return try #require(outcome.transactionID)
    }

    private func events(_ world: World) async throws -> [String] {
        let storage = try #require(try world.server.core.storage as? SQLiteStorage)
        return try await storage.pool.read { try String.fetchAll($0, sql: "SELECT type FROM events ORDER BY seq") }
    }

    @Test func `one transaction leads to everything that its Apple account bought`() async throws {
        try await Self.silent { world in
            let first = try await Self.buy(world, "anna")
            try await world.simulator.advance(by: Period.month)
            _ = try await Self.buy(world, "anna", "com.example.unlock")
            let texts = try await world.signedTransactions(of: first)
            let body = ["signed_transactions": [try #require(texts.first)]]
            let answer = try await world.call(.POST, "/v1/customers/anna/purchases", body)
            #expect(answer.status == 200)
            #expect(answer.number("subscriptions.0.status") == 1)
            #expect(answer.flag("subscriptions.0.will_renew") == true)
            #expect(answer.text("purchases.0.product_id") == "com.example.unlock")
            #expect(answer["history"] == nil)
            #expect(answer.texts("kept") == [first])
            // What became of the report stands behind what anybody may read.
            let read = try await world.call(.GET, "/v1/customers/anna")
            #expect(answer.body.starts(with: read.body.dropLast()))
            let again = try await world.call(.POST, "/v1/customers/anna/purchases", body)
            #expect(again.body == answer.body)
            #expect(try await events(world) == ["purchase.linked", "purchase.linked"])
        }
    }

    @Test func `a purchase of another customer goes by the policy`() async throws {
        for policy in ServerConfiguration.RestorePolicy.allCases {
            try await Self.silent(policy: policy) { world in
                let id = try await Self.buy(world, "anna")
                let body = ["signed_transactions": try await world.signedTransactions(of: id)]
                #expect(try await world.call(.POST, "/v1/customers/anna/purchases", body).status == 200)
                let other = try await world.call(.POST, "/v1/customers/otto/purchases", body)
                switch policy {
                case .transfer, .share:
                    #expect(other.count("subscriptions") == 1)
                case .keepOriginal, .transferIfInactive:
                    #expect(other.status == 409)
                    #expect(other.text("code") == "receipt_already_in_use")
                    #expect(!String(decoding: other.body, as: UTF8.self).contains("anna"))
                }
                let anna = try await world.call(.GET, "/v1/customers/anna")
                #expect(anna.count("subscriptions") == (policy == .transfer ? 0 : 1))
                guard policy == .transferIfInactive else { return }
                try await world.simulator.perform(.cancel(customer: "anna"))
                try await world.simulator.advance(by: Period.year)
                let lapsed = ["signed_transactions": try await world.signedTransactions(of: id)]
                let later = try await world.call(.POST, "/v1/customers/otto/purchases", lapsed)
                #expect(later.status == 200)
                #expect(later.count("subscriptions") == 1)
                #expect(try await events(world) == ["purchase.linked", "purchase.transferred"])
            }
        }
    }

    @Test func `the account that the app named when it was bought owns the purchase`() async throws {
        try await Self.silent(policy: .keepOriginal) { world in
            let token = UUID()
            let id = try await Self.buy(world, "anna", token: token)
            let body: [String: Any] = ["signed_transactions": try await world.signedTransactions(of: id)]
            #expect(try await world.call(.POST, "/v1/customers/otto/purchases", body).status == 409)
            let quiet = try await world.call(
                .POST, "/v1/customers/otto/purchases", body.merging(["restore": false]) { $1 })
            #expect(quiet.status == 200)
            #expect(quiet.count("subscriptions") == 0)
            let own = try await world.call(.POST, "/v1/customers/\(token.uuidString)/purchases", body)
            #expect(own.count("subscriptions") == 1)
            #expect(try await events(world).isEmpty)
        }
    }

    @Test func `what was not sent moves only when the customer asks to restore`() async throws {
        try await Self.silent { world in
            // Two accounts of the app on one device.
            let (first, second) = (UUID(), UUID())
            let id = try await Self.buy(world, "anna", token: first)
            let other = try await Self.buy(world, "anna", "com.example.news.monthly", token: second)
            let texts = try await world.signedTransactions(of: id)
            let own = try texts.filter { try Self.payload($0).contains("premium") }
            let path = "/v1/customers/\(first)/purchases"
            let report = try await world.call(.POST, path, ["signed_transactions": own])
            #expect(report.count("subscriptions") == 1)
            #expect(try await world.call(.GET, "/v1/customers/\(second)").count("subscriptions") == 1)
            let restored = try await world.call(.POST, path, ["signed_transactions": own, "restore": true])
            #expect(restored.count("subscriptions") == 2)
            #expect(try await world.call(.GET, "/v1/customers/\(second)").count("subscriptions") == 0)
            let lineage = try await world.server.core.storage.owners(of: other, in: world.scope().id)
            #expect(lineage == [first.uuidString.lowercased()])
        }
    }

    private static func payload(_ jws: String) throws -> String {
        let part = try #require(jws.split(separator: ".").dropFirst().first)
        let text = String(part).replacing("-", with: "+").replacing("_", with: "/")
        let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
        return String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self)
    }

    @Test func `what was signed for one account of the app moves to another only when asked to restore`() async throws {
        for policy in ServerConfiguration.RestorePolicy.allCases where policy != .keepOriginal {
            try await Self.silent(policy: policy) { world in
                let token = UUID()
                let id = try await Self.buy(world, "anna", token: token)
                try await world.simulator.perform(.cancel(customer: "anna"))
                try await world.simulator.advance(by: Period.year)
                let body: [String: Any] = ["signed_transactions": try await world.signedTransactions(of: id)]
                let refused = try await world.call(.POST, "/v1/customers/otto/purchases", body)
                #expect(refused.status == 409)
                #expect(refused.text("code") == "receipt_already_in_use")
                #expect(try await world.call(.GET, "/v1/customers/\(token)").count("subscriptions") == 1)
                let restored = try await world.call(
                    .POST, "/v1/customers/otto/purchases", body.merging(["restore": true]) { $1 })
                #expect(restored.count("subscriptions") == 1)
                let own = try await world.call(.GET, "/v1/customers/\(token)")
                #expect(own.count("subscriptions") == (policy == .share ? 1 : 0))
                // To the account that the signature names it goes back without being asked.
                let back = try await world.call(.POST, "/v1/customers/\(token)/purchases", body)
                #expect(back.count("subscriptions") == 1)
            }
        }
    }

    @Test func `whoever sends nothing is new`() async throws {
        try await Self.silent { world in
            let answer = try await world.call(.POST, "/v1/customers/new/purchases", ["signed_transactions": []])
            #expect(answer.status == 200)
            #expect(answer.text("entitlements.0.state") == "new")
        }
    }

    @Test func `without the App Store the answer is what is known, and the rest is put down for later`() async throws {
        try await Self.silent { world in
            let id = try await Self.buy(world, "anna")
            let texts = try await world.signedTransactions(of: id)
            try world.simulator.add(Fault("route:transaction-history", .status(code: 500)))
            let answer = try await world.call(
                .POST, "/v1/customers/anna/purchases", ["signed_transactions": texts])
            #expect(answer.text("history.state") == "pending")
            #expect(answer.count("subscriptions") == 1)
            let core = try world.server.core
            // The server may have asked once more by now, and put it off.
            let waiting = try await core.storage.takeHistoryRequests(in: world.scope().id, at: .max, limit: 10)
            #expect(waiting.map(\.transactionID) == [id])
        }
    }

    @Test func `an app transaction claims the Apple account and what it buys later`() async throws {
        try await Self.silent { world in
            let id = try await Self.buy(world, "anna")
            let text = try await world.store().appTransaction(of: id).signedAppTransactionInfo
            let answer = try await world.call(.POST, "/v1/customers/anna/purchases", ["app_transaction": text])
            #expect(answer.count("subscriptions") == 1)
            let other = try await world.call(.POST, "/v1/customers/otto/purchases", ["app_transaction": text])
            #expect(other.count("subscriptions") == 1)
            #expect(try await world.call(.GET, "/v1/customers/anna").count("subscriptions") == 0)
        }
    }

    @Test func `an Apple account whose customer has access moves only when that is over, where the policy says so`()
        async throws
    {
        try await Self.silent(policy: .transferIfInactive) { world in
            let id = try await Self.buy(world, "anna")
            let text = try await world.store().appTransaction(of: id).signedAppTransactionInfo
            let body: [String: Any] = [
                "signed_transactions": try await world.signedTransactions(of: id), "app_transaction": text,
            ]
            #expect(try await world.call(.POST, "/v1/customers/anna/purchases", body).status == 200)
            let (storage, scope) = (try world.server.core.storage, try world.scope().id)
            try #require(try await storage.accounts(of: "anna", in: scope).count == 1)
            let early = try await world.call(.POST, "/v1/customers/otto/purchases", ["app_transaction": text])
            #expect(early.status == 409)
            #expect(early.text("code") == "receipt_already_in_use")
            #expect(try await storage.accounts(of: "anna", in: scope).count == 1)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.simulator.advance(by: Period.year)
            let later = try await world.call(.POST, "/v1/customers/otto/purchases", ["app_transaction": text])
            #expect(later.status == 200)
            #expect(try await storage.accounts(of: "otto", in: scope).count == 1)
        }
    }

    @Test func `what cannot be believed is refused and named`() async throws {
        try await Self.silent { world in
            let id = try await Self.buy(world, "anna")
            let text = try #require(try await world.signedTransactions(of: id).first)
            let sandbox = try #require(
                try await world.simulator.perform(
                    .purchase(customer: "anna", product: "com.example.unlock"), in: .sandbox
                ).transactionID)
            let mixed = try await world.signedTransactions(of: sandbox, in: .sandbox) + [text]
            let cases: [([String: Any], String)] = [
                (["signed_transactions": [Self.forged(text)]], "bad_signature"),
                (["signed_transactions": mixed], "mixed_audience"),
                (["signed_transactions": Array(repeating: text, count: 501)], "too_many_transactions"),
                (["signed_transactions": 1], "bad_json"), (["receipt": "bm90IGEgcmVjZWlwdA=="], "malformed_receipt"),
            ]
            for (body, type) in cases {
                let answer = try await world.call(.POST, "/v1/customers/anna/purchases", body)
                #expect(answer.status == 400)
                #expect(answer.text("code") == type)
            }
            let nobody = try await world.call(.POST, "/v1/customers/anna/purchases", [:], key: nil)
            #expect(nobody.status == 401)
        }
    }

    /// The same with another payload.
    private static func forged(_ text: String) -> String {
        var parts = text.split(separator: ".").map { String($0) }
        if parts.count == 3 { parts[1] = "e30" }
        return parts.joined(separator: ".")
    }

    @Test func `many devices may report at once`() async throws {
        try await Self.silent { world in
            let id = try await Self.buy(world, "anna")
            let body = ["signed_transactions": try await world.signedTransactions(of: id)]
            let data = try JSONSerialization.data(withJSONObject: body)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await world.call(.POST, "/v1/customers/anna/purchases", data: data).status }
                }
                let statuses = try await group.reduce(into: [Int]()) { $0.append($1) }
                #expect(statuses == Array(repeating: 200, count: 20))
            }
            #expect(try await events(world) == ["purchase.linked"])
        }
    }
}

@Suite struct `A receipt is restored` {
    @Test func `it leads to the history, and without the App Store it speaks for itself`() async throws {
        try await World.run(
            simulator: { $0.makesReceiptAuthority = true }, server: { $0.keys = [World.backend] }
        ) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            _ = try await `What an app reports is restored`.buy(world, "anna")
            let receipt = try world.simulator.receipt(of: "anna")
            try await world.simulator.advance(by: Period.month)
            let fault = try world.simulator.add(Fault("route:transaction-history", .error(code: 4_040_002)))
            try await world.simulator.perform(
                .purchase(customer: "anna", product: "com.example.unlock", appAccountToken: .absent))
            let fresh = try world.simulator.receipt(of: "anna")
            let alone = try await world.call(.POST, "/v1/customers/anna/purchases", ["receipt": fresh])
            #expect(alone.status == 200)
            #expect(alone.text("history.state") == "pending")
            #expect(alone.flag("entitlements.0.is_active") == true)
            try world.simulator.removeFault(fault)
            let whole = try await world.call(.POST, "/v1/customers/anna/purchases", ["receipt": receipt])
            #expect(whole["history"] == nil)
            #expect(whole.flag("subscriptions.0.will_renew") == true)
            #expect(whole.text("purchases.0.product_id") == "com.example.unlock")
        }
    }

    @Test func `what it says is kept where nothing else can be asked for, until something is signed`() async throws {
        let coins = "com.example.coins.100"
        try await World.run(
            simulator: { $0.makesReceiptAuthority = true },
            server: { configuration in
                configuration.keys = [World.backend]
                configuration.apps[0].key = nil
                configuration.apps[0].catalogue.consumables = [coins]
            }
        ) { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let id = try await `What an app reports is restored`.buy(world, "anna", coins)
            let receipt = try world.simulator.receipt(of: "anna")
            let path = "/v1/customers/anna"
            let answer = try await world.call(.POST, path + "/purchases", ["receipt": receipt])
            #expect(answer.text("history.state") == "not_configured")
            #expect(answer.text("purchases.0.transaction_id") == id)
            #expect(try await world.call(.GET, path).text("purchases.0.transaction_id") == id)
            // Sent again, it says nothing new.
            let digest = try await (world.server.core.storage as? SQLiteStorage)?.digest()
            _ = try await world.call(.POST, path + "/purchases", ["receipt": receipt])
            #expect(try await (world.server.core.storage as? SQLiteStorage)?.digest() == digest)
            // What the App Store signs says more, and comes with proof.
            try world.simulator.removeFault()
            try await world.simulator.perform(.requestRefund(customer: "anna"))
            try await world.simulator.settle()
            try await world.settle()
            let sources = try await world.server.core.storage.sources(
                of: [WantedFacts(id)], notifications: true, in: world.scope().id)
            #expect(!sources.isEmpty && !sources.contains { if case .statement = $0.source { true } else { false } })
            let kinds = try await (world.server.core.storage as? SQLiteStorage)?.pool.read {
                try Int.fetchAll($0, sql: "SELECT kind FROM statements")
            }
            #expect(kinds == [])
            #expect(try await world.call(.GET, path).text("purchases.0.transaction_id") == id)
        }
    }
}
