import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// The life cycle of one subscription: purchase, renewal, billing failure, expiration.
@Suite struct LifeCycleTests {
    @Test func `A trial renews into paid periods, expires after a cancellation and is not offered again`() throws {
        var shop = Shop()
        let first = try #require(try shop.perform(.purchase(customer: "anna", product: "plus")).transactionID)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY"])
        var payload = try shop.transaction(first)
        #expect(payload.offerType == .introductory)
        #expect(payload.offerIdentifier == nil)
        #expect(payload.offerDiscountType == .freeTrial)
        #expect(payload.offerPeriod == "P1W")
        #expect(payload.price == 0)
        #expect(payload.expiresDate == Period.week.date(after: shop.now))
        #expect(try shop.last().renewalInfo?.renewalPrice == 9990)
        #expect(try shop.last().renewalInfo?.offerType == nil)

        shop.wait(.week)
        #expect(shop.newNotifications() == ["DID_RENEW"])
        payload = try shop.last().transaction
        #expect(payload.transactionReason == .renewal)
        #expect(payload.offerType == nil)
        #expect(payload.price == 9990)
        #expect(payload.purchaseDate == shop.now)
        #expect(payload.originalPurchaseDate == Shop.start)

        shop.wait(.month)
        try shop.perform(.cancel(customer: "anna"))
        #expect(shop.newNotifications() == ["DID_RENEW", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"])
        #expect(try shop.status() == .active)
        shop.wait(.month)
        #expect(shop.newNotifications() == ["EXPIRED/VOLUNTARY"])
        #expect(try shop.last().renewalInfo?.expirationIntent == .customerCancelled)
        #expect(try shop.status() == .expired)

        // The trial is used up.
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        #expect(shop.newNotifications() == ["SUBSCRIBED/RESUBSCRIBE"])
        payload = try shop.last().transaction
        #expect(payload.originalTransactionId == first)
        #expect(payload.offerType == nil)
        #expect(payload.transactionReason == .purchase)
        #expect(try shop.last().renewalInfo?.expirationIntent == nil)
        #expect(try shop.last().renewalInfo?.isInBillingRetryPeriod == nil)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A cancelled trial stays active until its end and is never charged`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        try shop.perform(.cancel(customer: "anna"))
        #expect(try shop.status() == .active)
        shop.wait(.week)
        #expect(
            shop.newNotifications() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY",
            ])
        #expect(shop.store.transactions.count == 1)
    }

    @Test func `Turning renewal off and on does not change the transaction`() throws {
        var shop = Shop()
        let id = try shop.buy("plus")
        let before = try shop.transaction(id)
        try shop.perform(.cancel(customer: "anna"))
        try shop.expectRefusal(.cancel(customer: "anna"), .impossibleTransition)
        try shop.perform(.resume(customer: "anna"))
        try shop.expectRefusal(.resume(customer: "anna"), .impossibleTransition)
        #expect(try shop.transaction(id) == before)
        shop.wait(.month)
        #expect(
            shop.newNotifications() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "DID_RENEW",
            ])
    }

    @Test func `A recovery within the grace period keeps the billing cycle`() throws {
        var shop = Shop { $0.gracePeriod = .sixteenDays }
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        let end = shop.now
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_FAIL_TO_RENEW/GRACE_PERIOD"])
        let info = try #require(try shop.last().renewalInfo)
        #expect(info.autoRenewStatus == .on)
        #expect(info.isInBillingRetryPeriod == true)
        #expect(info.expirationIntent == .billingError)
        #expect(info.gracePeriodExpiresDate == end + 16 * 86_400)
        #expect(try shop.state().hasAccess)

        shop.wait(days: 10)
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(shop.newNotifications() == ["DID_RENEW/BILLING_RECOVERY"])
        let recovered = try shop.last()
        #expect(recovered.transaction.purchaseDate == end)
        #expect(recovered.transaction.expiresDate == Period.month.date(after: end))
        #expect(recovered.transaction.transactionReason == .renewal)
        #expect(recovered.renewalInfo?.expirationIntent == nil)
        #expect(recovered.renewalInfo?.gracePeriodExpiresDate == nil)
        #expect(recovered.renewalInfo?.isInBillingRetryPeriod == nil)
        #expect(try shop.status() == .active)
    }

    @Test func `A recovery after the grace period begins a new billing cycle`() throws {
        var shop = Shop { $0.gracePeriod = .threeDays }
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        shop.wait(days: 3)
        #expect(
            shop.newNotifications() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED",
            ])
        #expect(try shop.last().renewalInfo?.gracePeriodExpiresDate == nil)
        #expect(try shop.status() == .billingRetry)
        shop.wait(days: 5)
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(shop.newNotifications() == ["DID_RENEW/BILLING_RECOVERY"])
        #expect(try shop.last().transaction.purchaseDate == shop.now)
        #expect(try shop.last().transaction.expiresDate == Period.month.date(after: shop.now))
    }

    @Test(arguments: [BillingGracePeriod.off, .twentyEightDays])
    func `Billing retry ends 60 days after the first failure`(_ grace: BillingGracePeriod) throws {
        var shop = Shop { $0.gracePeriod = grace }
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        #expect(try shop.status() == (grace == .off ? .billingRetry : .billingGracePeriod))
        _ = shop.newNotifications()
        shop.wait(days: 60)
        #expect(shop.newNotifications() == (grace == .off ? [] : ["GRACE_PERIOD_EXPIRED"]) + ["EXPIRED/BILLING_RETRY"])
        let info = try #require(try shop.last().renewalInfo)
        #expect(info.autoRenewStatus == .off)
        #expect(info.isInBillingRetryPeriod == false)
        #expect(info.expirationIntent == .billingError)
        #expect(try shop.status() == .expired)
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(shop.newNotifications() == [])
    }

    @Test func `Without a grace period, a billing failure ends access, and a recovery shifts the cycle`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        #expect(try shop.status() == .billingRetry)
        #expect(try !shop.state().hasAccess)
        shop.wait(days: 20)
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(
            shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_FAIL_TO_RENEW", "DID_RENEW/BILLING_RECOVERY"])
        #expect(try shop.last().transaction.purchaseDate == shop.now)
    }

    @Test(arguments: [BillingGracePeriod.off, .sixteenDays])
    func `Cancelling in grace period or billing retry expires the subscription at once`(_ grace: BillingGracePeriod)
        throws
    {
        var shop = Shop { $0.gracePeriod = grace }
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        _ = shop.newNotifications()
        try shop.perform(.cancel(customer: "anna"))
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY"])
        #expect(try shop.last().renewalInfo?.expirationIntent == .customerCancelled)
        #expect(try shop.last().renewalInfo?.isInBillingRetryPeriod == false)
        #expect(try shop.last().renewalInfo?.gracePeriodExpiresDate == nil)
        #expect(try shop.status() == .expired)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A product that was removed from sale does not renew`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.removeFromSale(product: "plus"))
        try shop.expectRefusal(.purchase(customer: "ben", product: "plus"), .notForSale)
        shop.wait(.month)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "EXPIRED/PRODUCT_NOT_FOR_SALE"])
        #expect(try shop.last().renewalInfo?.expirationIntent == .productNotAvailable)
        #expect(try shop.last().renewalInfo?.autoRenewStatus == .off)
    }

    @Test func `The sandbox renews twelve times and then turns renewal off`() throws {
        var shop = Shop(.sandbox)
        try shop.buy("plus")
        for _ in 0..<13 { shop.wait(.month) }
        #expect(
            shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY"] + Array(repeating: "DID_RENEW", count: 12) + [
                "EXPIRED/VOLUNTARY"
            ]
        )
        #expect(try shop.last().renewalInfo?.expirationIntent == .customerCancelled)
        try shop.buy("plus")
        shop.wait(.month)
        #expect(shop.newNotifications() == ["SUBSCRIBED/RESUBSCRIBE", "DID_RENEW"])
    }

    @Test func `Accelerating ends the period, the grace period and the billing retry at once`() throws {
        var shop = Shop { $0.gracePeriod = .sixteenDays }
        try shop.buy("plus")
        shop.wait(days: 3)
        try shop.perform(.accelerate(customer: "anna"))
        #expect(try shop.last().transaction.purchaseDate == shop.now)
        try shop.perform(.failBilling(customer: "anna"))
        for _ in 0..<3 { try shop.perform(.accelerate(customer: "anna")) }
        #expect(
            shop.newNotifications() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD", "GRACE_PERIOD_EXPIRED",
                "EXPIRED/BILLING_RETRY",
            ])
        try shop.expectRefusal(.accelerate(customer: "anna"), .impossibleTransition)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A lapse of up to 60 days keeps the recent start date, and a longer one moves it`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        shop.wait(days: 60)
        try shop.buy("plus")
        #expect(try shop.last().renewalInfo?.recentSubscriptionStartDate == Shop.start)
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        shop.wait(days: 60.1)
        try shop.buy("plus")
        #expect(try shop.last().renewalInfo?.recentSubscriptionStartDate == shop.now)
    }

    @Test func `A long billing retry moves the recent start date, and a short one does not`() throws {
        for (minutes, isLong) in [(5.0, false), (30, true)] {
            var shop = Shop(.sandbox) { $0.rate = .monthlyEveryHour }
            try shop.buy("plus")
            try shop.perform(.failBilling(customer: "anna"))
            shop.waitForNext()
            shop.wait(days: minutes / 1440)
            try shop.perform(.fixBilling(customer: "anna"))
            let start = try shop.last().renewalInfo?.recentSubscriptionStartDate
            #expect(start == (isLong ? shop.now : Shop.start))
        }
    }
}
