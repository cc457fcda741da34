import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

// Refunds, and whether they end access.
extension `The compatible vocabulary` {
    @Test(arguments: [nil, 100_000, 33_333, 1] as [Int32?])
    func `A refund's price is the refunded part of the paid price`(_ percentage: Int32?) async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            _ = try await world.buy("anna", "com.example.coins.100")
            try await world.deliverWebhooks()
            let paid = try #require(receiver.take().first?.json["event"]["price"].number)
            try #require(paid > 0)
            try await world.simulator.perform(.approveRefund(customer: "anna", percentage: percentage))
            try await world.deliverWebhooks()
            let refund = try #require(receiver.take().first?.json["event"])
            #expect(refund["type"].text == "CANCELLATION")
            let thousandths = (paid * Double(percentage ?? 100_000) / 100).rounded()
            #expect(refund["price"].number == -thousandths / 1000)
            #expect(refund["price_in_purchased_currency"].number == refund["price"].number)
        }
    }

    /// Returns the types of the messages that `body` causes, sorted.
    private static func types(
        _ world: World, _ receiver: WebhookReceiver, _ body: () async throws -> Void
    ) async throws -> [String] {
        try await world.deliverWebhooks()
        _ = receiver.take()
        try await body()
        try await world.deliverWebhooks()
        return receiver.take().compactMap { $0.json["event"]["type"].text }.sorted()
    }

    @Test
    func `A refund in the grace period is reported as the end of access, unlike one after the subscription expired`()
        async throws
    {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            world.simulator.configure { $0.gracePeriod = .sixteenDays }
            for name in ["anna", "ben"] {
                try await world.simulator.perform(
                    .purchase(customer: name, product: World.monthly, introductory: false))
            }
            try await world.simulator.perform(.failBilling(customer: "anna"))
            try await world.simulator.perform(.cancel(customer: "ben"))
            try await world.simulator.advance(by: 40 * 86_400)
            try #require(try world.simulator.state(of: "anna").subscriptions.map(\.hasAccess) == [true])
            try #require(try world.simulator.state(of: "ben").subscriptions.map(\.hasAccess) == [false])
            let inGrace = try await Self.types(world, receiver) {
                try await world.simulator.perform(.approveRefund(customer: "anna"))
            }
            #expect(inGrace == ["CANCELLATION", "EXPIRATION"])
            let expired = try await Self.types(world, receiver) {
                try await world.simulator.perform(.approveRefund(customer: "ben"))
            }
            #expect(expired == [])
        }
    }

    @Test func `A refund is not reported as the end of access if another paid period gives it`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            world.simulator.configure { $0.maximumRenewalLeadTime = 86_400 }
            let running = try await world.simulator.perform(
                .purchase(customer: "anna", product: World.monthly, introductory: false))
            try await world.simulator.perform(.shareWithFamily(customer: "anna", member: "ben"))
            try await world.simulator.perform(
                .purchase(customer: "carl", product: World.monthly, introductory: false))
            let lower = try await world.simulator.perform(
                .purchase(customer: "dora", product: "com.example.basic.monthly", introductory: false))
            try await world.simulator.perform(
                .purchase(customer: "dora", product: World.monthly, introductory: false))
            let upgraded = try await Self.types(world, receiver) {
                try await world.simulator.perform(.approveRefund(customer: "dora", transaction: lower.transactionID))
            }
            #expect(upgraded == [])
            let end = try #require(try world.simulator.state(of: "anna").subscriptions.first?.expiresDate)
            let renewals = try await Self.types(world, receiver) { try await world.simulator.advance(to: end - 1) }
            try #require(renewals == ["RENEWAL", "RENEWAL", "RENEWAL", "RENEWAL"])
            // The next period of anna, and of ben, who shares it, is paid.
            let refunded = try await Self.types(world, receiver) {
                try await world.simulator.perform(
                    .approveRefund(customer: "anna", transaction: running.transactionID))
            }
            #expect(refunded == [])
            // Carl's next period is refunded before it begins.
            let ahead = try await Self.types(world, receiver) {
                try await world.simulator.perform(.approveRefund(customer: "carl"))
            }
            #expect(ahead == [])
            let later = try await Self.types(world, receiver) { try await world.simulator.advance(by: 3600) }
            #expect(later == ["EXPIRATION"])
            for (name, hasAccess) in [("anna", true), ("ben", true), ("carl", false), ("dora", true)] {
                let state = try world.simulator.state(of: name)
                #expect(state.subscriptions.map(\.hasAccess) == [hasAccess], "\(name)")
            }
        }
    }

    @Test func `A refund of an item of an Advanced Commerce subscription is not reported as its end`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            let bought = try await world.simulator.perform(
                .subscribeAdvancedCommerce(
                    customer: "anna", product: "com.example.advanced.subscription",
                    request: .init(
                        requestInfo: .init(requestReferenceId: UUID()), currency: "USD",
                        descriptors: .init(description: "Everything", displayName: "All"),
                        items: [
                            .init(sku: "tv", displayName: "TV", description: "TV", price: 5000),
                            .init(sku: "radio", displayName: "Radio", description: "Radio", price: 2000),
                        ], period: .p1m, taxCode: "C003-00-2")))
            let transaction = try #require(bought.transactionID)
            let client = try world.simulator.client()
            let item = try await Self.types(world, receiver) {
                _ = try await client.requestRefund(
                    transaction,
                    AdvancedCommerceRequestRefundRequest(
                        requestInfo: .init(requestReferenceId: UUID()),
                        items: [.init(sku: "radio", refundReason: .legal, refundType: .full, revoke: true)],
                        refundRiskingPreference: false, currency: "USD"))
            }
            #expect(item == [])
            let anna = try world.simulator.state(of: "anna")
            #expect(anna.subscriptions.map(\.hasAccess) == [true])
            let whole = try await Self.types(world, receiver) {
                try await world.simulator.perform(.approveRefund(customer: "anna"))
            }
            #expect(whole == ["CANCELLATION", "EXPIRATION"])
        }
    }

    @Test func `The reversal of a refund is reported only if the refunded period gives access again`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            world.simulator.configure { $0.maximumRenewalLeadTime = 86_400 }
            let first = try await world.simulator.perform(
                .purchase(customer: "anna", product: World.monthly, introductory: false))
            try await world.simulator.perform(.purchase(customer: "ben", product: World.monthly, introductory: false))
            let end = try #require(try world.simulator.state(of: "anna").subscriptions.first?.expiresDate)
            /// Returns the types of the messages that a reversal causes. The refund is reported before.
            func reversal(of customer: String, _ transaction: String?, after seconds: Double) async throws -> [String] {
                try await world.simulator.perform(.approveRefund(customer: customer, transaction: transaction))
                try await world.simulator.advance(by: seconds)
                return try await Self.types(world, receiver) {
                    try await world.simulator.perform(.reverseRefund(customer: customer, transaction: transaction))
                }
            }
            let running = try await reversal(of: "ben", nil, after: 1)
            #expect(running == ["REFUND_REVERSED"])
            // The next period is paid already, and goes on.
            try await world.simulator.advance(to: end - 2)
            let besideAnother = try await reversal(of: "anna", first.transactionID, after: 1)
            #expect(besideAnother == [])
            try await world.simulator.advance(by: 10 * 86_400)
            let earlier = try await reversal(of: "anna", first.transactionID, after: 1)
            #expect(earlier == [])
            try #require(try world.simulator.state(of: "anna").subscriptions.map(\.hasAccess) == [true])
            let over = try await reversal(of: "ben", nil, after: 100 * 86_400)
            #expect(over == [])
            try #require(try world.simulator.state(of: "ben").subscriptions.map(\.hasAccess) == [false])
        }
    }
}
