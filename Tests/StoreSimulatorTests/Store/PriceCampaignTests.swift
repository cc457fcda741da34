import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Prices that are scheduled, and when they reach those who subscribe already.
@Suite struct PriceCampaignTests {
    private static let day: TimeInterval = 86_400

    private static func raise(
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

    @Test func `The notice comes 27 days before the first renewal that costs it`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        let end = Period.month.after(shop.now)
        try shop.perform(Self.raise())
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY"])
        shop.waitForNext()
        #expect(shop.now == end - 27 * Self.day)
        #expect(shop.news() == ["PRICE_INCREASE/PENDING"])
        #expect(try shop.last().renewalInfo?.priceIncreaseStatus == .pending)
        #expect(try shop.last().renewalInfo?.renewalPrice == 12_990)
        try shop.perform(.acceptPrice(customer: "anna"))
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.news() == ["PRICE_INCREASE/ACCEPTED", "DID_RENEW"])
        #expect(try price(of: "anna", in: shop) == 12_990)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Who does not answer is out at the renewal that would cost it`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.raise())
        shop.wait(.month)
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "PRICE_INCREASE/PENDING", "EXPIRED/PRICE_INCREASE"])
    }

    @Test func `A renewal that comes sooner than the notice still costs the old price`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        shop.wait(days: 10)
        try shop.perform(Self.raise(consent: false))
        #expect(try shop.store.product("plus.other").price == 12_990)
        shop.wait(days: 21)
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        #expect(try price(of: "anna", in: shop) == 8990)
        // Who buys now pays the new one.
        try shop.buy("plus.other", by: "ben")
        #expect(try price(of: "ben", in: shop) == 12_990)
        shop.wait(.month)
        #expect(try price(of: "anna", in: shop) == 12_990)
        #expect(shop.news().contains("PRICE_INCREASE/ACCEPTED"))
    }

    @Test func `Renewals before the day it holds cost the old price, and so do purchases`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.raise(on: shop.now + 70 * Self.day, consent: false))
        for _ in 0..<2 {
            shop.wait(.month)
            #expect(try price(of: "anna", in: shop) == 8990)
        }
        try shop.buy("plus.other", by: "ben")
        #expect(try price(of: "ben", in: shop) == 8990)
        shop.wait(.month)
        #expect(try price(of: "anna", in: shop) == 12_990)
    }

    @Test func `An extension beyond the day on which it holds brings the notice and the price`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.raise(on: shop.now + 40 * Self.day, consent: false))
        try shop.perform(.extendRenewal(customer: "anna", days: 20))
        shop.wait(days: 51)
        #expect(
            shop.news() == ["SUBSCRIBED/INITIAL_BUY", "RENEWAL_EXTENDED", "PRICE_INCREASE/ACCEPTED", "DID_RENEW"])
        #expect(try price(of: "anna", in: shop) == 12_990)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Preserved prices stay, for those who had them`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.raise(preserving: true))
        shop.wait(.month)
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        #expect(try price(of: "anna", in: shop) == 8990)
        try shop.buy("plus.other", by: "ben")
        #expect(try price(of: "ben", in: shop) == 12_990)
    }

    @Test func `A decrease reaches everybody at the next renewal, and nobody is told`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.raise(to: 4990))
        shop.wait(.month)
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        #expect(try price(of: "anna", in: shop) == 4990)
    }

    @Test func `It holds in the storefronts that it names`() throws {
        var shop = Shop()
        try shop.perform(.createCustomer(customer: "ben", storefront: "DEU"))
        try shop.buy("plus.other")
        try shop.buy("plus.other", by: "ben")
        try shop.refuses(Self.raise(in: ["XXX"]), .unknownStorefront)
        try shop.refuses(Self.raise(in: []), .invalidArgument)
        try shop.perform(Self.raise(consent: false, in: ["DEU"]))
        shop.wait(.month)
        #expect(try price(of: "anna", in: shop) == 8990)
        #expect(try price(of: "ben", in: shop) == 12_990)
    }

    @Test func `A second one is refused while the first is to come, and follows it while it is pending`() throws {
        var shop = Shop()
        try shop.buy("plus.other")
        try shop.perform(Self.raise(on: shop.now + 2 * Self.day))
        try shop.refuses(Self.raise(to: 15_990), .impossibleTransition)
        shop.wait(days: 5)
        #expect(try shop.state().priceIncreaseStatus == .pending)
        try shop.perform(Self.raise(to: 15_990, consent: false))
        #expect(try shop.last().renewalInfo?.renewalPrice == 12_990)
        try shop.perform(.acceptPrice(customer: "anna"))
        shop.now = Period.month.after(Shop.start)
        shop.store.run(until: shop.now)
        #expect(try price(of: "anna", in: shop) == 12_990)
        shop.wait(.month)
        #expect(try price(of: "anna", in: shop) == 15_990)
        #expect(shop.store.notifications.filter { $0.type == .priceIncrease }.count == 3)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Who is in retry or will not renew on the day of the notice is not told`() throws {
        var shop = Shop()
        for name in ["anna", "ben"] { try shop.buy("plus.other", by: name) }
        try shop.perform(.cancel(customer: "anna"))
        try shop.perform(Self.raise(consent: true))
        shop.wait(days: 10)
        try shop.perform(.resume(customer: "anna"))
        shop.wait(days: 21)
        // Too late for this renewal; in time for the next.
        #expect(try price(of: "anna", in: shop) == 8990)
        #expect(try shop.status("ben") == .expired)
        shop.wait(days: 5)
        #expect(try shop.state().priceIncreaseStatus == .pending)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Apple's thresholds say who has to agree, where nobody else does`() throws {
        for (price, status) in [(Int64(12_990), PriceIncreaseStatus.accepted), (14_990, .pending), (13_991, .pending)] {
            var shop = Shop()
            try shop.buy("plus.other")
            try shop.perform(Self.raise(to: price, consent: nil))
            shop.wait(days: 10)
            #expect(try shop.state().priceIncreaseStatus == status)
        }
    }

    @Test func `A price that was lowered within the year was not raised, and one that was raised is raised again`()
        throws
    {
        for (first, status) in [(Int64(7990), PriceIncreaseStatus.accepted), (9490, .pending)] {
            var shop = Shop()
            try shop.buy("plus.other")
            try shop.perform(Self.raise(to: first, consent: nil))
            shop.wait(.month)
            #expect(try price(of: "anna", in: shop) == first)
            try shop.perform(Self.raise(to: first + 1000, consent: nil))
            shop.wait(days: 10)
            #expect(try shop.state().priceIncreaseStatus == status)
        }
    }

    @Test func `By the year the notice is 60 days with consent and 27 without`() throws {
        for (consent, days) in [(true, 60.0), (false, 27)] {
            var shop = Shop()
            try shop.buy("plus.yearly")
            let end = Period.year.after(shop.now)
            try shop.perform(Self.raise("plus.yearly", to: 120_000, consent: consent))
            shop.waitForNext()
            #expect(shop.now == end - days * Self.day)
        }
    }
}
