import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Charges that fail: of all that a customer has or of one subscription, for good or for want of money.
@Suite struct BillingTests {
    @Test func `The charges of one subscription fail, and those of the others do not`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.buy("news")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        try shop.refuses(.failBilling(customer: "anna", subscription: "plus"), .impossibleTransition)
        try shop.refuses(.fixBilling(customer: "anna", subscription: "news"), .impossibleTransition)
        shop.wait(.month)
        #expect(shop.news().suffix(2).sorted() == ["DID_FAIL_TO_RENEW", "DID_RENEW"])
        let statuses = try shop.store.state(of: "anna", at: shop.now).subscriptions.map(\.status)
        #expect(statuses == [.billingRetry, .active])
        // Whoever can pay buys what they like meanwhile.
        try shop.buy("coins")
        try shop.perform(.fixBilling(customer: "anna", subscription: "plus"))
        #expect(shop.news() == ["ONE_TIME_CHARGE", "DID_RENEW/BILLING_RECOVERY"])
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Mending the payment method mends what failed by itself, too`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(shop.news().last == "DID_RENEW/BILLING_RECOVERY")
        try shop.refuses(.fixBilling(customer: "anna"), .impossibleTransition)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `For want of money one of the attempts over 60 days succeeds, which one the seed says`() throws {
        for subscription in [nil, "plus"] {
            var days: Set<Int> = []
            for seed in 1...30 {
                var shop = Shop(seed: UInt64(seed)) { $0.gracePeriod = .sixteenDays }
                try shop.buy("plus")
                try shop.perform(.failBilling(customer: "anna", subscription: subscription, recovers: true))
                shop.wait(.month)
                let failed = shop.now
                #expect(shop.news().last == "DID_FAIL_TO_RENEW/GRACE_PERIOD")
                shop.wait(days: 60)
                let told = try #require(shop.store.notifications.last { $0.subtype == .billingRecovery })
                let day = told.date.timeIntervalSince(failed) / 86_400
                #expect(Store.attemptDays.contains(day))
                days.insert(Int(day))
                guard case .purchase(let purchase) = told.content else { continue }
                #expect(purchase.transaction.purchaseDate == (day < 16 ? failed : told.date))
                try expectSound(shop.store, at: shop.now)
            }
            #expect(days.count > 5)
        }
    }

    @Test(arguments: [BillingGracePeriod.off, .sixteenDays])
    func `A higher level bought in grace or retry clears what belongs to the failed period`(
        _ grace: BillingGracePeriod
    ) throws {
        var shop = Shop { $0.gracePeriod = grace }
        let old = try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        shop.wait(days: 2)
        let new = try shop.buy("gold")
        // In retry the subscription is inactive.
        #expect(shop.news().last == (grace == .off ? "SUBSCRIBED/RESUBSCRIBE" : "DID_CHANGE_RENEWAL_PREF/UPGRADE"))
        let told = try shop.last()
        #expect(told.status == .active)
        #expect(told.renewalInfo?.expirationIntent == nil)
        #expect(told.renewalInfo?.isInBillingRetryPeriod == nil)
        #expect(told.renewalInfo?.gracePeriodExpiresDate == nil)
        #expect(try shop.transaction(new).purchaseDate == shop.now)
        // It had ended by itself.
        #expect(try shop.transaction(old).isUpgraded == nil)
        try expectSound(shop.store, at: shop.now)
        shop.wait(.month)
        #expect(shop.news() == ["DID_RENEW"])
    }

    @Test func `Buying in retry what is owed pays for it`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        shop.wait(days: 3)
        try shop.buy("plus")
        #expect(shop.news().last == "DID_RENEW/BILLING_RECOVERY")
        #expect(try shop.last().transaction.purchaseDate == shop.now)
        try expectSound(shop.store, at: shop.now)
    }

    @Test(arguments: ["basic", "plus.yearly", "plus.other", "gold"])
    func `What is bought in retry besides what is owed begins the subscription again`(_ product: String) throws {
        var shop = Shop()
        let first = try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        shop.wait(days: 3)
        #expect(try shop.status() == .billingRetry)
        _ = shop.news()
        let id = try shop.buy(product)
        #expect(shop.news() == ["SUBSCRIBED/RESUBSCRIBE"])
        let payload = try shop.transaction(id)
        #expect(payload.productId == product && payload.originalTransactionId == first)
        #expect(payload.transactionReason == .purchase && payload.purchaseDate == shop.now)
        #expect(payload.price == Catalogue.shop.product(product)?.price)
        let told = try shop.last()
        #expect(told.status == .active)
        #expect(told.renewalInfo?.autoRenewProductId == product)
        #expect(told.renewalInfo?.isInBillingRetryPeriod == nil)
        try expectSound(shop.store, at: shop.now)
    }

    @Test(arguments: [BillingGracePeriod.off, .sixteenDays])
    func `Buying in grace or retry the lower level that is owed pays for it`(_ grace: BillingGracePeriod) throws {
        var shop = Shop { $0.gracePeriod = grace }
        try shop.buy("plus")
        try shop.buy("basic")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        shop.wait(days: 3)
        var other = shop
        try shop.buy("basic")
        #expect(shop.news().last == "DID_RENEW/BILLING_RECOVERY")
        #expect(try shop.last().transaction.productId == "basic")
        #expect(try shop.status() == .active)
        try expectSound(shop.store, at: shop.now)
        // The level that ended is not what is owed.
        try other.buy("plus")
        #expect(other.news().last == (grace == .off ? "SUBSCRIBED/RESUBSCRIBE" : "DID_CHANGE_RENEWAL_PREF"))
        #expect(try other.last().renewalInfo?.autoRenewProductId == "plus")
        #expect(try other.status() == (grace == .off ? .active : .billingGracePeriod))
        try expectSound(other.store, at: other.now)
    }

    @Test func `An offer that would be over by the day of the recovery begins on that day`() throws {
        var catalogue = Catalogue.shop
        let plus = try #require(catalogue.products.firstIndex { $0.id == "plus" })
        catalogue.products[plus].subscription?.offers.append(
            Offer(identifier: "short", type: .promotional, discount: .payUpFront, period: .week, price: 990))
        // Within its week an offer keeps the cycle as everything does.
        for (days, keepsCycle) in [(5.0, true), (10, false)] {
            var shop = Shop(catalogue: catalogue) { $0.gracePeriod = .sixteenDays }
            try shop.buy("plus")
            try shop.buy("plus", offer: "short")
            try shop.perform(.failBilling(customer: "anna"))
            shop.wait(.month)
            let failed = shop.now
            shop.wait(days: days)
            try shop.perform(.fixBilling(customer: "anna"))
            #expect(shop.news().last == "DID_RENEW/BILLING_RECOVERY")
            let told = try shop.last()
            #expect(told.transaction.offerIdentifier == "short")
            #expect(told.transaction.purchaseDate == (keepsCycle ? failed : shop.now))
            // What was paid just now gives access.
            #expect(told.status == .active)
            try expectSound(shop.store, at: shop.now)
        }
    }

    @Test(arguments: [(true, [59.0, 90, 120, 151]), (false, [59, 87, 118, 148])])
    func `What began on the 31st renews on the last day of a shorter month`(_ keeps: Bool, _ days: [Double]) throws {
        var shop = Shop { $0.keepsDayOfMonth = keeps }
        // The 31st of January; the year has no 29th of February.
        shop.now = Shop.start + 30 * 86_400
        try shop.buy("plus")
        for day in days {
            shop.waitForNext()
            #expect(shop.now == Shop.start + (day - 1) * 86_400)
        }
    }

    @Test func `Another storefront has other prices from the next renewal on`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.refuses(.changeStorefront(customer: "anna", storefront: "XXX"), .unknownStorefront)
        try shop.refuses(.changeStorefront(customer: "anna", storefront: "USA"), .impossibleTransition)
        try shop.perform(.changeStorefront(customer: "anna", storefront: "DEU"))
        shop.wait(.month)
        let payload = try shop.last().transaction
        #expect(payload.storefront == "DEU")
        #expect(payload.currency == "EUR")
        #expect(try shop.store.customer("anna").storefront == "DEU")
    }

    @Test func `Nobody belongs to two families, and no family to another`() throws {
        var shop = Shop()
        for name in ["anna", "ben", "carl"] { try shop.perform(.createCustomer(customer: name)) }
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try shop.refuses(.shareWithFamily(customer: "carl", member: "ben"), .impossibleTransition)
        try shop.refuses(.shareWithFamily(customer: "ben", member: "carl"), .impossibleTransition)
        try shop.refuses(.shareWithFamily(customer: "carl", member: "anna"), .impossibleTransition)
        try shop.perform(.stopSharing(customer: "anna", member: "ben"))
        try shop.perform(.shareWithFamily(customer: "carl", member: "ben"))
    }
}
