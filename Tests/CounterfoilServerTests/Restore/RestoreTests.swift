import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Reported purchases are restored` {
    /// Calls `body` with a world without notifications, so that the server's data comes only from the app and the App
    /// Store's answers.
    static func withoutNotifications(
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

    @Test func `A reported transaction restores everything that its Apple account has bought`() async throws {
        try await Self.withoutNotifications { world in
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
            // The answer to a report is the customer's JSON object followed by members about the report.
            let read = try await world.call(.GET, "/v1/customers/anna")
            #expect(answer.body.starts(with: read.body.dropLast()))
            let again = try await world.call(.POST, "/v1/customers/anna/purchases", body)
            #expect(again.body == answer.body)
            #expect(try await world.eventTypes() == ["purchase.linked", "purchase.linked"])
        }
    }

    /// Notifications wait for each transaction.
    @Test func `The purchases of a long history are claimed in several transactions`() async throws {
        try await Self.withoutNotifications { world in
            let short = try await Self.commitsOfSecondRestore(of: "anna", having: 2, world)
            let long = try await Self.commitsOfSecondRestore(of: "bert", having: RestoreService.claimBatch + 1, world)
            #expect(long == short + 1)
        }
    }

    /// Restores a customer's purchases twice, and returns the number of commits of the second time, which changes
    /// nothing.
    private static func commitsOfSecondRestore(
        of customer: String, having count: Int, _ world: World
    ) async throws -> Int {
        var id = ""
        for _ in 0..<count { id = try await buy(world, customer, "com.example.coins.100") }
        let text = try #require(try await world.signedTransactions(of: id).first)
        var report = PurchaseReport()
        report.signedTransactions = [.init(text: text, parameter: "signed_transactions[0]")]
        let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
        var commits = 0
        for _ in 0..<2 {
            var forged = 0
            let verified = try await core.purchaseVerifier.verify(report, forged: &forged)
            let before = core.storage.commits
            let restoration = try await core.restores.restore(verified, for: customer, in: appEnvironment, .everything)
            commits = core.storage.commits - before
            #expect(restoration.reading.lineages.count == count)
        }
        return commits
    }

    @Test(arguments: ServerConfiguration.RestorePolicy.allCases)
    func `A report of another customer's purchase is handled according to the policy`(
        _ policy: ServerConfiguration.RestorePolicy
    ) async throws {
        try await Self.withoutNotifications(policy: policy) { world in
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
                let message = "A purchase belongs to another customer, and stays there by the app's restore policy."
                #expect(other.text("message") == message)
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
            #expect(try await world.eventTypes() == ["purchase.linked", "purchase.transferred"])
        }
    }

    @Test func `A purchase with an account token belongs to the customer of that token`() async throws {
        try await Self.withoutNotifications(policy: .keepOriginal) { world in
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
            #expect(try await world.eventTypes().isEmpty)
        }
    }

    @Test func `Purchases that a report does not contain are transferred only by a restore`() async throws {
        try await Self.withoutNotifications { world in
            // Two app accounts on one Apple account.
            let (first, second) = (UUID(), UUID())
            let id = try await Self.buy(world, "anna", token: first)
            let other = try await Self.buy(world, "anna", "com.example.news.monthly", token: second)
            let texts = try await world.signedTransactions(of: id)
            let own = try texts.filter { try String(decoding: $0.jwsPart(1), as: UTF8.self).contains("premium") }
            let path = "/v1/customers/\(first)/purchases"
            let report = try await world.call(.POST, path, ["signed_transactions": own])
            #expect(report.count("subscriptions") == 1)
            #expect(try await world.call(.GET, "/v1/customers/\(second)").count("subscriptions") == 1)
            let restored = try await world.call(.POST, path, ["signed_transactions": own, "restore": true])
            #expect(restored.count("subscriptions") == 2)
            #expect(try await world.call(.GET, "/v1/customers/\(second)").count("subscriptions") == 0)
            let lineage = try await world.server.core.storage.owners(of: other, in: world.appEnvironment().id)
            #expect(lineage == [first.uuidString.lowercased()])
        }
    }

    @Test func `A purchase with an account token is transferred to another account only by a restore`() async throws {
        for policy in ServerConfiguration.RestorePolicy.allCases where policy != .keepOriginal {
            try await Self.withoutNotifications(policy: policy) { world in
                let token = UUID()
                let id = try await Self.buy(world, "anna", token: token)
                try await world.simulator.perform(.cancel(customer: "anna"))
                try await world.simulator.advance(by: Period.year)
                let body: [String: Any] = ["signed_transactions": try await world.signedTransactions(of: id)]
                let refused = try await world.call(.POST, "/v1/customers/otto/purchases", body)
                #expect(refused.status == 409)
                #expect(refused.text("code") == "receipt_already_in_use")
                let message = try #require(refused.text("message"))
                #expect(message.contains("because the App Store signed it for that customer"))
                #expect(!message.contains("policy") && !message.contains("too often"))
                #expect(try await world.call(.GET, "/v1/customers/\(token)").count("subscriptions") == 1)
                let restored = try await world.call(
                    .POST, "/v1/customers/otto/purchases", body.merging(["restore": true]) { $1 })
                #expect(restored.count("subscriptions") == 1)
                let own = try await world.call(.GET, "/v1/customers/\(token)")
                #expect(own.count("subscriptions") == (policy == .share ? 1 : 0))
                // The account that the signature names gets the purchase back without a restore.
                let back = try await world.call(.POST, "/v1/customers/\(token)/purchases", body)
                #expect(back.count("subscriptions") == 1)
            }
        }
    }

    @Test func `A customer who reports nothing is new`() async throws {
        try await Self.withoutNotifications { world in
            let answer = try await world.call(.POST, "/v1/customers/new/purchases", ["signed_transactions": []])
            #expect(answer.status == 200)
            #expect(answer.text("entitlements.0.state") == "new")
        }
    }

    @Test func `If the App Store fails, the answer contains the known data and the history stays pending`() async throws
    {
        try await Self.withoutNotifications { world in
            let id = try await Self.buy(world, "anna")
            let texts = try await world.signedTransactions(of: id)
            try world.simulator.add(Fault("route:transaction-history", .status(code: 500)))
            let answer = try await world.call(
                .POST, "/v1/customers/anna/purchases", ["signed_transactions": texts])
            #expect(answer.text("history.state") == "pending")
            #expect(answer.count("subscriptions") == 1)
            let core = try world.server.core
            // The server may already have repeated and delayed the request.
            let waiting = try await core.storage.dueHistoryRequests(in: world.appEnvironment().id, at: .max, limit: 10)
            #expect(waiting.map(\.transactionID) == [id])
        }
    }

    @Test func `An app transaction claims the Apple account`() async throws {
        try await Self.withoutNotifications { world in
            let id = try await Self.buy(world, "anna")
            let text = try await world.appStoreClient().appTransaction(of: id).signedAppTransactionInfo
            let answer = try await world.call(.POST, "/v1/customers/anna/purchases", ["app_transaction": text])
            #expect(answer.count("subscriptions") == 1)
            let other = try await world.call(.POST, "/v1/customers/otto/purchases", ["app_transaction": text])
            #expect(other.count("subscriptions") == 1)
            #expect(try await world.call(.GET, "/v1/customers/anna").count("subscriptions") == 0)
        }
    }

    @Test func `With the policy "transfer if inactive", an Apple account is transferred only without active access`()
        async throws
    {
        try await Self.withoutNotifications(policy: .transferIfInactive) { world in
            let id = try await Self.buy(world, "anna")
            let text = try await world.appStoreClient().appTransaction(of: id).signedAppTransactionInfo
            let body: [String: Any] = [
                "signed_transactions": try await world.signedTransactions(of: id), "app_transaction": text,
            ]
            #expect(try await world.call(.POST, "/v1/customers/anna/purchases", body).status == 200)
            let (storage, scope) = (try world.server.core.storage, try world.appEnvironment().id)
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

    @Test func `Texts that do not verify, mixed environments and too many texts are answered with 400`() async throws {
        try await Self.withoutNotifications { world in
            let id = try await Self.buy(world, "anna")
            let text = try #require(try await world.signedTransactions(of: id).first)
            let sandbox = try #require(
                try await world.simulator.perform(
                    .purchase(customer: "anna", product: "com.example.unlock"), in: .sandbox
                ).transactionID)
            let mixed = try await world.signedTransactions(of: sandbox, in: .sandbox) + [text]
            let tooMany: [Any] = Array(repeating: text, count: 501)
            let cases: [([String: Any], String)] = [
                (["signed_transactions": [Self.forged(text)]], "bad_signature"),
                (["signed_transactions": mixed], "mixed_audience"),
                (["signed_transactions": tooMany], "too_many_transactions"),
                (["signed_renewals": tooMany], "too_many_transactions"),
                // The rest of the list is not read.
                (["signed_transactions": tooMany + [1]], "too_many_transactions"),
                (["signed_transactions": [text, 1] as [Any]], "bad_json"),
                (["signed_transactions": 1], "bad_json"), (["receipt": "bm90IGEgcmVjZWlwdA=="], "malformed_receipt"),
            ]
            for (body, type) in cases {
                let answer = try await world.call(.POST, "/v1/customers/anna/purchases", body)
                #expect(answer.status == 400)
                #expect(answer.text("code") == type)
            }
            let most: [String: Any] = ["signed_transactions": Array(tooMany.dropLast())]
            #expect(try await world.call(.POST, "/v1/customers/anna/purchases", most).status == 200)
            let nobody = try await world.call(.POST, "/v1/customers/anna/purchases", [:], key: nil)
            #expect(nobody.status == 401)
        }
    }

    /// Returns the text with another payload.
    private static func forged(_ text: String) -> String {
        var parts = text.split(separator: ".").map { String($0) }
        if parts.count == 3 { parts[1] = "e30" }
        return parts.joined(separator: ".")
    }

    @Test func `Concurrent reports of the same purchase make one claim`() async throws {
        try await Self.withoutNotifications { world in
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
            #expect(try await world.eventTypes() == ["purchase.linked"])
        }
    }
}
