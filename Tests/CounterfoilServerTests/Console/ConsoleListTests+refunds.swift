import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

// The pages about refunds.
extension `The lists of the console` {
    /// Requests a refund for a purchase of Kim's. Returns the customer and the transaction.
    private static func requestRefund(_ world: World) async throws -> (customer: String, transaction: String) {
        world.simulator.configure { $0.refundDecision = .byCommand }
        let token = UUID()
        try await world.simulator.perform(
            .purchase(customer: "kim", product: "com.example.coins.100", appAccountToken: AppAccountToken(token)))
        try await world.waitUntilIdle()
        let id = try await world.simulator.perform(.requestRefund(customer: "kim")).transactionID
        try await world.waitUntilIdle()
        return (token.uuidString.lowercased(), try #require(id))
    }

    @Test func `The refunds page tells apart data to be sent, sent data, and a missed deadline`() async throws {
        try await Self.run({ $0.apps[0].consumption = ConsumptionPolicy() }) { world, browser in
            let (kim, id) = try await Self.requestRefund(world)
            _ = try await world.inquiry(about: id) { $0.answer != nil }
            let waiting = try await browser.get("/console/refunds").text
            #expect(waiting.contains("nothing would be sent: the customer has not consented"))
            #expect(!waiting.contains("what was sent"))
            #expect(waiting.contains("for twelve hours, in Sandbox for five minutes."))
            try await world.simulator.advance(by: 12 * 3600 + 1)
            _ = try await world.inquiry(about: id) { $0.state == .missed }
            let missed = try await browser.get("/console/refunds").text
            #expect(missed.contains("the outcome") && !missed.contains("what was sent"))
            // The App Store was not asked: nothing could be sent.
            let refund = try await browser.get("/console/refunds/of?customer=\(kim)&transaction=\(id)").text
            #expect(refund.components(separatedBy: "the customer has not consented").count == 3)
            #expect(!refund.contains("the App Store said"))
        }
        try await Self.run({ $0.apps[0].consumption = ConsumptionPolicy(defaultConsent: true) }) { world, browser in
            let (kim, id) = try await Self.requestRefund(world)
            _ = try await world.inquiry(about: id) { $0.state == .sent }
            #expect(try await browser.get("/console/refunds").text.contains("what was sent"))
            // An element that is open by default could not be replaced by a live update.
            let refund = try await browser.get("/console/refunds/of?customer=\(kim)&transaction=\(id)").text
            #expect(refund.contains("<summary>The exact request") && !refund.contains("<details open"))
        }
    }

    @Test func `The refunds page says that nothing would be sent for an app without a policy`() async throws {
        try await Self.run { world, browser in
            let id = try await Self.requestRefund(world).transaction
            _ = try await world.inquiry(about: id) { $0.answer != nil }
            let page = try await browser.get("/console/refunds").text
            let sentence = "nothing would be sent: the configuration has no consumption policy for the app"
            // Among those that wait, and in the list of all.
            #expect(page.components(separatedBy: sentence).count == 3 && !page.contains("what would be sent"))
        }
    }

    @Test func `A transaction's refund page shows requests that the customer's API list leaves out`() async throws {
        try await Self.run { world, browser in
            let (kim, id) = try await Self.requestRefund(world)
            // Another purchase of the customer fills the API's list, which has 100 entries at most.
            let token = AppAccountToken(UUID(uuidString: kim))
            let other = try await world.simulator.perform(
                .purchase(customer: "kim", product: "com.example.coins.100", appAccountToken: token)
            ).transactionID
            for _ in 0..<100 {
                try await world.simulator.perform(.requestRefund(customer: "kim", transaction: other))
                try await world.simulator.perform(.declineRefund(customer: "kim", transaction: other))
            }
            try await world.waitUntilIdle()
            let listed = try await world.api.get("/v1/customers/\(kim)/consumption").items
            try #require(listed.count == 100 && !listed.contains { $0["transaction_id"] as? String == id })
            let refund = try await browser.get("/console/refunds/of?customer=\(kim)&transaction=\(id)").text
            #expect(refund.components(separatedBy: "<dt>Answer by</dt>").count == 2)
        }
    }
}
