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
            $0.maximumRenewalLeadTime = StoreSettings.production.maximumRenewalLeadTime
            change(&$0)
        }
    }

    /// Returns a shop just after the first renewal of anna's subscription was charged. The first period still runs.
    static func charged(_ product: String = "plus") throws -> (shop: Shop, first: String, end: Date) {
        var shop = shop()
        let first = try shop.buy(product)
        let end = try #require(try shop.transaction(first).expiresDate)
        shop.waitForNext()
        #expect(shop.now < end)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
        return (shop, first, end)
    }

    @Test func `DID_RENEW is sent within a day before the period ends, and its purchase date is the end`() async throws
    {
        var leads: Set<TimeInterval> = []
        for await seed in Yielding(1...20) {
            var shop = Self.shop(seed: UInt64(seed))
            try shop.buy("plus")
            let end = Period.month.date(after: shop.now)
            shop.waitForNext()
            let last = try shop.last()
            #expect(shop.now > end - 86_400 && shop.now < end)
            #expect(last.transaction.purchaseDate == end)
            #expect(last.transaction.expiresDate == Period.month.date(after: end))
            #expect(last.transaction.transactionReason == .renewal)
            #expect(last.status == .active)
            #expect(last.renewalInfo?.renewalDate == last.transaction.expiresDate)
            // Until then, the customer is in the first period.
            #expect(try shop.state().expiresDate == end)
            try expectConsistent(shop.store, at: shop.now)
            leads.insert(end.timeIntervalSince(shop.now))
            shop.now = end
            shop.store.run(until: end)
            #expect(try shop.state().transactionID == last.transaction.transactionId)
        }
        #expect(leads.count > 15)
    }

    @Test func `Without a lead, DID_RENEW is sent when the period ends`() throws {
        var shop = Shop()
        try shop.buy("plus")
        shop.waitForNext()
        #expect(shop.now == Period.month.date(after: Shop.start))
        #expect(try shop.last().transaction.purchaseDate == shop.now)
    }

    @Test func `An accelerated rate shortens the lead of the charge`() throws {
        var shop = Self.shop(.sandbox) { $0.rate = .monthlyEvery5Minutes }
        try shop.buy("plus")
        shop.waitForNext()
        let ahead = Shop.start + 300 - shop.now.timeIntervalSince1970
        #expect((0.001...10).contains(ahead.timeIntervalSince1970))
    }

    @Test func `A cancellation after the charge takes effect after the prepaid period`() throws {
        var (shop, _, end) = try Self.charged()
        try shop.perform(.cancel(customer: "anna"))
        #expect(try shop.status() == .active)
        shop.now = end
        shop.store.run(until: end)
        #expect(try shop.status() == .active)
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY"])
    }

    @Test func `A renewal that fails or is cancelled is not decided before the period ends`() throws {
        var shop = Self.shop()
        try shop.buy("plus")
        try shop.perform(.failBilling(customer: "anna"))
        try shop.buy("plus", by: "ben")
        try shop.perform(.cancel(customer: "ben"))
        let end = Period.month.date(after: shop.now)
        shop.now = end - 0.001
        shop.store.run(until: shop.now)
        #expect(shop.store.notifications.count == 3)
        shop.now = end
        shop.store.run(until: end)
        #expect(
            shop.newNotifications().suffix(2).sorted() == ["DID_FAIL_TO_RENEW", "ben: EXPIRED/VOLUNTARY"])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A downgrade after the charge takes effect after the prepaid period`() throws {
        var (shop, _, end) = try Self.charged()
        try shop.buy("basic")
        shop.now = end
        shop.store.run(until: end)
        #expect(try shop.state().productID == "plus")
        shop.wait(.month)
        #expect(try shop.state().productID == "basic")
    }

    @Test func `A downgrade before the charge is charged ahead and starts with the next period`() throws {
        var shop = Self.shop()
        try shop.buy("plus")
        try shop.buy("basic")
        shop.waitForNext()
        #expect(try shop.last().transaction.productId == "basic")
        #expect(try shop.state().productID == "plus")
        shop.now = Period.month.date(after: Shop.start)
        shop.store.run(until: shop.now)
        #expect(try shop.state().productID == "basic")
    }

    @Test func `An upgrade after the charge ends the running and the prepaid period`() throws {
        var (shop, first, end) = try Self.charged()
        let paid = try shop.last().transaction.transactionId
        let gold = try shop.buy("gold")
        #expect(try shop.transaction(first).isUpgraded == true)
        #expect(try shop.transaction(paid).isUpgraded == true)
        #expect(try shop.transaction(gold).purchaseDate == shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(try shop.state().productID == "gold")
        try expectConsistent(shop.store, at: shop.now)
    }

    /// Returns a shop just after anna's renewal was charged: from gold, which ben shares, to basic, which cannot be
    /// shared.
    static func chargedForUnshareableProduct() throws -> (shop: Shop, end: Date) {
        var shop = shop()
        try shop.buy("gold")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try shop.buy("basic")
        let end = Period.month.date(after: shop.now)
        shop.waitForNext()
        #expect(shop.now < end)
        #expect(try shop.last().transaction.productId == "basic")
        _ = shop.newNotifications()
        return (shop, end)
    }

    @Test func `The family keeps a shared subscription until an unshareable period begins`() throws {
        var (shop, end) = try Self.chargedForUnshareableProduct()
        #expect(try shop.status("ben") == .active)
        #expect(try shop.state("ben").expiresDate == end)
        #expect(shop.store.upcoming?.event == "the family of anna loses the shared subscription")
        try expectConsistent(shop.store, at: shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.newNotifications() == ["ben: REVOKE"])
        #expect(try shop.last("ben").transaction.revocationDate == end)
        #expect(try shop.last("ben").status == .revoked)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A refund of an unshareable prepaid period leaves the family the running period`() throws {
        var (shop, end) = try Self.chargedForUnshareableProduct()
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.newNotifications() == ["REFUND"])
        #expect(try shop.status("ben") == .active)
        #expect(try shop.state("ben").autoRenewStatus == .off)
        #expect(shop.store.upcoming?.event == "gold ends (anna)")
        try expectConsistent(shop.store, at: shop.now)

        var other = shop
        try other.perform(.reverseRefund(customer: "anna"))
        #expect(try other.status("ben") == .active)
        try expectConsistent(other.store, at: other.now)
        other.now = end
        other.store.run(until: end)
        #expect(try other.status("ben") == .revoked)
        try expectConsistent(other.store, at: other.now)

        shop.now = end
        shop.store.run(until: end)
        #expect(shop.newNotifications() == ["EXPIRED/VOLUNTARY", "ben: EXPIRED/VOLUNTARY"])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `The family gets neither an extension nor a billing failure of an unshareable period`()
        throws
    {
        let (shop, end) = try Self.chargedForUnshareableProduct()
        var extended = shop
        try extended.perform(.extendRenewal(customer: "anna", days: 5))
        #expect(extended.newNotifications() == ["RENEWAL_EXTENDED"])
        #expect(try extended.state("ben").expiresDate == end)
        try expectConsistent(extended.store, at: extended.now)

        var failed = shop
        try failed.perform(.failBilling(customer: "anna"))
        try failed.perform(.accelerate(customer: "anna"))
        #expect(failed.newNotifications() == ["ben: REVOKE", "DID_FAIL_TO_RENEW"])
        #expect(try failed.status("ben") == .revoked)
        try expectConsistent(failed.store, at: failed.now)
    }

    @Test func `Setting an account token applies to the running and the prepaid period`() throws {
        var (shop, first, _) = try Self.charged()
        let token = UUID()
        let next = try shop.last().transaction.transactionId
        try shop.perform(.setAppAccountToken(customer: "anna", appAccountToken: token))
        #expect(try shop.transaction(first).appAccountToken == token)
        #expect(try shop.transaction(next).appAccountToken == token)
    }

    @Test func `A delayed renewal leaves the subscription expired for at most the delay`() async throws {
        var lapses = 0
        for await seed in Yielding(1...40) {
            var shop = Self.shop(.sandbox, seed: UInt64(seed)) {
                $0.maximumRenewalLeadTime = 0
                $0.maximumRenewalDelay = 3600
            }
            try shop.buy("plus")
            let end = Period.month.date(after: shop.now)
            shop.now = end
            shop.store.run(until: end)
            try expectConsistent(shop.store, at: shop.now)
            guard try shop.status() == .expired else { continue }
            lapses += 1
            #expect(try shop.state().expirationIntent == nil)
            #expect(try shop.state().autoRenewStatus == .on)
            shop.waitForNext()
            #expect(shop.now > end && shop.now <= end + 3600)
            #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW"])
            #expect(try shop.last().transaction.purchaseDate == shop.now)
            #expect(try shop.status() == .active)
        }
        #expect((3...20).contains(lapses))
    }

    @Test func `A free trial cannot be extended after the first paid period was charged`() throws {
        var shop = Self.shop()
        try shop.perform(.purchase(customer: "anna", product: "plus"))
        shop.waitForNext()
        #expect(try shop.last().transaction.price == 9990)
        #expect(try shop.state().offerType == .introductory)
        try shop.expectRefusal(.extendRenewal(customer: "anna", days: 5), .notEligible)
        shop.wait(days: 1)
        try shop.perform(.extendRenewal(customer: "anna", days: 5))
    }

    @Test func `The same seed charges at the same times`() throws {
        func run() throws -> Data {
            var shop = Self.shop(seed: 7) { $0.maximumRenewalDelay = 600 }
            try shop.buy("plus")
            try shop.buy("gold", by: "ben")
            for _ in 0..<5 { shop.wait(.month) }
            return try shop.store.bytes
        }
        #expect(try run() == run())
    }
}
