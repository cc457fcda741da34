import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

@Suite struct `Transferred purchases` {
    private static let entitlement = "/entitlements/premium/explain"

    private struct Transfer {
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
    private static func withTransfer(named: Bool, _ body: (Transfer) async throws -> Void) async throws {
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
            #expect(try await transfer.api.get("/v1/customers/ben/claims?page=\(transfer.original)").items.isEmpty)
            #expect(try await transfer.api.get("/v1/customers/nobody/claims").items.isEmpty)
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

    @Test(arguments: [true, false])
    func `The timelines of both customers show the transfer, each from the customer's side`(named: Bool) async throws {
        try await Self.withTransfer(named: named) { transfer in
            let subscribed = "Subscribed to com.example.premium.monthly until 4 June 2026 for free."
            let linked = named ? [] : ["The app linked the purchase \(transfer.original) to this customer."]
            let lost = "The purchase \(transfer.original) was transferred to the customer ben."
            let sentences = try await transfer.sentences(transfer.loser)
            #expect(Set(sentences.dropFirst()) == Set(linked + [subscribed]) && sentences.first == lost)
            let won = try await transfer.sentences("ben")
            #expect(won.last?.hasSuffix("to this customer from the customer \(transfer.loser).") == true, "\(won)")
            #expect(won.first == "Renewed until 4 July 2026 for 9.99 USD." && !won.contains(subscribed))
            let entry = try await transfer.api.get("/v1/customers/\(transfer.loser)/timeline?limit=1").items.first
            #expect(entry?["type"] as? String == "purchase.transferred")
            #expect(entry?["to"] as? [String] == ["ben"] && entry?["from"] as? [String] == [transfer.loser])
        }
    }

    /// The transfers among timeline entries, as JSON without the sentence, which differs for each customer.
    private static func transferEntries(_ entries: [[String: Any]]) throws -> [String] {
        try entries.filter { $0["type"] as? String == "purchase.transferred" }.map { entry in
            let members = entry.filter { $0.key != "sentence" }
            return String(
                decoding: try JSONSerialization.data(withJSONObject: members, options: .sortedKeys), as: UTF8.self)
        }
    }

    @Test(arguments: [true, false]) func `Both customers' timelines and explanations contain the same transfers`(
        named: Bool
    ) async throws {
        try await Self.withTransfer(named: named) { transfer in
            try await transfer.reportPurchases(transfer.loser)
            try await transfer.world.simulator.advance(by: 86_400)
            try await transfer.reportPurchases("ben")
            var timelines: [[String]] = []
            for customer in [transfer.loser, "ben"] {
                let answer = try await transfer.api.get("/v1/customers/\(customer)/timeline?limit=100")
                timelines.append(try Self.transferEntries(answer.items))
            }
            #expect(timelines[0].count == 3 && timelines[0] == timelines[1], "\(timelines)")
            // The same holds for the explanations of the owner and of the former owner.
            let lost = try await transfer.explanation(transfer.loser)["changes"] as? [[String: Any]] ?? []
            let won = try await transfer.explanation("ben")["changes"] as? [[String: Any]] ?? []
            #expect(
                try Self.transferEntries(lost).count == 3 && Self.transferEntries(lost) == Self.transferEntries(won),
                "\(lost) \(won)")
        }
    }

    @Test(arguments: [true, false]) func `The explanation for the former owner names the transfer`(named: Bool)
        async throws
    {
        try await Self.withTransfer(named: named) { transfer in
            let lost = try await transfer.explanation(transfer.loser)
            #expect(lost["rule"] as? String == "transferred" && lost["is_active"] as? Bool == false)
            #expect(
                (lost["sentence"] as? String)?
                    .hasPrefix("com.example.premium.monthly was transferred to the customer ben on 2026-05-3") == true,
                "\(lost["sentence"] ?? "")")
            let then = try await transfer.explanation(transfer.loser, at: transfer.before)
            #expect(then["rule"] as? String == "subscription_active")
            let won = try await transfer.explanation("ben")
            #expect(won["rule"] as? String == "subscription_active")
            let changes = won["changes"] as? [[String: Any]]
            #expect(changes?.map { $0["type"] as? String } == ["purchase.transferred"])
            let before = try await transfer.explanation("ben", at: transfer.before)
            #expect(before["rule"] as? String == "never_bought" && (before["changes"] as? [Any])?.isEmpty == true)
        }
    }

    /// The explanation named only the transfer, although the former owner had access until the grant was revoked.
    @Test func `The explanation for the former owner names the transfer and a later grant that was revoked`()
        async throws
    {
        try await Self.withTransfer(named: false) { transfer in
            let path = "/v1/customers/\(transfer.loser)/grants"
            let reason = ["reason": "goodwill", "actor": "maria"]
            let grant = try await transfer.api.post(path, reason.merging(["entitlement": "premium"]) { $1 })
            let id = try #require(grant["id"] as? String, "\(grant.text)")
            try await transfer.world.simulator.advance(by: 86_400)
            let revoked = try await transfer.api.post("\(path)/\(id)/revoke", reason)
            #expect(revoked.status == 200)
            let lost = try await transfer.explanation(transfer.loser)
            let sentence = try #require(lost["sentence"] as? String)
            #expect(lost["rule"] as? String == "transferred")
            #expect(sentence.contains("was transferred to the customer ben on "), "\(sentence)")
            #expect(sentence.contains(" The team revoked its grant on "), "\(sentence)")
        }
    }

    /// The explanation named the transfer, although an own subscription had ended since.
    @Test func `The explanation for the former owner names what ended last, the transfer or an own purchase`()
        async throws
    {
        try await Self.withTransfer(named: true) { transfer in
            let simulator = transfer.world.simulator
            let token = try #require(UUID(uuidString: transfer.loser))
            func buy(_ account: String) async throws -> String {
                let outcome = try await simulator.perform(
                    .purchase(
                        customer: account, product: "com.example.premium.monthly",
                        appAccountToken: AppAccountToken(token)))
                try await transfer.world.waitUntilIdle()
                return try #require(outcome.originalTransactionID)
            }
            func giveAway(_ original: String) async throws {
                let path = "/v1/customers/carol/purchases/\(original)/transfer"
                let answer = try await transfer.api.post(path, ["reason": "ticket 4711"])
                #expect(answer.status == 200, "\(answer.text)")
                try await simulator.advance(by: 3600)
            }
            var originals: [String] = []
            for account in ["kim", "lee"] {
                originals.append(try await buy(account))
                try await simulator.perform(.cancel(customer: account))
            }
            try await simulator.advance(by: 8 * 86_400)
            try await transfer.world.waitUntilIdle()
            let ended = try await transfer.explanation(transfer.loser)
            #expect(ended["rule"] as? String == "expired", "\(ended.text)")
            let sentence = ended["sentence"] as? String
            #expect(sentence?.hasSuffix(": the customer had cancelled.") == true, "\(ended.text)")
            // An ended purchase that is transferred later ends nothing.
            let third = try await buy("max")
            try await giveAway(third)
            try await giveAway(originals[1])
            let lost = try await transfer.explanation(transfer.loser)
            #expect(lost["rule"] as? String == "transferred", "\(lost.text)")
            #expect((lost["sentence"] as? String)?.contains("to the customer carol on ") == true, "\(lost.text)")
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
