import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Renewals are charged within the 24 hours before they begin, or late.
@Suite struct ChargingAheadTests {
    static func shop(
        _ environment: AppStoreEnvironment = .production, seed: UInt64 = 1,
        _ change: (inout StoreSettings) -> Void = { _ in }
    ) -> Shop {
        Shop(environment, seed: seed) {
            $0.renewalLead = StoreSettings.production.renewalLead
            change(&$0)
        }
    }

    /// Anna's subscription to `product`, a moment after its first renewal was charged. The period of before still runs.
    static func charged(_ product: String = "plus") throws -> (shop: Shop, first: String, end: Date) {
        var shop = shop()
        let first = try shop.buy(product)
        let end = try #require(try shop.transaction(first).expiresDate)
        shop.waitForNext()
        #expect(shop.now < end)
        #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        return (shop, first, end)
    }

    @Test func `DID_RENEW comes within a day of the end, its purchase date still ahead`() throws {
        var leads: Set<TimeInterval> = []
        for seed in 1...20 {
            var shop = Self.shop(seed: UInt64(seed))
            try shop.buy("plus")
            let end = Period.month.after(shop.now)
            shop.waitForNext()
            let told = try shop.last()
            #expect(shop.now > end - 86_400 && shop.now < end)
            #expect(told.transaction.purchaseDate == end)
            #expect(told.transaction.expiresDate == Period.month.after(end))
            #expect(told.transaction.transactionReason == .renewal)
            #expect(told.status == .active)
            #expect(told.renewalInfo?.renewalDate == told.transaction.expiresDate)
            // Until then the customer is in the period of before.
            #expect(try shop.state().expiresDate == end)
            try expectSound(shop.store, at: shop.now)
            leads.insert(end.timeIntervalSince(shop.now))
            shop.now = end
            shop.store.run(until: end)
            #expect(try shop.state().transactionID == told.transaction.transactionId)
        }
        #expect(leads.count > 15)
    }

    @Test func `With no lead it comes at the end`() throws {
        var shop = Shop()
        try shop.buy("plus")
        shop.waitForNext()
        #expect(shop.now == Period.month.after(Shop.start))
        #expect(try shop.last().transaction.purchaseDate == shop.now)
    }

    @Test func `At a faster rate it is ahead by as much less`() throws {
        var shop = Self.shop(.sandbox) { $0.rate = .monthlyEvery5Minutes }
        try shop.buy("plus")
        shop.waitForNext()
        let ahead = Shop.start + 300 - shop.now.timeIntervalSince1970
        #expect((0.001...10).contains(ahead.timeIntervalSince1970))
    }

    @Test func `Who cancels after the charge has another period`() throws {
        var (shop, _, end) = try Self.charged()
        try shop.perform(.cancel(customer: "anna"))
        #expect(try shop.status() == .active)
        shop.now = end
        shop.store.run(until: end)
        #expect(try shop.status() == .active)
        shop.wait(.month)
        #expect(shop.news() == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY"])
    }

    @Test func `What cannot be charged ahead is decided at the end`() throws {
        var shop = Self.shop()
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna"))
        try shop.buy("plus", by: "ben")
        try shop.perform(.cancel(customer: "ben"))
        let end = Period.month.after(shop.now)
        shop.now = end - 0.001
        shop.store.run(until: shop.now)
        #expect(shop.store.notifications.count == 3)
        shop.now = end
        shop.store.run(until: end)
        #expect(
            shop.news().suffix(2).sorted() == ["DID_FAIL_TO_RENEW", "ben: EXPIRED/VOLUNTARY"])
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `A downgrade after the charge waits for the end of the period that is paid`() throws {
        var (shop, _, end) = try Self.charged()
        try shop.buy("basic")
        shop.now = end
        shop.store.run(until: end)
        #expect(try shop.state().productID == "plus")
        shop.wait(.month)
        #expect(try shop.state().productID == "basic")
    }

    @Test func `A downgrade before the charge is charged ahead, and begins on its day`() throws {
        var shop = Self.shop()
        try shop.buy("plus")
        try shop.buy("basic")
        shop.waitForNext()
        #expect(try shop.last().transaction.productId == "basic")
        #expect(try shop.state().productID == "plus")
        shop.now = Period.month.after(Shop.start)
        shop.store.run(until: shop.now)
        #expect(try shop.state().productID == "basic")
    }

    @Test func `An upgrade after the charge ends both periods`() throws {
        var (shop, first, end) = try Self.charged()
        let paid = try shop.last().transaction.transactionId
        let gold = try shop.buy("gold")
        #expect(try shop.transaction(first).isUpgraded == true)
        #expect(try shop.transaction(paid).isUpgraded == true)
        #expect(try shop.transaction(gold).purchaseDate == shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(try shop.state().productID == "gold")
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `A refund of what has not begun leaves the period that runs, and nothing after it`() throws {
        var (shop, first, end) = try Self.charged()
        let paid = try shop.last().transaction.transactionId
        try shop.perform(.approveRefund(customer: "anna"))
        let told = try shop.last()
        #expect(told.transaction.transactionId == paid)
        #expect(told.transaction.revocationDate == shop.now)
        #expect(told.status == .active)
        #expect(try shop.state().transactionID == first)
        try expectSound(shop.store, at: shop.now)

        // Taken back, it begins after all.
        var other = shop
        try other.perform(.reverseRefund(customer: "anna"))
        other.now = end
        other.store.run(until: end)
        #expect(try other.state().transactionID == paid)
        #expect(try other.status() == .active)
        try expectSound(other.store, at: other.now)

        shop.now = end
        shop.store.run(until: end)
        #expect(shop.news() == ["REFUND", "EXPIRED/VOLUNTARY"])
        #expect(try shop.status() == .expired)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `The family loses and keeps the same`() throws {
        var (shop, _, _) = try Self.charged("gold")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        shop.waitForNext()
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(try shop.status("ben") == .active)
        try expectSound(shop.store, at: shop.now)
        try shop.perform(.stopSharing(customer: "anna", member: "ben"))
        #expect(try shop.status("ben") == .revoked)
        try expectSound(shop.store, at: shop.now)
    }

    /// Anna's subscription to gold, which Ben shares, a moment after its renewal into basic was charged. Basic cannot be
    /// shared.
    static func chargedForHerselfAlone() throws -> (shop: Shop, end: Date) {
        var shop = shop()
        try shop.buy("gold")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try shop.buy("basic")
        let end = Period.month.after(shop.now)
        shop.waitForNext()
        #expect(shop.now < end)
        #expect(try shop.last().transaction.productId == "basic")
        _ = shop.news()
        return (shop, end)
    }

    @Test func `The family keeps what it shares until a period begins that it cannot share`() throws {
        var (shop, end) = try Self.chargedForHerselfAlone()
        #expect(try shop.status("ben") == .active)
        #expect(try shop.state("ben").expiresDate == end)
        #expect(shop.store.upcoming?.what == "the family of anna loses what it cannot share")
        try expectSound(shop.store, at: shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.news() == ["ben: REVOKE"])
        #expect(try shop.last("ben").transaction.revocationDate == end)
        #expect(try shop.last("ben").status == .revoked)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `A refund of what the family cannot share leaves it the period that runs`() throws {
        var (shop, end) = try Self.chargedForHerselfAlone()
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.news() == ["REFUND"])
        #expect(try shop.status("ben") == .active)
        #expect(try shop.state("ben").autoRenewStatus == .off)
        #expect(shop.store.upcoming?.what == "gold ends (anna)")
        try expectSound(shop.store, at: shop.now)

        var other = shop
        try other.perform(.reverseRefund(customer: "anna"))
        #expect(try other.status("ben") == .active)
        try expectSound(other.store, at: other.now)
        other.now = end
        other.store.run(until: end)
        #expect(try other.status("ben") == .revoked)
        try expectSound(other.store, at: other.now)

        shop.now = end
        shop.store.run(until: end)
        #expect(shop.news() == ["EXPIRED/VOLUNTARY", "ben: EXPIRED/VOLUNTARY"])
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `The family has nothing of an extension of what it cannot share, and does not owe what comes after it`()
        throws
    {
        let (shop, end) = try Self.chargedForHerselfAlone()
        var extended = shop
        try extended.perform(.extendRenewal(customer: "anna", days: 5))
        #expect(extended.news() == ["RENEWAL_EXTENDED"])
        #expect(try extended.state("ben").expiresDate == end)
        try expectSound(extended.store, at: extended.now)

        var failed = shop
        try failed.perform(.failBilling(customer: "anna"))
        try failed.perform(.accelerate(customer: "anna"))
        #expect(failed.news() == ["ben: REVOKE", "DID_FAIL_TO_RENEW"])
        #expect(try failed.status("ben") == .revoked)
        try expectSound(failed.store, at: failed.now)
    }

    @Test func `An account token is for the period that runs and for the one that is paid`() throws {
        var (shop, first, _) = try Self.charged()
        let token = UUID()
        let next = try shop.last().transaction.transactionId
        try shop.perform(.setAppAccountToken(customer: "anna", appAccountToken: token))
        #expect(try shop.transaction(first).appAccountToken == token)
        #expect(try shop.transaction(next).appAccountToken == token)
    }

    @Test func `A renewal that comes late leaves a short lapse`() throws {
        var lapses = 0
        for seed in 1...40 {
            var shop = Self.shop(.sandbox, seed: UInt64(seed)) {
                $0.renewalLead = 0
                $0.renewalDelay = 3600
            }
            try shop.buy("plus")
            let end = Period.month.after(shop.now)
            shop.now = end
            shop.store.run(until: end)
            try expectSound(shop.store, at: shop.now)
            guard try shop.status() == .expired else { continue }
            lapses += 1
            #expect(try shop.state().expirationIntent == nil)
            #expect(try shop.state().autoRenewStatus == .on)
            shop.waitForNext()
            #expect(shop.now > end && shop.now <= end + 3600)
            #expect(shop.news() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
            #expect(try shop.last().transaction.purchaseDate == shop.now)
            #expect(try shop.status() == .active)
        }
        #expect((3...20).contains(lapses))
    }

    @Test func `The same seed charges at the same moments`() throws {
        func life() throws -> Data {
            var shop = Self.shop(seed: 7) { $0.renewalDelay = 600 }
            try shop.buy("plus")
            try shop.buy("gold", by: "ben")
            for _ in 0..<5 { shop.wait(.month) }
            return try shop.store.bytes
        }
        #expect(try life() == life())
    }
}
