import AppStoreModels
import Foundation
import StoreSimulator
internal import TestSupport
import Testing

/// Triggers, which cause a notification on demand.
@Suite struct TriggerTests {
    private static let example = Catalogue.example

    /// Last days of a month, which are edge cases of month arithmetic.
    private static let days = ["2026-03-31", "2028-02-29"]

    @Test(arguments: RenewalRate.all, days)
    func `Every notification can be triggered at every rate, also on the last day of a month`(
        _ rate: RenewalRate, _ day: String
    ) throws {
        let now = try Date(day + "T10:20:30Z", strategy: .iso8601)
        for catalogue in [Catalogue.shop, .example] {
            var shop = Shop(.sandbox, catalogue: catalogue) { $0.rate = rate }
            shop.now = now
            for (index, kind) in Trigger.kinds.enumerated() {
                let name = "\(kind.type.rawValue) \(kind.subtype?.rawValue ?? "")"
                let outcome = try shop.store.trigger(TriggerRequest(kind.type, kind.subtype), at: now)
                let last = try #require(outcome.notifications.last, "\(name)")
                #expect(last.notificationType == kind.type && last.subtype == kind.subtype, "\(name)")
                let record = try #require(shop.store.notifications.last { $0.uuid == last.notificationUUID })
                #expect(record.date == now && record.signedDate >= now, "\(name)")
                if let customer = outcome.customer, index > 0 { #expect(customer.hasPrefix("customer-")) }
            }
            try expectConsistent(shop.store, at: now)
            #expect(
                zip(shop.store.notifications, shop.store.notifications.dropFirst()).allSatisfy {
                    $0.signedDate < $1.signedDate
                })
        }
    }

    @Test func `The same triggers produce the same store, byte for byte`() throws {
        let stores = try (0..<2).map { _ in
            var shop = Shop()
            for kind in Trigger.kinds {
                _ = try shop.store.trigger(TriggerRequest(kind.type, kind.subtype), at: shop.now)
            }
            return try shop.store.bytes
        }
        #expect(stores[0] == stores[1])
    }

    @Test func `Triggers do not change settings and catalogue`() throws {
        for grace in [BillingGracePeriod.off, .threeDays] {
            var shop = Shop { $0.gracePeriod = grace }
            let (settings, catalogue) = (shop.store.settings, shop.store.catalogue)
            for kind in Trigger.kinds {
                _ = try shop.store.trigger(TriggerRequest(kind.type, kind.subtype), at: shop.now)
            }
            #expect(shop.store.settings == settings)
            #expect(shop.store.catalogue == catalogue)
        }
    }

    @Test func `A trigger for an existing customer continues from the customer's state`() throws {
        var shop = Shop { $0.gracePeriod = .sixteenDays }
        func trigger(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?, _ product: String? = nil) throws {
            shop.now += 60
            _ = try shop.store.trigger(TriggerRequest(type, subtype, product: product, customer: "anna"), at: shop.now)
            try expectConsistent(shop.store, at: shop.now)
        }
        try trigger(.subscribed, .initialBuy, "plus")
        try trigger(.priceIncrease, .pending)
        try trigger(.priceIncrease, .accepted)
        try trigger(.didRenew, nil)
        try trigger(.didFailToRenew, .gracePeriod)
        try trigger(.gracePeriodExpired, nil)
        try trigger(.didRenew, .billingRecovery)
        try trigger(.didChangeRenewalPref, .upgrade, "gold")
        try trigger(.didChangeRenewalPref, .downgrade, "basic")
        try trigger(.didChangeRenewalPref, nil)
        try trigger(.offerRedeemed, nil)
        try trigger(.renewalExtended, nil)
        try trigger(.refund, nil)
        try trigger(.refundReversed, nil)
        try trigger(.didChangeRenewalStatus, .autoRenewEnabled)
        try trigger(.expired, .voluntary)
        try trigger(.subscribed, .resubscribe)
        try trigger(.expired, .billingRetry)
        // Only a command fixes billing.
        try shop.perform(.fixBilling(customer: "anna"))
        try trigger(.oneTimeCharge, nil, "coins")
        try trigger(.consumptionRequest, nil, "coins")
        try trigger(.refundDeclined, nil, "coins")
        try trigger(.rescindConsent, nil)
        #expect(shop.store.customers.count == 1)
        #expect(try shop.store.state(of: "anna", at: shop.now).subscriptions.count == 1)
    }

    @Test func `A migration trigger moves a subscription to another identifier, once`() throws {
        var shop = Shop()
        let old = try shop.buy("plus")
        let expires = try shop.transaction(old).expiresDate
        shop.wait(days: 3)
        let request = TriggerRequest(.migration, customer: "anna")
        let outcome = try shop.store.trigger(request, at: shop.now)
        let new = try shop.transaction(try #require(outcome.transactionID))
        #expect(new.originalTransactionId == new.transactionId && new.transactionId != old)
        #expect(new.previousOriginalTransactionId == old && new.productId == "generic" && new.expiresDate == expires)
        let ended = try shop.transaction(old)
        #expect(ended.productId == "plus" && ended.isUpgraded == true)
        let subscription = try shop.store.subscription(of: "anna", old)
        #expect(shop.store.status(of: subscription, at: shop.now) == .expired)
        let error = #expect(throws: StoreError.self) { try shop.store.trigger(request, at: shop.now) }
        #expect(error?.code == .impossibleTransition)
        try expectConsistent(shop.store, at: shop.now)
        _ = shop.newNotifications()
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_RENEW"])
        #expect(try shop.last().transaction.price == 9990)
    }

    @Test func `An expiration trigger first cancels a renewing subscription, then expires it now`() throws {
        var shop = Shop()
        try shop.buy("plus")
        shop.wait(days: 5)
        _ = shop.newNotifications()
        let outcome = try shop.store.trigger(TriggerRequest(.expired, .voluntary, customer: "anna"), at: shop.now)
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY"])
        #expect(outcome.notifications.count == 2)
        #expect(try shop.last().transaction.expiresDate == shop.now)
    }

    @Test(
        arguments: [
            (.didRenew, .billingRecovery, .impossibleTransition), (.gracePeriodExpired, nil, .impossibleTransition),
            (.revoke, nil, .impossibleTransition), (.refundReversed, nil, .impossibleTransition),
            (.subscribed, .resubscribe, .alreadyOwned), (.subscribed, .initialBuy, .impossibleTransition),
            (.didChangeRenewalPref, nil, .alreadyOwned), (.metadataUpdate, nil, .impossibleTransition),
            (.didChangeRenewalStatus, .autoRenewEnabled, .impossibleTransition),
            (.didChangeRenewalStatus, nil, .impossibleTransition),
        ] as [(NotificationTypeV2, NotificationSubtype?, StoreError.Code)])
    func `A trigger that does not follow from the customer's state is refused without effect`(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype?, _ code: StoreError.Code
    ) throws {
        var shop = Shop()
        try shop.buy("plus")
        let before = try shop.store.bytes
        let error = #expect(throws: StoreError.self) {
            try shop.store.trigger(TriggerRequest(type, subtype, customer: "anna"), at: shop.now)
        }
        #expect(error?.code == code)
        #expect(try shop.store.bytes == before)
    }

    @Test func `An invalid trigger request is refused without effect`() throws {
        var shop = Shop()
        let before = try shop.store.bytes
        let invalidRequests: [TriggerRequest] = [
            .init(.didRenew, .voluntary), .init(.init(rawValue: "CANCEL")), .init(.didRenew, product: "coins"),
            .init(.oneTimeCharge, product: "plus"), .init(.revoke, product: "coins"), .init(.didRenew, product: "none"),
            .init(.didRenew, customer: "two words"), .init(.didRenew, customer: ""),
            .init(.didChangeRenewalPref, .upgrade, product: "coins"),
            .init(.didRenew, overrides: ["transaction": .null]), .init(.didRenew, overrides: ["": .null]),
            .init(.didRenew, overrides: ["transaction.": .null]),
            .init(.didRenew, overrides: ["summary.productId": .null]),
            .init(.oneTimeCharge, overrides: ["renewalInfo.autoRenewStatus": .integer(0)]),
            .init(.test, overrides: ["transaction.price": .integer(1)]),
            .init(.didRenew, overrides: ["header.alg": .string("none")]),
        ]
        for request in invalidRequests {
            let error = #expect(throws: StoreError.self, "\(request)") {
                try shop.store.trigger(request, at: shop.now)
            }
            let code: StoreError.Code = request.product == "none" ? .unknownProduct : .invalidArgument
            #expect(error?.code == code, "\(request)")
            if request.product == "coins", request.notificationType == .didRenew {
                #expect(error?.message == "coins is no auto-renewable subscription")
            }
        }
        for date in [Date.distantPast, Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: 1e15)] {
            let error = #expect(throws: StoreError.self) { try shop.store.trigger(.init(.didRenew), at: date) }
            #expect(error?.code == .invalidArgument)
        }
        #expect(try shop.store.bytes == before)
    }

    @Test func `Overrides apply only to the triggered notification`() throws {
        var shop = Shop()
        let overrides: [String: JSONValue] = ["transaction.price": .integer(990), "data.status": .null]
        _ = try shop.store.trigger(TriggerRequest(.expired, .voluntary, overrides: overrides), at: shop.now)
        #expect(shop.store.notifications.last?.overrides == overrides)
        try #require(shop.store.notifications.count > 1)
        #expect(shop.store.notifications.dropLast().allSatisfy { $0.overrides.isEmpty })
    }

    @Test func `A trigger dates a new customer's history in the past, and the subscription renews later`() throws {
        var shop = Shop()
        _ = try shop.store.trigger(TriggerRequest(.didRenew, product: "plus", customer: "anna"), at: shop.now)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        #expect(shop.store.notifications.first?.signedDate == Date(timeIntervalSince1970: 1_764_547_200))
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_RENEW"])
        // Now there are later notifications, so the next history is signed now.
        _ = try shop.store.trigger(TriggerRequest(.didRenew, product: "plus", customer: "ben"), at: shop.now)
        #expect(shop.store.notifications.suffix(2).allSatisfy { (shop.now..<shop.now + 1).contains($0.signedDate) })
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A trigger request is decoded from JSON with and without optional members`() throws {
        let text = #"{"notificationType": "EXPIRED", "subtype": "VOLUNTARY", "overrides": {"transaction.price": 1}}"#
        let request = try JSONDecoder().decode(TriggerRequest.self, from: Data(text.utf8))
        #expect(request == TriggerRequest(.expired, .voluntary, overrides: ["transaction.price": .integer(1)]))
        let short = try JSONDecoder().decode(TriggerRequest.self, from: Data(#"{"notificationType": "TEST"}"#.utf8))
        #expect(short == TriggerRequest(.test))
    }
}
