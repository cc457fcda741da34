import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `An event` {
    /// Returns the data of the last event of the given type.
    private static func data(of type: String, _ world: World) async throws -> [String: Any] {
        let event = try await world.api.get("/v1/events").items.last { $0["type"] as? String == type }
        return try #require(event?["data"] as? [String: Any])
    }

    @Test func `The event of a withdrawn consent contains the app transaction, like its notification`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            try await world.simulator.perform(.rescindConsent(customer: "anna"))
            try await world.waitUntilIdle()
            let started = try await Self.data(of: "subscription.started", world)
            let account = try #require((started["transaction"] as? [String: Any])?["app_transaction_id"] as? String)
            let rescinded = try await Self.data(of: "customer.consent_rescinded", world)
            let app = try #require(rescinded["app_transaction"] as? [String: Any])
            #expect(app["app_transaction_id"] as? String == account)
            #expect(app["original_purchase_date"] is Int && app["signed_date"] is Int)
            let uuid = try #require((rescinded["notification"] as? [String: Any])?["uuid"] as? String)
            let decoded = try await world.api.get("/v1/notifications/\(uuid)")["decoded"] as? [String: Any]
            #expect((decoded?["app_transaction"] as? [String: Any])?["appTransactionId"] as? String == account)
        }
    }

    @Test func `A withdrawn consent names the owner of the Apple account's purchases until the customer is erased`()
        async throws
    {
        try await World.withConsole { world, browser in
            let anna = try await world.subscribe("anna")
            _ = try await world.subscribe("ben")
            try await world.simulator.perform(.rescindConsent(customer: "anna"))
            try await world.waitUntilIdle()
            let event = try await Self.data(of: "customer.consent_rescinded", world)
            #expect(event["customer"] as? String == anna)
            let uuid = try #require((event["notification"] as? [String: Any])?["uuid"] as? String)
            #expect(try await world.api.get("/v1/notifications/\(uuid)")["customer"] as? String == anna)
            let page = try await browser.get("/console/notifications/\(uuid)").text
            #expect(page.contains("href=\"/console/customers/\(anna)"))
            #expect(try await world.api.send("DELETE", "/v1/customers/\(anna)").status == 200)
            let erased = try await Self.data(of: "customer.consent_rescinded", world)
            #expect(erased["customer"] == nil)
            let notification = try await world.api.get("/v1/notifications/\(uuid)")
            #expect(notification.status == 200 && notification["customer"] == nil)
        }
    }

    @Test func `The event of a migration names the previous subscription`() async throws {
        try await World.withAPI { world in
            _ = try await world.simulator.trigger(TriggerRequest(.migration, nil))
            try await world.waitUntilIdle()
            let migrated = try await Self.data(of: "subscription.migrated", world)
            let transaction = try #require(migrated["transaction"] as? [String: Any])
            let previous = try #require(transaction["previous_original_transaction_id"] as? String)
            #expect(previous != transaction["original_transaction_id"] as? String)
            #expect(try await world.api.get("/v1/subscriptions/\(previous)").status == 200)
        }
    }

    @Test func `The transaction of an event has the period of its offer and the billing plan`() async throws {
        try await World.withAPI { world in
            let plan = StoreCommand.purchase(
                customer: "ben", product: "com.example.premium.commitment", billingPlan: .monthly)
            let offer = StoreCommand.purchase(customer: "anna", product: World.monthly)
            let cases: [(command: StoreCommand, values: [String?])] = [
                (plan, [nil, "MONTHLY"]), (offer, ["P1W", nil]),
            ]
            for (command, values) in cases {
                try await world.simulator.perform(command)
                try await world.waitUntilIdle()
                let started = try await Self.data(of: "subscription.started", world)
                let transaction = try #require(started["transaction"] as? [String: Any])
                let found = ["offer_period", "billing_plan_type"].map { transaction[$0] as? String }
                #expect(found == values)
                #expect(transaction["advanced_commerce"] == nil)
            }
        }
    }

    @Test func `The transaction of an event has the items of an Advanced Commerce purchase and their refunds`()
        async throws
    {
        try await World.withAPI { world in
            let reference = UUID()
            let bought = try await world.simulator.perform(
                .subscribeAdvancedCommerce(
                    customer: "anna", product: "com.example.advanced.subscription",
                    request: .init(
                        requestInfo: .init(requestReferenceId: reference), currency: "USD",
                        descriptors: .init(description: "Everything", displayName: "All"),
                        items: [
                            .init(sku: "tv", displayName: "TV", description: "TV", price: 5000),
                            .init(sku: "radio", displayName: "Radio", description: "Radio", price: 2000),
                        ], period: .p1m, taxCode: "C003-00-2")))
            try await world.waitUntilIdle()
            let started = try await Self.advancedCommerce(of: "subscription.started", world)
            #expect((started["request_reference_id"] as? String)?.lowercased() == reference.uuidString.lowercased())
            #expect(started["period"] as? String == "P1M" && started["tax_code"] as? String == "C003-00-2")
            let items = try #require(started["items"] as? [[String: Any]])
            #expect(items.map { $0["sku"] as? String } == ["tv", "radio"])
            #expect(items.map { $0["display_name"] as? String } == ["TV", "Radio"])
            #expect(items.map { $0["price_milliunits"] as? Int } == [5000, 2000])
            #expect(items.map { ($0["refunds"] as? [Any])?.count } == [0, 0])

            _ = try await world.simulator.client().requestRefund(
                try #require(bought.transactionID),
                AdvancedCommerceRequestRefundRequest(
                    requestInfo: .init(requestReferenceId: UUID()),
                    items: [.init(sku: "radio", refundReason: .legal, refundType: .full, revoke: true)],
                    refundRiskingPreference: false, currency: "USD"))
            try await world.simulator.processDueEvents()
            try await world.waitUntilIdle()
            let refunded = try await Self.advancedCommerce(of: "purchase.refunded", world)
            let radio = try #require((refunded["items"] as? [[String: Any]])?.last)
            #expect(radio["revocation_date"] is Int)
            let refunds = try #require(radio["refunds"] as? [[String: Any]])
            try #require(refunds.count == 1)
            #expect(refunds[0]["amount_milliunits"] as? Int == 2000 && refunds[0]["refund_date"] is Int)
            #expect(refunds[0]["reason"] as? String == "LEGAL" && refunds[0]["type"] as? String == "FULL")
        }
    }

    private static func advancedCommerce(of type: String, _ world: World) async throws -> [String: Any] {
        let transaction = try await data(of: type, world)["transaction"] as? [String: Any]
        return try #require(transaction?["advanced_commerce"] as? [String: Any])
    }
}
