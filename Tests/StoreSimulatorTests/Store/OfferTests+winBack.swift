import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

// Win-back offers and their rules.
extension OfferTests {
    @Test func `Win-back offers and codes for existing subscribers are refused in billing retry`() throws {
        let catalogue = Self.changed("PLUS") { $0.eligibility = [.existing] }
        var shop = Shop(catalogue: catalogue)
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna", subscription: "plus"))
        shop.wait(.month)
        try shop.expectRefusal(.purchase(customer: "anna", product: "plus", offer: "return"), .notEligible)
        try shop.expectRefusal(.purchase(customer: "anna", product: "plus", offer: "PLUS"), .notEligible)
        // A customer in a grace period has access and counts as a subscriber.
        var other = Shop(catalogue: catalogue) { $0.gracePeriod = .sixteenDays }
        try other.buy("plus")
        try other.perform(.failBilling(customer: "anna", subscription: "plus"))
        other.wait(.month)
        _ = other.newNotifications()
        try other.buy("plus", offer: "PLUS")
        #expect(other.newNotifications() == ["OFFER_REDEEMED"])
    }

    @Test func `A win-back offer requires a lapsed subscription that meets the offer's rules`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.expectRefusal(.purchase(customer: "anna", product: "plus", offer: "return"), .notEligible)
        for _ in 0..<5 { shop.wait(.month) }
        try shop.perform(.cancel(customer: "anna"))
        #expect(try shop.last().renewalInfo?.eligibleWinBackOfferIds == nil)
        shop.wait(.month)
        #expect(try shop.last().renewalInfo?.eligibleWinBackOfferIds == ["return"])
        try shop.expectRefusal(.purchase(customer: "anna", product: "plus", offer: "rare"), .notEligible)
        shop.wait(.month)
        shop.wait(.month)
        // Six months paid, two months lapsed: the free offer is the better one and comes first.
        let subscription = try shop.store.subscription(of: "anna", nil)
        #expect(shop.store.renewalInfo(of: subscription, at: shop.now).eligibleWinBackOfferIds == ["rare", "return"])
        _ = shop.newNotifications()
        let payload = try shop.boughtTransaction("plus", offer: "return")
        #expect(shop.newNotifications() == ["SUBSCRIBED/RESUBSCRIBE"])
        #expect(payload.offerType == .winBack)
        #expect(payload.offerIdentifier == "return")
        #expect(payload.offerPeriod == "P3M")
        #expect(payload.expiresDate == Period(3, .month)?.date(after: shop.now))
    }

    /// A paid week counted as a month, a monthly payment of a year as a year, and three months paid up front as one.
    @Test func `The rules of win-back offers count the months that are paid, not the payments`() throws {
        let cases: [(product: String, plan: BillingPlanType?, period: Period, payments: Int, months: Int)] = [
            ("basic", nil, .week, 5, 1), ("plus", nil, .month, 2, 2), ("plus.yearly", nil, .year, 1, 12),
            ("plus.yearly", .monthly, .month, 12, 12),
        ]
        for (product, plan, period, payments, months) in cases {
            for minimum in [months, months + 1] {
                var shop = Shop(catalogue: Self.rareOffer(requiring: minimum))
                try shop.perform(
                    .purchase(customer: "anna", product: product, introductory: false, billingPlan: plan))
                for _ in 1..<payments { shop.wait(period) }
                try shop.perform(.cancel(customer: "anna"))
                shop.wait(period)
                let offers = try #require(try shop.last().renewalInfo?.eligibleWinBackOfferIds)
                #expect(offers.contains("rare") == (minimum == months), "\(product) \(minimum)")
            }
        }
        var shop = Shop(catalogue: Self.rareOffer(requiring: 4))
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        #expect(try shop.last().renewalInfo?.eligibleWinBackOfferIds == ["return"])
        try shop.buy("plus", offer: "return")
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.months(3))
        #expect(try shop.last().renewalInfo?.eligibleWinBackOfferIds == ["rare", "return"])
    }

    /// Returns the catalogue in which the offer `rare` requires paid months, and `basic` renews weekly.
    private static func rareOffer(requiring months: Int) -> Catalogue {
        var catalogue = changed("rare") { $0.winBack = .init(minimumPaidMonths: months) }
        for index in catalogue.products.indices where catalogue.products[index].id == "basic" {
            catalogue.products[index].subscription?.period = .week
        }
        return catalogue
    }

    @Test func `The sandbox ignores the rules of win-back offers`() throws {
        var shop = Shop(.sandbox)
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        #expect(try shop.last().renewalInfo?.eligibleWinBackOfferIds == ["rare", "return"])
    }

    @Test func `The rules of win-back offers are about the customer, whatever the storefront was`() throws {
        var shop = Shop()
        let first = try shop.buy("plus")
        for _ in 0..<5 { shop.wait(.month) }
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        try shop.perform(.changeStorefront(customer: "anna", storefront: "DEU"))
        let second = try shop.buy("plus")
        try #require(shop.transaction(second).originalTransactionId != first)
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        #expect(try shop.last().renewalInfo?.eligibleWinBackOfferIds == ["return"])
        for _ in 0..<2 { shop.wait(.month) }
        // Seven months paid, two months lapsed.
        for id in [first, second] {
            let subscription = try shop.store.subscription(of: "anna", id)
            #expect(
                shop.store.renewalInfo(of: subscription, at: shop.now).eligibleWinBackOfferIds == ["rare", "return"])
        }
        #expect(try shop.boughtTransaction("plus", offer: "rare").offerType == .winBack)
        // The refund leaves only the former subscription, which still names the other offer.
        try shop.perform(.approveRefund(customer: "anna"))
        let former = try shop.store.subscription(of: "anna", first)
        #expect(shop.store.renewalInfo(of: former, at: shop.now).eligibleWinBackOfferIds?.contains("return") == true)
        #expect(try shop.boughtTransaction("plus", offer: "return").offerType == .winBack)
    }

    @Test func `A second win-back offer requires the configured months after the first`() throws {
        let catalogue = Self.changed("return") { $0.winBack = .init(minimumMonthsBetweenOffers: 12) }
        var shop = Shop(catalogue: catalogue)
        try shop.buy("plus")
        for code in [nil, StoreError.Code.notEligible] {
            try shop.perform(.cancel(customer: "anna"))
            shop.wait(.month)
            if code == nil {
                try shop.buy("plus", offer: "return")
            } else {
                shop.wait(Period(3, .month) ?? .month)
                try shop.expectRefusal(.purchase(customer: "anna", product: "plus", offer: "return"), .notEligible)
            }
        }
        shop.wait(.year)
        try shop.buy("plus", offer: "return")
    }
}
