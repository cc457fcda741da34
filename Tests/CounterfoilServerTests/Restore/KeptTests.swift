import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

/// An app finishes what the server names as kept, so every transaction of a report is judged by itself.
@Suite struct `Each transaction of a report is judged by itself` {
    private typealias Reports = `What an app reports is restored`
    private static let path = "/v1/customers/anna/purchases"

    /// The same with another payload, which still says which transaction it is.
    private static func forged(_ text: String, _ id: String) -> String {
        let payload = Data(#"{"transactionId":"\#(id)"}"#.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        var parts = text.split(separator: ".").map { String($0) }
        if parts.count == 3 { parts[1] = payload }
        return parts.joined(separator: ".")
    }

    @Test func `one that cannot be believed does not keep out the others`() async throws {
        try await Reports.silent { world in
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

    @Test func `one that stays another customer's is named, and the others are given`() async throws {
        try await Reports.silent(policy: .keepOriginal) { world in
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
            // Nothing but what is another's: as an error, so that nobody takes it for done.
            let all = try await world.call(.POST, "/v1/customers/otto/purchases", ["signed_transactions": own])
            #expect(all.status == 409 && all.text("code") == "receipt_already_in_use")
        }
    }

    @Test func `what is left with whom it belongs to is named, without an error`() async throws {
        try await Reports.silent { world in
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

    @Test func `a renewal info counts where its subscription is known`() async throws {
        try await Reports.silent { world in
            let id = try await Reports.buy(world, "anna")
            let texts = try await world.signedTransactions(of: id)
            // Nobody knows the subscription yet, and a renewal info does not say of which app it is.
            let early = try await world.call(
                .POST, Self.path, ["signed_renewals": [try await Self.renewal(world, id)]])
            #expect(early.status == 200 && early.texts("kept") == [])
            #expect(early.text("refused.0.code") == "unknown_subscription")
            #expect(early.text("refused.0.id") == id && early.text("refused.0.param") == "signed_renewals[0]")
            try await world.simulator.perform(.cancel(customer: "anna"))
            let renewal = try await Self.renewal(world, id)
            // The server learns it of nobody else.
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

    /// The renewal info that the device has.
    private static func renewal(_ world: World, _ id: String) async throws -> String {
        let groups = try await world.store().subscriptionStatuses(of: id).data
        return try #require(groups.first?.lastTransactions.first?.signedRenewalInfo)
    }

    @Test func `a report of which nothing can be believed is refused`() async throws {
        try await Reports.silent { world in
            let id = try await Reports.buy(world, "anna")
            let text = Self.forged(try await world.signedTransactions(of: id)[0], id)
            let answer = try await world.call(.POST, Self.path, ["signed_transactions": [text]])
            #expect(answer.status == 400 && answer.text("code") == "bad_signature")
            #expect(answer.text("param") == "signed_transactions[0]")
        }
    }
}
