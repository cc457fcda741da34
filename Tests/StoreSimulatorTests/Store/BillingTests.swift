import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Failing charges: for all subscriptions or for one, permanently or until a retry succeeds.
@Suite struct BillingTests {
    @Test func `Failing billing of one subscription does not affect the others`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.buy("news")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        try shop.expectRefusal(.failBilling(customer: "anna", subscription: "plus"), .impossibleTransition)
        try shop.expectRefusal(.fixBilling(customer: "anna", subscription: "news"), .impossibleTransition)
        shop.wait(.month)
        #expect(shop.newNotifications().suffix(2).sorted() == ["DID_FAIL_TO_RENEW", "DID_RENEW"])
        let statuses = try shop.store.state(of: "anna", at: shop.now).subscriptions.map(\.status)
        #expect(statuses == [.billingRetry, .active])
        // Other purchases succeed meanwhile.
        try shop.buy("coins")
        try shop.perform(.fixBilling(customer: "anna", subscription: "plus"))
        #expect(shop.newNotifications() == ["ONE_TIME_CHARGE", "DID_RENEW/BILLING_RECOVERY"])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `Fixing a customer's billing also fixes a subscription whose billing failed alone`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(shop.newNotifications().last == "DID_RENEW/BILLING_RECOVERY")
        try shop.expectRefusal(.fixBilling(customer: "anna"), .impossibleTransition)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `With recovers, one retry within 60 days succeeds, and the seed decides which one`() async throws {
        for subscription in [nil, "plus"] {
            var days: Set<Int> = []
            for await seed in Yielding(1...30) {
                var shop = Shop(seed: UInt64(seed)) { $0.gracePeriod = .sixteenDays }
                try shop.buy("plus")
                try shop.perform(.failBilling(customer: "anna", subscription: subscription, recovers: true))
                shop.wait(.month)
                let failed = shop.now
                #expect(shop.newNotifications().last == "DID_FAIL_TO_RENEW/GRACE_PERIOD")
                shop.wait(days: 60)
                let recovery = try #require(shop.store.notifications.last { $0.subtype == .billingRecovery })
                let day = recovery.date.timeIntervalSince(failed) / 86_400
                #expect(Store.retryDays.contains(day))
                days.insert(Int(day))
                guard case .purchase(let purchase) = recovery.content else {
                    Issue.record("the recovery of seed \(seed) is not about a purchase")
                    continue
                }
                #expect(purchase.transaction.purchaseDate == (day < 16 ? failed : recovery.date))
                try expectConsistent(shop.store, at: shop.now)
            }
            #expect(days.count > 5)
        }
    }

    @Test func `A refund in billing retry cancels the charge that would have succeeded`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", recovers: true))
        shop.wait(.month)
        #expect(shop.store.upcoming?.event == "a charge for plus succeeds (anna)")
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.store.upcoming?.event == nil)
    }

    @Test(arguments: [BillingGracePeriod.off, .sixteenDays])
    func `An upgrade in grace period or billing retry clears the state of the failed renewal`(
        _ grace: BillingGracePeriod
    ) throws {
        var shop = Shop { $0.gracePeriod = grace }
        let old = try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        shop.wait(days: 2)
        let new = try shop.buy("gold")
        // In retry the subscription is inactive.
        #expect(
            shop.newNotifications().last
                == (grace == .off ? "SUBSCRIBED/RESUBSCRIBE" : "DID_CHANGE_RENEWAL_PREF/UPGRADE"))
        let last = try shop.last()
        #expect(last.status == .active)
        #expect(last.renewalInfo?.expirationIntent == nil)
        #expect(last.renewalInfo?.isInBillingRetryPeriod == nil)
        #expect(last.renewalInfo?.gracePeriodExpiresDate == nil)
        #expect(try shop.transaction(new).purchaseDate == shop.now)
        // The old period had already ended.
        #expect(try shop.transaction(old).isUpgraded == nil)
        try expectConsistent(shop.store, at: shop.now)
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_RENEW"])
    }

    @Test func `Buying the due product in billing retry recovers the subscription`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        shop.wait(days: 3)
        try shop.buy("plus")
        #expect(shop.newNotifications().last == "DID_RENEW/BILLING_RECOVERY")
        #expect(try shop.last().transaction.purchaseDate == shop.now)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test(arguments: ["basic", "plus.yearly", "plus.other", "gold"])
    func `Buying another product than the due one in billing retry resubscribes`(_ product: String) throws {
        var shop = Shop()
        let first = try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        shop.wait(days: 3)
        #expect(try shop.status() == .billingRetry)
        _ = shop.newNotifications()
        let id = try shop.buy(product)
        #expect(shop.newNotifications() == ["SUBSCRIBED/RESUBSCRIBE"])
        let payload = try shop.transaction(id)
        #expect(payload.productId == product && payload.originalTransactionId == first)
        #expect(payload.transactionReason == .purchase && payload.purchaseDate == shop.now)
        #expect(payload.price == Catalogue.shop.product(product)?.price)
        let last = try shop.last()
        #expect(last.status == .active)
        #expect(last.renewalInfo?.autoRenewProductId == product)
        #expect(last.renewalInfo?.isInBillingRetryPeriod == nil)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test(arguments: [BillingGracePeriod.off, .sixteenDays])
    func `Buying the due lower level in grace period or billing retry recovers the subscription`(
        _ grace: BillingGracePeriod
    ) throws {
        var shop = Shop { $0.gracePeriod = grace }
        try shop.buy("plus")
        try shop.buy("basic")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        shop.wait(days: 3)
        var other = shop
        try shop.buy("basic")
        #expect(shop.newNotifications().last == "DID_RENEW/BILLING_RECOVERY")
        #expect(try shop.last().transaction.productId == "basic")
        #expect(try shop.status() == .active)
        try expectConsistent(shop.store, at: shop.now)
        // The previous level is not the due one.
        try other.buy("plus")
        #expect(other.newNotifications().last == (grace == .off ? "SUBSCRIBED/RESUBSCRIBE" : "DID_CHANGE_RENEWAL_PREF"))
        #expect(try other.last().renewalInfo?.autoRenewProductId == "plus")
        #expect(try other.status() == (grace == .off ? .active : .billingGracePeriod))
        try expectConsistent(other.store, at: other.now)
    }

    @Test func `An offer that would have ended before the recovery begins on the day of the recovery`() throws {
        var catalogue = Catalogue.shop
        let plus = try #require(catalogue.products.firstIndex { $0.id == "plus" })
        catalogue.products[plus].subscription?.offers.append(
            Offer(identifier: "short", type: .promotional, discount: .payUpFront, period: .week, price: 990))
        // A recovery within the week of the offer keeps the billing cycle.
        for (days, keepsCycle) in [(5.0, true), (10, false)] {
            var shop = Shop(catalogue: catalogue) { $0.gracePeriod = .sixteenDays }
            try shop.buy("plus")
            try shop.buy("plus", offer: "short")
            try shop.perform(.failBilling(customer: "anna"))
            shop.wait(.month)
            let failed = shop.now
            shop.wait(days: days)
            try shop.perform(.fixBilling(customer: "anna"))
            #expect(shop.newNotifications().last == "DID_RENEW/BILLING_RECOVERY")
            let last = try shop.last()
            #expect(last.transaction.offerIdentifier == "short")
            #expect(last.transaction.purchaseDate == (keepsCycle ? failed : shop.now))
            // The new payment gives access.
            #expect(last.status == .active)
            try expectConsistent(shop.store, at: shop.now)
        }
    }

    @Test(arguments: [(true, [59.0, 90, 120, 151]), (false, [59, 87, 118, 148])])
    func `A subscription from the 31st renews on the last day of a shorter month`(_ keeps: Bool, _ days: [Double])
        throws
    {
        var shop = Shop { $0.renewsOnOriginalDayOfMonth = keeps }
        // The 31st of January; the year has no 29th of February.
        shop.now = Shop.start + 30 * 86_400
        try shop.buy("plus")
        for day in days {
            shop.waitForNext()
            #expect(shop.now == Shop.start + (day - 1) * 86_400)
        }
    }

    @Test func `The first month after a trial determines the day of the month`() throws {
        var shop = Shop()
        // A week from the 24th of January.
        shop.now = Shop.start + 23 * 86_400
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        for day in [31.0, 59, 90] {
            shop.waitForNext()
            #expect(shop.now == Shop.start + (day - 1) * 86_400)
        }
    }

    @Test func `After a storefront change, the next renewal has the new storefront and currency`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.expectRefusal(.changeStorefront(customer: "anna", storefront: "XXX"), .unknownStorefront)
        try shop.expectRefusal(.changeStorefront(customer: "anna", storefront: "USA"), .impossibleTransition)
        try shop.perform(.changeStorefront(customer: "anna", storefront: "DEU"))
        shop.wait(.month)
        let payload = try shop.last().transaction
        #expect(payload.storefront == "DEU")
        #expect(payload.currency == "EUR")
        #expect(try shop.store.customer("anna").storefront == "DEU")
    }

    @Test func `A resubscription in another storefront has an original transaction of its own`() throws {
        var shop = Shop()
        var originals: [String] = []
        for storefront in ["USA", "DEU", "USA"] {
            if !originals.isEmpty {
                try shop.perform(.changeStorefront(customer: "anna", storefront: storefront))
            }
            _ = shop.newNotifications()
            let transaction = try shop.buy("plus")
            #expect(shop.newNotifications() == ["SUBSCRIBED/\(originals.isEmpty ? "INITIAL_BUY" : "RESUBSCRIBE")"])
            originals.append(try shop.transaction(transaction).originalTransactionId)
            // Only the latest subscription is active, and while it is, the other one has no win-back offers.
            let states = try shop.store.state(of: "anna", at: shop.now).subscriptions
            #expect(states.filter(\.hasAccess).map(\.transactionID) == [transaction])
            for subscription in shop.store.subscriptions.values {
                #expect(shop.store.renewalInfo(of: subscription, at: shop.now).eligibleWinBackOfferIds == nil)
            }
            try shop.perform(.cancel(customer: "anna"))
            shop.wait(.month)
        }
        #expect(originals[0] == originals[2] && originals[0] != originals[1])
        #expect(try shop.store.customer("anna").subscriptions == Array(originals.prefix(2)))
    }

    @Test func `A customer cannot belong to two families, and a family cannot join another`() throws {
        var shop = Shop()
        for name in ["anna", "ben", "carl"] { try shop.perform(.createCustomer(customer: name)) }
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try shop.expectRefusal(.shareWithFamily(customer: "carl", member: "ben"), .impossibleTransition)
        try shop.expectRefusal(.shareWithFamily(customer: "ben", member: "carl"), .impossibleTransition)
        try shop.expectRefusal(.shareWithFamily(customer: "carl", member: "anna"), .impossibleTransition)
        try shop.perform(.stopSharing(customer: "anna", member: "ben"))
        try shop.perform(.shareWithFamily(customer: "carl", member: "ben"))
    }

    @Test(arguments: [(true, SubscriptionStatus.billingGracePeriod), (false, .billingRetry)])
    func `A failed payment after a free trial has a grace period unless the setting is off`(
        _ isCovered: Bool, _ status: SubscriptionStatus
    ) throws {
        var shop = Shop {
            $0.gracePeriod = .sixteenDays
            $0.gracePeriodAppliesToFreeOffers = isCovered
        }
        for (customer, trial) in [("anna", true), ("ben", false)] {
            try shop.perform(.purchase(customer: customer, product: "plus", introductory: trial))
            try shop.perform(.failBilling(customer: customer))
        }
        shop.wait(.week)
        #expect(try shop.status() == status)
        shop.wait(.month)
        #expect(try shop.status("ben") == .billingGracePeriod)
    }
}
