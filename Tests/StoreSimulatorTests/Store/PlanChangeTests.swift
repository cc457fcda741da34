import AppStoreModels
import Foundation
import StoreSimulator
internal import TestSupport
import Testing

/// Upgrades, downgrades, crossgrades.
@Suite struct PlanChangeTests {
    @Test func `An upgrade begins a new period at once and marks the old transaction`() throws {
        var shop = Shop()
        let old = try shop.buy("plus")
        let before = try shop.store.transaction(old)
        shop.wait(days: 10)
        let new = try shop.buy("gold")
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/UPGRADE"])
        let payload = try shop.transaction(new)
        #expect(payload.productId == "gold")
        #expect(payload.originalTransactionId == old)
        #expect(payload.transactionReason == .purchase)
        #expect(payload.purchaseDate == shop.now)
        #expect(payload.expiresDate == Period.month.date(after: shop.now))
        #expect(payload.price == 19_990)
        #expect(try shop.last().renewalInfo?.productId == "gold")
        #expect(try shop.last().renewalInfo?.autoRenewProductId == "gold")
        let after = try shop.store.transaction(old)
        #expect(after.payload.isUpgraded == true)
        #expect(after.payload.expiresDate == before.payload.expiresDate)
        #expect(after.payload.revocationDate == nil)
        #expect(after.revision > before.revision)
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_RENEW"])
    }

    @Test(arguments: ["basic", "plus.yearly"])
    func `A downgrade, or a change of the period's length, applies at the renewal`(_ product: String) throws {
        var shop = Shop()
        let id = try shop.buy("plus")
        shop.wait(days: 10)
        let before = try shop.transaction(id)
        try shop.buy(product)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE"])
        #expect(try shop.transaction(id) == before)
        let info = try #require(try shop.last().renewalInfo)
        #expect(info.productId == "plus")
        #expect(info.autoRenewProductId == product)
        #expect(info.renewalPrice == Catalogue.shop.product(product)?.price)
        try shop.expectRefusal(.purchase(customer: "anna", product: product), .alreadyOwned)
        shop.now = try #require(before.expiresDate)
        shop.store.run(until: shop.now)
        #expect(shop.newNotifications() == ["DID_RENEW"])
        let payload = try shop.last().transaction
        #expect(payload.productId == product)
        #expect(payload.transactionReason == .renewal)
        #expect(payload.price == info.renewalPrice)
    }

    @Test func `A downgrade can be undone before the renewal`() throws {
        var shop = Shop()
        let id = try shop.buy("plus")
        try shop.buy("basic")
        try shop.buy("plus")
        #expect(
            shop.newNotifications() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
            ])
        #expect(try shop.last().transaction.transactionId == id)
        #expect(try shop.last().renewalInfo?.autoRenewProductId == "plus")
        #expect(try shop.last().renewalInfo?.renewalPrice == 9990)
        try shop.expectRefusal(.purchase(customer: "anna", product: "plus"), .alreadyOwned)
    }

    @Test func `A downgrade drops the offer of the old product unless it is undone`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.buy("gold", offer: "goldfish")
        try shop.buy("basic")
        let info = try #require(try shop.last().renewalInfo)
        #expect(info.autoRenewProductId == "basic")
        #expect(info.offerIdentifier == nil && info.offerType == nil)
        #expect(info.renewalPrice == 4990)
        var other = shop
        try other.buy("gold")
        #expect(try other.last().renewalInfo?.offerIdentifier == "goldfish")
        #expect(try other.last().renewalInfo?.renewalPrice == 9990)
        other.wait(.month)
        #expect(try other.last().transaction.price == 9990)

        shop.wait(.month)
        let payload = try shop.last().transaction
        #expect(payload.productId == "basic")
        #expect(payload.offerIdentifier == nil && payload.offerType == nil)
        #expect(payload.price == 4990)
    }

    @Test func `A change to a product of the same level and period applies at once as an upgrade`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.buy("plus.other")
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/UPGRADE"])
        #expect(try shop.last().transaction.productId == "plus.other")
    }

    @Test func `A plan change turns renewal on again`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        try shop.buy("basic")
        #expect(try shop.last().renewalInfo?.autoRenewStatus == .on)
        try shop.perform(.cancel(customer: "anna"))
        try shop.buy("gold")
        #expect(try shop.last().renewalInfo?.autoRenewStatus == .on)
        try shop.perform(.cancel(customer: "anna"))
        _ = shop.newNotifications()
        // Buying the cancelled product again undoes the cancellation.
        try shop.buy("gold")
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"])
    }

    @Test func `A setting limits the notification of a late downgrade to the renewal`() throws {
        var shop = Shop { $0.sendsNotificationOnLateDowngrade = false }
        try shop.buy("plus")
        shop.wait(days: 30.5)
        try shop.buy("basic")
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY"])
        shop.wait(days: 1)
        #expect(shop.newNotifications() == ["DID_RENEW"])
        #expect(try shop.last().transaction.productId == "basic")
    }

    @Test func `A billing plan ends with its product, and has one price in every storefront`() throws {
        var shop = Shop()
        try shop.perform(
            .purchase(customer: "anna", product: "plus.yearly", introductory: false, billingPlan: .billedUpfront))
        #expect(try shop.last().renewalInfo?.renewalBillingPlanType?.rawValue == "BILLED_UPFRONT")
        try shop.perform(.changeStorefront(customer: "anna", storefront: "DEU"))
        shop.wait(.year)
        #expect(try shop.last().transaction.billingPlanType == .billedUpfront)
        #expect(try shop.last().transaction.price == 95_000)
        try shop.buy("basic")
        #expect(try shop.last().renewalInfo?.renewalBillingPlanType == nil)
        shop.wait(.year)
        #expect(try shop.last().transaction.productId == "basic")
        #expect(try shop.last().transaction.billingPlanType == nil)
        // The product has no billing plan, so its price can be increased.
        try shop.perform(.increasePrice(product: "basic", price: 5990, consent: false, customer: "anna"))
        shop.wait(.month)
        #expect(try shop.last().transaction.price == 5990)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `Commitment info has product, price and billing plan of the next commitment`() throws {
        var catalogue = Catalogue.shop
        let basic = try #require(catalogue.products.firstIndex { $0.id == "basic" })
        let monthly = BillingPlan(type: .monthly, price: 4500, commitmentPrice: 54_000)
        for plan in [nil, monthly] {
            catalogue.products[basic].subscription?.period = .year
            catalogue.products[basic].subscription?.billingPlans = plan.map { [$0] } ?? []
            var shop = Shop(catalogue: catalogue)
            try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
            try shop.buy("basic")
            let info = try #require(try shop.last().renewalInfo)
            #expect(info.commitmentInfo?.commitmentAutoRenewProductId == "basic")
            #expect(info.commitmentInfo?.commitmentRenewalPrice == plan?.commitmentPrice)
            #expect((info.commitmentInfo?.commitmentRenewalBillingPlanType == .monthly) == (plan != nil))
            // The remaining payments of the commitment come first.
            #expect(info.renewalBillingPlanType == .monthly && info.renewalPrice == 8500)
            for _ in 0..<11 { shop.wait(.month) }
            let last = try #require(try shop.last().renewalInfo)
            #expect(last.autoRenewProductId == "basic" && last.renewalPrice == (plan?.price ?? 4990))
            #expect((last.renewalBillingPlanType == .monthly) == (plan != nil))
            shop.wait(.month)
            #expect(try shop.last().transaction.price == last.renewalPrice)
            try expectConsistent(shop.store, at: shop.now)
        }
    }

    @Test func `A commitment keeps its product until it ends`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        try shop.buy("basic")
        #expect(try shop.last().renewalInfo?.autoRenewProductId == "plus.yearly")
        shop.wait(.month)
        #expect(try shop.last().transaction.productId == "plus.yearly")
        for _ in 0..<11 { shop.wait(.month) }
        let payload = try shop.last().transaction
        #expect(payload.productId == "basic")
        #expect(payload.commitmentInfo == nil)
        #expect(payload.price == 4990)
    }
}
