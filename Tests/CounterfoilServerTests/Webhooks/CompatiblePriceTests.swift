import CounterfoilServer
import Foundation
import Ledger
import StoreSimulator
import Testing

@Suite struct `The prices and dates of the compatible payload` {
    private static let basic = "com.example.basic.monthly"

    private static func configure(_ configuration: inout ServerConfiguration, _: String) {
        configuration.webhooks[0].payload = .compatible
    }

    /// Returns the events that `commands` cause, in the order in which they were sent.
    private static func events(
        _ world: World, _ receiver: WebhookReceiver, _ commands: StoreCommand...
    ) async throws -> [JSON] {
        for command in commands {
            try await world.simulator.perform(command)
            try await world.deliverWebhooks()
        }
        return receiver.take().map { $0.json["event"] }
    }

    @Test func `The prices of all events add up to what was paid and not refunded`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            let events = try await Self.events(
                world, receiver, .purchase(customer: "anna", product: Self.basic, introductory: false),
                .purchase(customer: "anna", product: World.monthly, introductory: false),
                .cancel(customer: "anna"), .resume(customer: "anna"), .approveRefund(customer: "anna"),
                .reverseRefund(customer: "anna"))
            #expect(
                events.map { $0["type"].text } == [
                    "INITIAL_PURCHASE", "PRODUCT_CHANGE", "RENEWAL", "CANCELLATION", "UNCANCELLATION", "CANCELLATION",
                    "EXPIRATION", "REFUND_REVERSED",
                ])
            let basic = try #require(events.first?["price"].number)
            let monthly = try #require(events.last?["price"].number)
            try #require(basic > 0 && monthly > basic)
            for member in ["price", "price_in_purchased_currency"] {
                let prices = events.map { $0[member].number }
                #expect(prices == [basic, 0, monthly, 0, 0, -monthly, 0, monthly], "\(member)")
            }
        }
    }

    @Test func `A free trial costs nothing in US dollars too, and another price in another currency is null there`()
        async throws
    {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            let started = try await Self.events(
                world, receiver, .createCustomer(customer: "anna", storefront: "DEU"),
                .purchase(customer: "anna", product: World.monthly))
            let trial = try #require(started.first)
            #expect(trial["period_type"].text == "TRIAL" && trial["currency"].text == "EUR")
            #expect(trial["price"].number == 0 && trial["price_in_purchased_currency"].number == 0)
            try await world.deliverWebhooks(after: 8 * 86_400)
            let renewal = try #require(receiver.take().first?.json["event"])
            #expect(renewal["type"].text == "RENEWAL" && renewal.keys.contains("price"))
            #expect(renewal["price"].number == nil)
            #expect(renewal["price_in_purchased_currency"].number ?? 0 > 0)
        }
    }

    @Test func `An upgrade at the instant of the purchase names the product before and the one after`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            let events = try await Self.events(
                world, receiver, .purchase(customer: "anna", product: Self.basic),
                .purchase(customer: "anna", product: World.monthly))
            let change = try #require(events.first { $0["type"].text == "PRODUCT_CHANGE" })
            #expect(change["product_id"].text == Self.basic)
            #expect(change["new_product_id"].text == World.monthly)
        }
    }

    @Test func `An upgrade names the product before it, also if that replaced a renewal charged ahead`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            world.simulator.configure { $0.maximumRenewalLeadTime = 86_400 }
            let bought = try await Self.events(
                world, receiver, .purchase(customer: "anna", product: Self.basic, introductory: false))
            let end = try #require(bought.first?["expiration_at_ms"].number) / 1000
            // The renewal is charged 2.4 to 24 hours before the period ends.
            try await world.deliverWebhooks(after: end - 3600 - World.start.timeIntervalSince1970)
            #expect(receiver.take().map { $0.json["event"]["type"].text } == ["RENEWAL"])
            _ = try await Self.events(
                world, receiver, .purchase(customer: "anna", product: World.monthly, introductory: false))
            try await world.deliverWebhooks(after: 5 * 86_400)
            let events = try await Self.events(
                world, receiver,
                .purchase(customer: "anna", product: "com.example.plus.monthly", introductory: false))
            let change = try #require(events.first { $0["type"].text == "PRODUCT_CHANGE" })
            #expect(change["product_id"].text == World.monthly)
            #expect(change["new_product_id"].text == "com.example.plus.monthly")
        }
    }

    @Test func `A downgrade within a commitment names the product that follows the commitment`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            let commitment = "com.example.premium.commitment"
            let events = try await Self.events(
                world, receiver, .purchase(customer: "anna", product: commitment, billingPlan: .monthly),
                .purchase(customer: "anna", product: Self.basic))
            let change = try #require(events.first { $0["type"].text == "PRODUCT_CHANGE" })
            #expect(change["product_id"].text == commitment)
            #expect(change["new_product_id"].text == Self.basic)
        }
    }

    @Test func `A refund ends the period in the messages, until it is reversed`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            let bought = try await Self.events(
                world, receiver, .purchase(customer: "anna", product: World.monthly, introductory: false))
            let end = try #require(bought.first?["expiration_at_ms"].number)
            try await world.deliverWebhooks(after: 86_400)
            let refunded = try await Self.events(world, receiver, .approveRefund(customer: "anna"))
            #expect(refunded.map { $0["type"].text } == ["CANCELLATION", "EXPIRATION"])
            let now = World.start.addingTimeInterval(86_400).timeIntervalSince1970 * 1000
            for event in refunded {
                let expired = try #require(event["expiration_at_ms"].number)
                #expect(expired >= now && expired <= event["event_timestamp_ms"].number ?? 0)
                #expect(expired < end)
            }
            let reversed = try await Self.events(world, receiver, .reverseRefund(customer: "anna"))
            #expect(reversed.map { $0["type"].text } == ["REFUND_REVERSED"])
            #expect(reversed.first?["expiration_at_ms"].number == end)
        }
    }
}
