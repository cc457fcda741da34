import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

@Suite struct `The compatible vocabulary` {
    static func configure(_ configuration: inout ServerConfiguration, _: String) {
        configuration.webhooks[0].payload = .compatible
    }

    @Test func `A subscription's events have the compatible types and members`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            let customer = try await world.buy("anna")
            try await world.deliverWebhooks()
            let first = try #require(receiver.take().first)
            let event = first.json["event"]
            #expect(first.json["api_version"].text == "1.0")
            #expect(event["type"].text == "INITIAL_PURCHASE")
            #expect(event["id"].text == first.id)
            #expect(event["app_user_id"].text == customer)
            #expect(event["period_type"].text == "TRIAL")
            #expect(event["product_id"].text == World.monthly)
            #expect(event["environment"].text == "PRODUCTION")
            #expect(event["store"].text == "APP_STORE")
            #expect(event["country_code"].text == "US")
            #expect(event["currency"].text == "USD")
            #expect(event["price"].number == 0)
            #expect(event["entitlement_ids"].items.map(\.text) == ["premium"])
            #expect(event["purchased_at_ms"].number == World.start.timeIntervalSince1970 * 1000)
            #expect(event["is_family_share"].flag == false)
            let expires = try #require(event["expiration_at_ms"].number) / 1000
            try await world.simulator.advance(to: Date(timeIntervalSince1970: expires + 1))
            try await world.deliverWebhooks()
            let renewal = try #require(receiver.take().first { $0.json["event"]["type"].text == "RENEWAL" })
            #expect(renewal.json["event"]["is_trial_conversion"].flag == true)
            #expect(renewal.json["event"]["period_type"].text == "NORMAL")
            #expect(renewal.json["event"]["price"].number ?? 0 > 0)
        }
    }

    @Test func `A family member who begins to share in a grace period has access until its end`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            world.simulator.configure { $0.gracePeriod = .sixteenDays }
            try await world.simulator.perform(.purchase(customer: "anna", product: World.monthly, introductory: false))
            try await world.simulator.perform(.failBilling(customer: "anna"))
            try await world.simulator.advance(by: 35 * 86_400)
            try await world.deliverWebhooks()
            let failed = try #require(receiver.take().first { $0.json["event"]["type"].text == "BILLING_ISSUE" })
            try await world.simulator.perform(.shareWithFamily(customer: "anna", member: "ben"))
            try await world.deliverWebhooks()
            let shared = try #require(receiver.take().first?.json["event"])
            #expect(shared["type"].text == "INITIAL_PURCHASE")
            let end = try #require(shared["grace_period_expiration_at_ms"].number)
            #expect(end == failed.json["event"]["grace_period_expiration_at_ms"].number)
            #expect(end > shared["expiration_at_ms"].number ?? end)
        }
    }

    @Test(arguments: [nil, .month] as [Period?])
    func `A non-renewing subscription expires after its duration in the catalogue, if it has one`(_ duration: Period?)
        async throws
    {
        let product = "com.example.season.pass"
        try await World.runWithWebhooks({ configuration, url in
            Self.configure(&configuration, url)
            configuration.apps[0].catalogue.durations[product] = duration
        }) { world, receiver in
            _ = try await world.buy("anna", product)
            try await world.deliverWebhooks()
            let event = try #require(receiver.take().first?.json["event"])
            #expect(event["type"].text == "NON_RENEWING_PURCHASE")
            let end = duration.map { $0.date(after: World.start).timeIntervalSince1970 * 1000 }
            #expect(event["expiration_at_ms"].number == end)
        }
    }

    @Test func `A purchase without an owner is transferred from its anonymous customer to the one who claims it`()
        async throws
    {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: World.monthly, appAccountToken: .absent))
            let original = try #require(bought.transactionID)
            try await world.deliverWebhooks()
            let started = try #require(receiver.take().first?.json["event"])
            #expect(started["app_user_id"].text == "anonymous:" + original)
            let account = try world.simulator.state(of: "anna").appTransactionID
            for (customer, former) in [("one", "anonymous:" + original), ("two", "one")] {
                try await world.simulator.advance(by: 1)
                try await DirectLedgerWriter(world: world).claim(account, for: customer)
                try await world.deliverWebhooks()
                let messages = receiver.take()
                try #require(messages.count == 1)
                let event = try #require(messages.first?.json["event"])
                #expect(event["type"].text == "TRANSFER")
                #expect(event["original_transaction_id"].text == original)
                #expect(event["transferred_from"].items.map(\.text) == [former])
                #expect(event["transferred_to"].items.map(\.text) == [customer])
            }
        }
    }

    @Test func `A migration to Advanced Commerce begins a subscription and ends the one that it replaces`()
        async throws
    {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: World.monthly, introductory: false))
            let old = try #require(bought.transactionID)
            try await world.deliverWebhooks()
            _ = receiver.take()
            try await world.simulator.advance(by: 86_400)
            try await world.simulator.trigger(TriggerRequest(.migration, customer: "anna"))
            try await world.deliverWebhooks()
            let events = receiver.take().map { $0.json["event"] }
            #expect(events.map { $0["type"].text } == ["INITIAL_PURCHASE", "EXPIRATION"])
            let (began, ended) = (try #require(events.first), try #require(events.last))
            let running = try world.simulator.state(of: "anna").subscriptions.filter(\.hasAccess)
            #expect(running.map(\.originalTransactionID) == [began["original_transaction_id"].text])
            #expect(running.map(\.productID) == [began["product_id"].text])
            #expect(ended["original_transaction_id"].text == old)
            #expect(ended["product_id"].text == World.monthly)
            #expect(ended["price"].number == 0)
            let end = try #require(ended["expiration_at_ms"].number)
            #expect(end == began["purchased_at_ms"].number)
        }
    }

    /// The compatible events of each kind of notification.
    static let names: [String: [String]] = [
        "SUBSCRIBED/INITIAL_BUY": ["INITIAL_PURCHASE"], "SUBSCRIBED/RESUBSCRIBE": ["RENEWAL"],
        "ONE_TIME_CHARGE": ["NON_RENEWING_PURCHASE"],
        "DID_CHANGE_RENEWAL_PREF/UPGRADE": ["PRODUCT_CHANGE", "RENEWAL"],
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE": ["PRODUCT_CHANGE"], "DID_CHANGE_RENEWAL_PREF": ["PRODUCT_CHANGE"],
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED": ["CANCELLATION UNSUBSCRIBE"],
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED": ["UNCANCELLATION"],
        "DID_CHANGE_RENEWAL_STATUS": ["CANCELLATION UNSUBSCRIBE"],
        "OFFER_REDEEMED/UPGRADE": ["PRODUCT_CHANGE", "RENEWAL"], "OFFER_REDEEMED/DOWNGRADE": ["PRODUCT_CHANGE"],
        "DID_RENEW": ["RENEWAL"], "DID_RENEW/BILLING_RECOVERY": ["RENEWAL"],
        "DID_FAIL_TO_RENEW/GRACE_PERIOD": ["BILLING_ISSUE", "CANCELLATION BILLING_ERROR"],
        "DID_FAIL_TO_RENEW": ["BILLING_ISSUE", "CANCELLATION BILLING_ERROR", "EXPIRATION BILLING_ERROR"],
        "GRACE_PERIOD_EXPIRED": ["EXPIRATION BILLING_ERROR"], "EXPIRED/VOLUNTARY": ["EXPIRATION UNSUBSCRIBE"],
        "EXPIRED/BILLING_RETRY": ["EXPIRATION BILLING_ERROR"],
        "EXPIRED/PRICE_INCREASE": ["EXPIRATION PRICE_INCREASE"],
        "EXPIRED/PRODUCT_NOT_FOR_SALE": ["EXPIRATION UNKNOWN"], "EXPIRED": ["EXPIRATION UNKNOWN"],
        "REFUND": ["CANCELLATION CUSTOMER_SUPPORT", "EXPIRATION CUSTOMER_SUPPORT"],
        "REFUND_REVERSED": ["REFUND_REVERSED"], "REVOKE": ["EXPIRATION UNKNOWN"],
        "RENEWAL_EXTENDED": ["SUBSCRIPTION_EXTENDED"], "TEST": ["TEST"],
    ]

    @Test func `Each kind of notification has the expected compatible events, or none`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            // A migration has a test of its own: the server may learn of the old subscription after it.
            for (type, subtype) in Trigger.kinds where type != .migration {
                let name = [type.rawValue, subtype?.rawValue].compactMap(\.self).joined(separator: "/")
                let outcome = try await world.simulator.trigger(TriggerRequest(type, subtype))
                try await world.deliverWebhooks()
                let uuid = try #require(
                    outcome.notifications.last { $0.notificationType == type && $0.subtype == subtype }?
                        .notificationUUID)
                // Two workers process in parallel. An older notification may be processed later, and then the newer
                // event is repeated.
                let messages = receiver.take().filter {
                    $0.id.hasPrefix("evt_" + uuid) && $0.json["event"]["repeats"].text == nil
                }.sorted { $0.id < $1.id }
                let words = messages.map { message in
                    let event = message.json["event"]
                    return [event["type"], event["cancel_reason"], event["expiration_reason"]].compactMap(\.text)
                        .joined(separator: " ")
                }
                #expect(words == Self.names[name] ?? [], "\(name)")
                #expect(Set(messages.map(\.id)).count == messages.count)
            }
            let states = try await world.deliveries().map(\.state)
            #expect(Set(states) == [.delivered, .discarded])
        }
    }

    @Test func `A failed payment with an unknown subtype is not reported as the end of access`() async throws {
        try await World.runWithWebhooks(Self.configure) { world, receiver in
            let outcome = try await world.simulator.trigger(
                TriggerRequest(.didFailToRenew, overrides: ["notification.subtype": .string("NEW")]))
            try await world.deliverWebhooks()
            let uuid = try #require(
                outcome.notifications.last { $0.notificationType == .didFailToRenew }?.notificationUUID)
            let messages = receiver.take().filter {
                $0.id.hasPrefix("evt_" + uuid) && $0.json["event"]["repeats"].text == nil
            }
            #expect(
                messages.compactMap { $0.json["event"]["type"].text }.sorted() == ["BILLING_ISSUE", "CANCELLATION"])
        }
    }
}
