import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

// Timelines and explanations of transferred purchases.
extension `Transferred purchases` {
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
}
