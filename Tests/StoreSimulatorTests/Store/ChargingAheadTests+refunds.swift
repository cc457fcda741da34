import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

// Refunds of periods that are paid before they begin.
extension ChargingAheadTests {
    @Test func `After a refund of the prepaid period, the subscription expires with the running period`() throws {
        var (shop, first, end) = try Self.charged()
        let paid = try shop.last().transaction.transactionId
        try shop.perform(.approveRefund(customer: "anna"))
        let last = try shop.last()
        #expect(last.transaction.transactionId == paid)
        #expect(last.transaction.revocationDate == shop.now)
        #expect(last.status == .active)
        #expect(try shop.state().transactionID == first)
        try expectConsistent(shop.store, at: shop.now)

        // After a reversal, the prepaid period begins.
        var other = shop
        try other.perform(.reverseRefund(customer: "anna"))
        other.now = end
        other.store.run(until: end)
        #expect(try other.state().transactionID == paid)
        #expect(try other.status() == .active)
        try expectConsistent(other.store, at: other.now)

        shop.now = end
        shop.store.run(until: end)
        #expect(shop.newNotifications() == ["REFUND", "EXPIRED/VOLUNTARY"])
        #expect(try shop.status() == .expired)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `After a refund of the prepaid period, the price increase applies to the next renewal`() throws {
        var shop = Self.shop()
        try shop.buy("plus")
        try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: false))
        shop.waitForNext()
        #expect(try shop.last().transaction.price == 11_990)
        try shop.perform(.approveRefund(customer: "anna"))
        try shop.perform(.resume(customer: "anna"))
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == .accepted)
        #expect(try shop.last().renewalInfo?.renewalPrice == 11_990)
        shop.wait(days: 2)
        #expect(shop.newNotifications().last == "DID_RENEW")
        #expect(try shop.last().transaction.price == 11_990)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `After a refund of a prepaid month, the next renewal begins another commitment to monthly payments`()
        throws
    {
        var shop = Self.shop()
        try shop.perform(.purchase(customer: "anna", product: "plus.yearly", billingPlan: .monthly))
        let end = try #require(try shop.last().transaction.expiresDate)
        shop.waitForNext()
        #expect(try shop.last().transaction.commitmentInfo?.billingPeriodNumber == 2)
        try shop.perform(.approveRefund(customer: "anna"))
        try shop.perform(.resume(customer: "anna"))
        #expect(try shop.last().renewalInfo?.commitmentInfo?.commitmentRenewalDate == end)
        shop.wait(days: 2)
        let renewed = try shop.last().transaction
        #expect(renewed.purchaseDate == end)
        #expect(renewed.expiresDate == Period.month.date(after: end))
        #expect(renewed.billingPlanType == .monthly)
        #expect(renewed.commitmentInfo?.billingPeriodNumber == 1)
        #expect(renewed.commitmentInfo?.totalBillingPeriods == 12)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `After a refund of the prepaid period, the next renewal has the price of the new storefront`() throws {
        var (shop, _, _) = try Self.charged()
        let index = try #require(shop.store.catalogue.products.firstIndex { $0.id == "plus" })
        shop.store.catalogue.products[index].prices["DEU"] = 8990
        try shop.perform(.changeStorefront(customer: "anna", storefront: "DEU"))
        try shop.perform(.approveRefund(customer: "anna"))
        try shop.perform(.resume(customer: "anna"))
        #expect(try shop.last().renewalInfo?.currency == "EUR")
        #expect(try shop.last().renewalInfo?.renewalPrice == 8990)
    }

    @Test func `After the reversal of a refund of the prepaid period, that period counts as one of its offer`() throws {
        // The second of two introductory months, and the first of three months of a promotional offer.
        for (product, offer, price) in [("news", nil, 2990), ("plus", "loyal", 4990)] as [(String, String?, Int64)] {
            var shop = Self.shop()
            try shop.perform(.purchase(customer: "anna", product: product, introductory: offer == nil))
            if let offer { try shop.buy(product, offer: offer) }
            shop.waitForNext()
            #expect(try shop.last().renewalInfo?.renewalPrice == price)
            try shop.perform(.approveRefund(customer: "anna"))
            try shop.perform(.reverseRefund(customer: "anna"))
            try shop.perform(.resume(customer: "anna"))
            #expect(try shop.last().renewalInfo?.renewalPrice == price)
            shop.wait(days: 32)
            #expect(try shop.last().transaction.price == price)
            try expectConsistent(shop.store, at: shop.now)
        }
    }

    @Test(arguments: [false, true])
    func `After a refund of the prepaid period, the next renewal has a price that was lowered since`(
        isRaised: Bool
    ) throws {
        var shop = Self.shop()
        try shop.buy("plus")
        if isRaised { try shop.perform(.increasePrice(product: "plus", price: 11_990, consent: false)) }
        shop.waitForNext()
        #expect(try shop.last().transaction.price == (isRaised ? 11_990 : 9990))
        try shop.perform(.schedulePriceChange(product: "plus", price: 7990))
        try shop.perform(.approveRefund(customer: "anna"))
        try shop.perform(.resume(customer: "anna"))
        #expect(try shop.last().renewalInfo?.renewalPrice == 7990)
    }

    @Test func `After a refund of the prepaid period, the family keeps access until sharing stops`() throws {
        var (shop, _, _) = try Self.charged("gold")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        shop.waitForNext()
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(try shop.status("ben") == .active)
        try expectConsistent(shop.store, at: shop.now)
        try shop.perform(.stopSharing(customer: "anna", member: "ben"))
        #expect(try shop.status("ben") == .revoked)
        try expectConsistent(shop.store, at: shop.now)
    }
}
