import AppStoreModels
import Foundation
import StoreSimulator
import Testing
internal import TestSupport

/// Upgrades, downgrades, crossgrades.
@Suite struct PlanChangeTests {
    @Test func `An upgrade begins a new period at once and marks the old transaction`() throws {
        var shop = Shop()
        let old = try shop.buy("plus")
        let before = try shop.store.transaction(old)
        shop.wait(days: 10)
        let new = try shop.buy("gold")
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/UPGRADE"])
        let payload = try shop.transaction(new)
        #expect(payload.productId == "gold")
        #expect(payload.originalTransactionId == old)
        #expect(payload.transactionReason == .purchase)
        #expect(payload.purchaseDate == shop.now)
        #expect(payload.expiresDate == Period.month.after(shop.now))
        #expect(payload.price == 19_990)
        #expect(try shop.last().renewalInfo?.productId == "gold")
        #expect(try shop.last().renewalInfo?.autoRenewProductId == "gold")
        let after = try shop.store.transaction(old)
        #expect(after.payload.isUpgraded == true)
        #expect(after.payload.expiresDate == before.payload.expiresDate)
        #expect(after.payload.revocationDate == nil)
        #expect(after.revision > before.revision)
        shop.wait(.month)
        #expect(shop.news() == ["DID_RENEW"])
    }

    @Test(arguments: ["basic", "plus.yearly"])
    func `A lower level, or another length, waits for the renewal`(_ product: String) throws {
        var shop = Shop()
        let id = try shop.buy("plus")
        shop.wait(days: 10)
        let before = try shop.transaction(id)
        try shop.buy(product)
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE"])
        #expect(try shop.transaction(id) == before)
        let info = try #require(try shop.last().renewalInfo)
        #expect(info.productId == "plus")
        #expect(info.autoRenewProductId == product)
        #expect(info.renewalPrice == Catalogue.shop.product(product)?.price)
        try shop.refuses(.purchase(customer: "anna", product: product), .alreadyOwned)
        shop.now = try #require(before.expiresDate)
        shop.store.run(until: shop.now)
        #expect(shop.news() == ["DID_RENEW"])
        let payload = try shop.last().transaction
        #expect(payload.productId == product)
        #expect(payload.transactionReason == .renewal)
        #expect(payload.price == info.renewalPrice)
    }

    @Test func `A downgrade can be taken back`() throws {
        var shop = Shop()
        let id = try shop.buy("plus")
        try shop.buy("basic")
        try shop.buy("plus")
        #expect(
            shop.news() == ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF"])
        #expect(try shop.last().transaction.transactionId == id)
        #expect(try shop.last().renewalInfo?.autoRenewProductId == "plus")
        #expect(try shop.last().renewalInfo?.renewalPrice == 9990)
        try shop.refuses(.purchase(customer: "anna", product: "plus"), .alreadyOwned)
    }

    @Test func `A downgrade leaves the offer of the old product behind, unless it is taken back`() throws {
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

    @Test func `The same level for as long is an upgrade`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.buy("plus.other")
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF/UPGRADE"])
        #expect(try shop.last().transaction.productId == "plus.other")
    }

    @Test func `A change of plan turns renewal on again`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        try shop.buy("basic")
        #expect(try shop.last().renewalInfo?.autoRenewStatus == .on)
        try shop.perform(.cancel(customer: "anna"))
        try shop.buy("gold")
        #expect(try shop.last().renewalInfo?.autoRenewStatus == .on)
        try shop.perform(.cancel(customer: "anna"))
        _ = shop.news()
        // Buying what one has cancelled is taking the cancellation back.
        try shop.buy("gold")
        #expect(shop.news() == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"])
    }

    @Test func `A late downgrade can be announced by the renewal alone`() throws {
        var shop = Shop { $0.announcesLateDowngrades = false }
        try shop.buy("plus")
        shop.wait(days: 30.5)
        try shop.buy("basic")
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY"])
        shop.wait(days: 1)
        #expect(shop.news() == ["DID_RENEW"])
        #expect(try shop.last().transaction.productId == "basic")
    }

    @Test func `A billing plan stays behind with its product, and costs the same in every storefront`() throws {
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
        // Nobody bills it by a plan, so its price can be raised.
        try shop.perform(.increasePrice(product: "basic", price: 5990, consent: false, customer: "anna"))
        shop.wait(.month)
        #expect(try shop.last().transaction.price == 5990)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `A commitment says of the next one how its product is billed`() throws {
        var catalogue = Catalogue.shop
        let basic = try #require(catalogue.products.firstIndex { $0.id == "basic" })
        let monthly = BillingPlan(type: .monthly, price: 4500, commitmentPrice: 54_000)
        for plan in [nil, monthly] {
            catalogue.products[basic].subscription?.period = .year
            catalogue.products[basic].subscription?.billingPlans = plan.map { [$0] } ?? []
            var shop = Shop(catalogue: catalogue)
            try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
            try shop.buy("basic")
            let told = try #require(try shop.last().renewalInfo)
            #expect(told.commitmentInfo?.commitmentAutoRenewProductId == "basic")
            #expect(told.commitmentInfo?.commitmentRenewalPrice == plan?.commitmentPrice)
            #expect((told.commitmentInfo?.commitmentRenewalBillingPlanType == .monthly) == (plan != nil))
            // The payments that are owed come first.
            #expect(told.renewalBillingPlanType == .monthly && told.renewalPrice == 8500)
            for _ in 0..<11 { shop.wait(.month) }
            let last = try #require(try shop.last().renewalInfo)
            #expect(last.autoRenewProductId == "basic" && last.renewalPrice == (plan?.price ?? 4990))
            #expect((last.renewalBillingPlanType == .monthly) == (plan != nil))
            shop.wait(.month)
            #expect(try shop.last().transaction.price == last.renewalPrice)
            try expectSound(shop.store, at: shop.now)
        }
    }

    @Test func `A commitment keeps its product to the end`() throws {
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
