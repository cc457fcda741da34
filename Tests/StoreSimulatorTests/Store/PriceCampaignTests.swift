import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Scheduled price changes, and when they apply to existing subscribers.
@Suite struct PriceCampaignTests {
    private static let day: TimeInterval = 86_400

    private static func schedule(
        _ product: String = "plus.other", to price: Int64 = 12_990, on date: Date? = nil, consent: Bool? = true,
        in storefronts: [String]? = nil, preserving: Bool? = nil
    ) -> StoreCommand {
        .schedulePriceChange(
            product: product, price: price, effectiveDate: date, consent: consent, storefronts: storefronts,
            preservesPrices: preserving)
    }

    private func price(of customer: String, in shop: Shop) throws -> Int64? {
        let id = try #require(shop.store.customer(customer).transactions.last)
        return try shop.transaction(id).price
    }

    @Test func `The price notice is sent 27 days before the first renewal at the new price`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        let end = Period.month.date(after: shop.now)
        try shop.perform(Self.schedule())
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY"])
        shop.waitForNext()
        #expect(shop.now == end - 27 * Self.day)
        #expect(shop.newNotifications() == ["PRICE_INCREASE/PENDING"])
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == .pending)
        #expect(try shop.last().renewalInfo?.renewalPrice == 12_990)
        try shop.perform(.acceptPrice(customer: "anna"))
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.newNotifications() == ["PRICE_INCREASE/ACCEPTED", "DID_RENEW"])
        #expect(try price(of: "anna", in: shop) == 12_990)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `Without consent, the subscription expires at the first renewal at the new price`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.schedule())
        shop.wait(.month)
        #expect(
            shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "PRICE_INCREASE/PENDING", "EXPIRED/PRICE_INCREASE"])
    }

    @Test func `A renewal that is too close for the notice has the old price`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        shop.wait(days: 10)
        try shop.perform(Self.schedule(consent: false))
        #expect(try shop.store.product("plus.other").price == 12_990)
        shop.wait(days: 21)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        #expect(try price(of: "anna", in: shop) == 8990)
        // A new purchase has the new price.
        try shop.buy("plus.other", by: "ben")
        #expect(try price(of: "ben", in: shop) == 12_990)
        shop.wait(.month)
        #expect(try price(of: "anna", in: shop) == 12_990)
        #expect(shop.newNotifications().contains("PRICE_INCREASE/ACCEPTED"))
    }

    @Test func `Renewals and purchases before the effective date have the old price`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.schedule(on: shop.now + 70 * Self.day, consent: false))
        for _ in 0..<2 {
            shop.wait(.month)
            #expect(try price(of: "anna", in: shop) == 8990)
        }
        try shop.buy("plus.other", by: "ben")
        #expect(try price(of: "ben", in: shop) == 8990)
        shop.wait(.month)
        #expect(try price(of: "anna", in: shop) == 12_990)
    }

    @Test func `An extension beyond the effective date causes the price notice and the new price`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.schedule(on: shop.now + 40 * Self.day, consent: false))
        try shop.perform(.extendRenewal(customer: "anna", days: 20))
        shop.wait(days: 51)
        #expect(
            shop.newNotifications() == [
                "SUBSCRIBED/INITIAL_BUY", "RENEWAL_EXTENDED", "PRICE_INCREASE/ACCEPTED", "DID_RENEW",
            ])
        #expect(try price(of: "anna", in: shop) == 12_990)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `Preserved prices apply to existing subscribers only`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.schedule(preserving: true))
        shop.wait(.month)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        #expect(try price(of: "anna", in: shop) == 8990)
        try shop.buy("plus.other", by: "ben")
        #expect(try price(of: "ben", in: shop) == 12_990)
    }

    @Test func `A price decrease applies at the next renewal without a notification`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.schedule(to: 4990))
        shop.wait(.month)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        #expect(try price(of: "anna", in: shop) == 4990)
    }

    @Test func `A price change applies only in the storefronts that it names`() throws {
        var shop = Shop()
        try shop.perform(.createCustomer(customer: "ben", storefront: "DEU"))
        try shop.buy("plus.other")
        try shop.buy("plus.other", by: "ben")
        try shop.expectRefusal(Self.schedule(in: ["XXX"]), .unknownStorefront)
        try shop.expectRefusal(Self.schedule(in: []), .invalidArgument)
        try shop.perform(Self.schedule(consent: false, in: ["DEU"]))
        shop.wait(.month)
        #expect(try price(of: "anna", in: shop) == 8990)
        #expect(try price(of: "ben", in: shop) == 12_990)
    }

    @Test func `A customer who moves to a storefront with a scheduled price increase gets the price notice`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.schedule(on: shop.now + 15 * Self.day, consent: false, in: ["DEU"]))
        shop.wait(days: 1)
        try shop.perform(.changeStorefront(customer: "anna", storefront: "DEU"))
        shop.now = Period.month.date(after: Shop.start)
        shop.store.run(until: shop.now)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "PRICE_INCREASE/ACCEPTED", "DID_RENEW"])
        #expect(try price(of: "anna", in: shop) == 12_990)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A second price change is refused before the first takes effect, and later follows it`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.schedule(on: shop.now + 2 * Self.day))
        try shop.expectRefusal(Self.schedule(to: 15_990), .impossibleTransition)
        shop.wait(days: 5)
        #expect(try shop.state().priceIncreaseStatus == .pending)
        try shop.perform(Self.schedule(to: 15_990, consent: false))
        #expect(try shop.last().renewalInfo?.renewalPrice == 12_990)
        try shop.perform(.acceptPrice(customer: "anna"))
        shop.now = Period.month.date(after: Shop.start)
        shop.store.run(until: shop.now)
        #expect(try price(of: "anna", in: shop) == 12_990)
        shop.wait(.month)
        #expect(try price(of: "anna", in: shop) == 15_990)
        #expect(shop.store.notifications.filter { $0.type == .priceIncrease }.count == 3)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A subscription with renewal off on the day of the price notice gets no notice`() throws {
        var shop = Shop()
        for name in ["anna", "ben"] { try shop.buy("plus.other", by: name) }
        try shop.perform(.cancel(customer: "anna"))
        try shop.perform(Self.schedule(consent: true))
        shop.wait(days: 10)
        try shop.perform(.resume(customer: "anna"))
        shop.wait(days: 21)
        // Too late for this renewal; in time for the next.
        #expect(try price(of: "anna", in: shop) == 8990)
        #expect(try shop.status("ben") == .expired)
        shop.wait(days: 5)
        #expect(try shop.state().priceIncreaseStatus == .pending)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A subscription in billing retry gets the price notice in the period after its recovery`() throws {
        var shop = Shop()
        for name in ["anna", "ben"] { try shop.buy("plus.other", by: name) }
        try shop.perform(.failBilling(customer: "ben"))
        shop.wait(.month)
        #expect(try shop.status("ben") == .billingRetry)
        _ = shop.newNotifications()
        try shop.perform(Self.schedule(consent: true))
        shop.wait(days: 10)
        #expect(shop.newNotifications() == ["PRICE_INCREASE/PENDING"])
        try shop.perform(.fixBilling(customer: "ben"))
        #expect(shop.newNotifications() == ["ben: DID_RENEW/BILLING_RECOVERY"])
        #expect(try price(of: "ben", in: shop) == 8990)
        shop.wait(days: 10)
        #expect(shop.newNotifications() == ["ben: PRICE_INCREASE/PENDING"])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `By default, Apple's thresholds decide whether a price increase requires consent`() throws {
        for (price, status) in [(Int64(12_990), PriceIncreaseStatus.accepted), (14_990, .pending), (13_991, .pending)] {
            var shop = Shop()
            try shop.buy("plus.other")
            try shop.perform(Self.schedule(to: price, consent: nil))
            shop.wait(days: 10)
            #expect(try shop.state().priceIncreaseStatus == status)
        }
    }

    @Test func `An increase after a decrease in the same year needs no consent, one after an increase does`()
        throws
    {
        for (first, status) in [(Int64(7990), PriceIncreaseStatus.accepted), (9490, .pending)] {
            var shop = Shop()
            try shop.buy("plus.other")
            try shop.perform(Self.schedule(to: first, consent: nil))
            shop.wait(.month)
            #expect(try price(of: "anna", in: shop) == first)
            try shop.perform(Self.schedule(to: first + 1000, consent: nil))
            shop.wait(days: 10)
            #expect(try shop.state().priceIncreaseStatus == status)
        }
    }

    @Test func `An increase needs no consent after one that applied only to new subscribers`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.schedule(to: 9990, consent: nil, preserving: true))
        try shop.perform(Self.schedule(to: 10_990, consent: nil))
        shop.wait(days: 10)
        #expect(try shop.state().priceIncreaseStatus == .accepted)
        #expect(try shop.last().renewalInfo?.renewalPrice == 10_990)
    }

    @Test func `The notice for a yearly product is sent 60 days ahead with consent, and 27 without`() throws {
        for (consent, days) in [(true, 60.0), (false, 27)] {
            var shop = Shop()
            try shop.buy("plus.yearly")
            let end = Period.year.date(after: shop.now)
            try shop.perform(Self.schedule("plus.yearly", to: 120_000, consent: consent))
            shop.waitForNext()
            #expect(shop.now == end - days * Self.day)
        }
    }

    @Test func `A price change takes effect at once or within five years`() throws {
        var shop = Shop()
        let limit = Shop.start + 5 * 365 * Self.day
        for date in [Shop.start - 1, limit] {
            try shop.expectRefusal(Self.schedule(on: date), .invalidArgument)
        }
        try shop.perform(Self.schedule(on: limit - 1))
        try shop.perform(Self.schedule("plus", on: Shop.start))
        #expect(try shop.store.product("plus.other").price == 8990)
        #expect(try shop.store.product("plus").price == 12_990)
    }

    @Test(
        arguments: [
            ("plus.other", 8990, 4495, false), ("plus.other", 8990, 4496, true), ("plus.other", 19_990, 5000, false),
            ("plus.other", 19_990, 5001, true), ("plus.yearly", 199_990, 50_000, false),
            ("plus.yearly", 199_990, 50_001, true),
        ] as [(String, Int64, Int64, Bool)])
    func `An increase by more than half needs consent, and one by more than 5, or 50 a year`(
        _ product: String, _ price: Int64, _ increase: Int64, _ needsConsent: Bool
    ) throws {
        var shop = Shop()
        for index in shop.store.catalogue.products.indices where shop.store.catalogue.products[index].id == product {
            shop.store.catalogue.products[index].price = price
        }
        try shop.buy(product)
        try shop.perform(Self.schedule(product, to: price + increase, consent: nil))
        shop.waitForNext()
        #expect(shop.newNotifications().last == "PRICE_INCREASE/" + (needsConsent ? "PENDING" : "ACCEPTED"))
    }

    @Test(arguments: [(364.0, "PRICE_INCREASE/PENDING"), (365, "PRICE_INCREASE/ACCEPTED")])
    func `A second increase needs consent for 365 days`(_ days: Double, _ notification: String) throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.schedule(to: 9490, consent: false))
        shop.wait(days: days)
        #expect(try price(of: "anna", in: shop) == 9490)
        _ = shop.newNotifications()
        try shop.perform(Self.schedule(to: 9990, consent: nil))
        shop.wait(days: 40)
        #expect(shop.newNotifications().first { $0.hasPrefix("PRICE_INCREASE") } == notification)
    }
}
