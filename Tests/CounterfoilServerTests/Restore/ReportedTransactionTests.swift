import AppStoreModels
import AppStoreServer
import Basics
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

/// Apps finish the transactions that the answer lists in `kept`. Therefore the server checks each transaction by
/// itself.
@Suite struct `Transactions of a report are checked separately` {
    private typealias Reports = `Reported purchases are restored`
    private static let path = "/v1/customers/anna/purchases"

    /// Returns the text with another payload that contains the transaction ID.
    private static func forged(_ text: String, _ id: String) -> String {
        let payload = Base64.encodeURL(Array(#"{"transactionId":"\#(id)"}"#.utf8))
        var parts = text.split(separator: ".").map { String($0) }
        if parts.count == 3 { parts[1] = payload }
        return parts.joined(separator: ".")
    }

    @Test func `A transaction that does not verify is refused, and the others are stored`() async throws {
        try await Reports.withoutNotifications { world in
            let id = try await Reports.buy(world, "anna")
            let unlock = try await Reports.buy(world, "anna", "com.example.unlock")
            let texts = try await world.signedTransactions(of: id)
            let report = ["not signed", texts[0], Self.forged(texts[0], "7"), texts[1], texts[0]]
            let answer = try await world.call(.POST, Self.path, ["signed_transactions": report])
            #expect(answer.status == 200)
            #expect(answer.texts("kept").map { Set($0) } == [id, unlock])
            #expect(answer.count("refused") == 2)
            #expect(answer.text("refused.0.code") == "malformed_compact_form" && answer["refused.0.id"] == nil)
            #expect(answer.text("refused.0.param") == "signed_transactions[0]")
            #expect(answer.text("refused.1.code") == "bad_signature" && answer.text("refused.1.id") == "7")
            #expect(answer.text("refused.1.param") == "signed_transactions[2]")
            #expect(answer.count("subscriptions") == 1 && answer.count("purchases") == 1)
        }
    }

    @Test func `A transaction of another customer is refused by its ID, and the others are restored`() async throws {
        try await Reports.withoutNotifications(policy: .keepOriginal) { world in
            let id = try await Reports.buy(world, "anna")
            let own = try await world.signedTransactions(of: id)
            #expect(try await world.call(.POST, Self.path, ["signed_transactions": own]).texts("kept") == [id])
            let unlock = try await Reports.buy(world, "anna", "com.example.unlock")
            let texts = try await world.signedTransactions(of: id)
            let body: [String: Any] = ["signed_transactions": texts]
            let other = try await world.call(.POST, "/v1/customers/otto/purchases", body)
            #expect(other.status == 200)
            #expect(other.texts("kept") == [unlock] && other.count("refused") == 1)
            #expect(other.text("refused.0.id") == id && other.text("refused.0.code") == "receipt_already_in_use")
            #expect(other.count("subscriptions") == 0 && other.count("purchases") == 1)
            // If all transactions belong to another customer, the answer is an error, so that the app does not finish
            // them.
            let all = try await world.call(.POST, "/v1/customers/otto/purchases", ["signed_transactions": own])
            #expect(all.status == 409 && all.text("code") == "receipt_already_in_use")
        }
    }

    @Test func `Without a restore, transactions of another customer are refused without an error`() async throws {
        try await Reports.withoutNotifications { world in
            let id = try await Reports.buy(world, "anna")
            let texts = try await world.signedTransactions(of: id)
            _ = try await world.call(.POST, Self.path, ["signed_transactions": texts])
            let body: [String: Any] = ["signed_transactions": texts, "restore": false]
            let other = try await world.call(.POST, "/v1/customers/otto/purchases", body)
            #expect(other.status == 200 && other.texts("kept") == [])
            #expect(other.text("refused.0.id") == id && other.text("refused.0.code") == "receipt_already_in_use")
            #expect(other.count("subscriptions") == 0)
            #expect(try await world.call(.GET, "/v1/customers/anna").count("subscriptions") == 1)
        }
    }

    @Test func `A reported renewal info is stored if its subscription is known`() async throws {
        try await Reports.withoutNotifications { world in
            let id = try await Reports.buy(world, "anna")
            let texts = try await world.signedTransactions(of: id)
            // The server does not know the subscription yet, and a renewal info does not name its app.
            let early = try await world.call(
                .POST, Self.path, ["signed_renewals": [try await Self.renewal(world, id)]])
            #expect(early.status == 200 && early.texts("kept") == [])
            #expect(early.text("refused.0.code") == "unknown_subscription")
            #expect(early.text("refused.0.id") == id && early.text("refused.0.param") == "signed_renewals[0]")
            try await world.simulator.perform(.cancel(customer: "anna"))
            let renewal = try await Self.renewal(world, id)
            // The App Store's answers fail, so that the report is the only source.
            for route in ["transaction-history", "subscription-statuses"] {
                try world.simulator.add(Fault("route:\(route)", .error(code: 5_000_001)))
            }
            let answer = try await world.call(
                .POST, Self.path, ["signed_transactions": texts, "signed_renewals": [renewal, "nothing"]])
            #expect(answer.status == 200 && answer.texts("kept") == [id])
            #expect(answer.flag("subscriptions.0.will_renew") == false)
            #expect(answer.text("refused.0.param") == "signed_renewals[1]")
        }
    }

    /// Returns the renewal info on the customer's device.
    private static func renewal(_ world: World, _ id: String) async throws -> String {
        let groups = try await world.appStoreClient().subscriptionStatuses(of: id).data
        return try #require(groups.first?.lastTransactions.first?.signedRenewalInfo)
    }

    @Test func `A report is answered with an error if none of its texts verifies`() async throws {
        try await Reports.withoutNotifications { world in
            let id = try await Reports.buy(world, "anna")
            let text = Self.forged(try await world.signedTransactions(of: id)[0], id)
            let answer = try await world.call(.POST, Self.path, ["signed_transactions": [text]])
            #expect(answer.status == 400 && answer.text("code") == "bad_signature")
            #expect(answer.text("param") == "signed_transactions[0]")
        }
    }
}
