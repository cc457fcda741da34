import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

// What comes to the family of what is paid and has not begun.
extension ChargingAheadTests {
    /// Anna's subscription, which nobody can share, a moment after its renewal into one that Ben can share was charged.
    private static func chargedForEverybody() throws -> (shop: Shop, end: Date) {
        var shop = shop()
        try shop.perform(.createCustomer(customer: "anna"))
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try shop.buy("plus.other")
        try shop.buy("plus.yearly")
        let end = Period.month.after(shop.now)
        shop.waitForNext()
        #expect(shop.now < end)
        #expect(try shop.last().transaction.productId == "plus.yearly")
        _ = shop.news()
        return (shop, end)
    }

    @Test func `The family gets what it could not share before when that begins, not when it is paid`() throws {
        var (shop, end) = try Self.chargedForEverybody()
        #expect(shop.store.customers["ben"]?.subscriptions == [])
        try shop.perform(.shareWithFamily(customer: "anna", member: "carl"))
        #expect(shop.news() == [])
        try expectSound(shop.store, at: shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.news() == ["ben: SUBSCRIBED/INITIAL_BUY", "carl: SUBSCRIBED/INITIAL_BUY"])
        let shared = try shop.last("ben").transaction
        #expect(shared.purchaseDate == end && shared.productId == "plus.yearly")
        #expect(try shared.expiresDate == shop.last().transaction.expiresDate)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `The family never gets what was refunded before it began`() throws {
        var (shop, end) = try Self.chargedForEverybody()
        try shop.perform(.approveRefund(customer: "anna"))
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.news() == ["REFUND", "EXPIRED/VOLUNTARY"])
        #expect(shop.store.customers["ben"]?.subscriptions == [])
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Who joins after the charge has the period that runs and the one that is paid`() throws {
        var (shop, _, end) = try Self.charged("gold")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        #expect(shop.news() == ["ben: SUBSCRIBED/INITIAL_BUY", "ben: DID_RENEW"])
        #expect(try shop.state("ben").expiresDate == end)
        #expect(try shop.last("ben").transaction.purchaseDate == end)
        try expectSound(shop.store, at: shop.now)
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.news() == ["REFUND", "ben: REVOKE"])
        #expect(try shop.status("ben") == .active)
        try expectSound(shop.store, at: shop.now)
        try shop.perform(.reverseRefund(customer: "anna"))
        #expect(shop.news() == ["REFUND_REVERSED", "ben: DID_RENEW"])
        shop.now = end
        shop.store.run(until: end)
        #expect(try shop.status("ben") == .active)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Who joins after the charge for something that nobody can share leaves when that begins`() throws {
        var shop = Self.shop()
        try shop.buy("gold")
        try shop.buy("basic")
        let end = Period.month.after(shop.now)
        shop.waitForNext()
        _ = shop.news()
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        #expect(shop.news() == ["ben: SUBSCRIBED/INITIAL_BUY"])
        #expect(try shop.state("ben").productID == "gold")
        try expectSound(shop.store, at: shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.news() == ["ben: REVOKE"])
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Who joins after a refund of the period that runs gets the one that is paid when it begins`() throws {
        var (shop, first, end) = try Self.charged("gold")
        try shop.perform(.approveRefund(customer: "anna", transaction: first))
        try shop.perform(.shareWithFamily(customer: "anna", member: "carl"))
        #expect(shop.news() == ["REFUND"])
        try expectSound(shop.store, at: shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.news() == ["carl: SUBSCRIBED/INITIAL_BUY"])
        #expect(try shop.state("carl").expiresDate == shop.state().expiresDate)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `Who joins while what is paid is refunded gets it with the reversal, when it begins`() throws {
        var shop = Self.shop()
        try shop.buy("plus.other")
        try shop.buy("plus.yearly")
        let end = Period.month.after(shop.now)
        shop.waitForNext()
        let paid = try shop.last().transaction.transactionId
        try shop.perform(.approveRefund(customer: "anna", transaction: paid))
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try shop.perform(.reverseRefund(customer: "anna", transaction: paid))
        _ = shop.news()
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.news() == ["ben: SUBSCRIBED/INITIAL_BUY"])
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `A refund of the period that runs takes that alone from the family, and its reversal gives it back`()
        throws
    {
        var (shop, first, end) = try Self.charged("gold")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        _ = shop.news()
        try shop.perform(.approveRefund(customer: "anna", transaction: first))
        #expect(shop.news() == ["REFUND", "ben: REVOKE"])
        let revoked = try shop.last("ben")
        #expect(revoked.transaction.expiresDate == end && revoked.transaction.revocationDate == shop.now)
        #expect(revoked.status == .active)
        try expectSound(shop.store, at: shop.now)

        var left = shop
        try left.perform(.stopSharing(customer: "anna", member: "ben"))
        #expect(left.news() == ["ben: REVOKE"])
        #expect(try left.status("ben") == .revoked)
        try expectSound(left.store, at: left.now)

        try shop.perform(.reverseRefund(customer: "anna", transaction: first))
        #expect(shop.news() == ["REFUND_REVERSED", "ben: SUBSCRIBED/RESUBSCRIBE"])
        #expect(try shop.state("ben").expiresDate == end)
        try expectSound(shop.store, at: shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.news() == [])
        #expect(try shop.status("ben") == .active)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `The family gets the grace period of what is accelerated before it begins`() throws {
        var (shop, _) = try Self.chargedForEverybody()
        shop.store.settings.gracePeriod = .sixteenDays
        try shop.perform(.failBilling(customer: "anna"))
        try shop.perform(.accelerate(customer: "anna"))
        #expect(shop.news() == ["DID_FAIL_TO_RENEW/GRACE_PERIOD", "ben: SUBSCRIBED/INITIAL_BUY"])
        #expect(try shop.status("ben") == .billingGracePeriod)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `What happens next is said also where a refund has come before what the family would get then`() throws {
        var (shop, end) = try Self.chargedForEverybody()
        #expect(shop.store.upcoming?.what == "the family of anna gets what it can share")
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.store.upcoming?.date == end)
        #expect(shop.store.upcoming?.what == "plus.other ends (anna)")
    }

    @Test func `Nothing is planned for a family that there is not, or that has what is paid`() throws {
        var alone = Self.shop()
        try alone.buy("plus.other")
        try alone.buy("plus.yearly")
        let end = Period.month.after(alone.now)
        alone.waitForNext()
        #expect(alone.now < end)
        let next = try #require(alone.store.next)
        #expect(next > end)
        var (shop, _, begins) = try Self.charged("gold")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        let following = try #require(shop.store.next)
        #expect(following > begins)
    }

    /// Refunds what anna has paid ahead, and has the charge for the same period fail when it begins.
    private static func refundAndFailToCharge(_ shop: inout Shop, _ paid: String, at begin: Date) throws {
        try shop.perform(.approveRefund(customer: "anna", transaction: paid))
        try shop.perform(.resume(customer: "anna"))
        try shop.perform(.failBilling(customer: "anna"))
        shop.now = begin
        shop.store.run(until: begin)
    }

    @Test func `The reversal of a refund ends the attempts to charge for the same period`() throws {
        var (shop, _, end) = try Self.charged()
        let paid = try shop.last().transaction.transactionId
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try Self.refundAndFailToCharge(&shop, paid, at: end)
        #expect(try shop.status() == .billingRetry)
        var late = shop
        try shop.perform(.reverseRefund(customer: "anna", transaction: paid))
        #expect(try shop.status() == .active)
        #expect(try shop.status("ben") == .active)
        try expectSound(shop.store, at: shop.now)

        // A month later there is nothing of it left, and the charge is still owed.
        late.wait(.month)
        try late.perform(.reverseRefund(customer: "anna", transaction: paid))
        #expect(try late.status() == .billingRetry)
        try expectSound(late.store, at: late.now)
    }

    @Test func `The family loses the subscription with the reversal of a refund of what it cannot share`() throws {
        var (shop, end) = try Self.chargedForHerselfAlone()
        let paid = try shop.last().transaction.transactionId
        try Self.refundAndFailToCharge(&shop, paid, at: end)
        #expect(try shop.status("ben") == .billingRetry)
        _ = shop.news()
        try shop.perform(.reverseRefund(customer: "anna", transaction: paid))
        #expect(shop.news() == ["REFUND_REVERSED", "ben: REVOKE"])
        #expect(try shop.status("ben") == .revoked)
        try expectSound(shop.store, at: shop.now)
    }

    @Test func `The reversal of a refund takes back that a subscription was given up in its grace period`() throws {
        var (shop, _, end) = try Self.charged()
        shop.store.settings.gracePeriod = .sixteenDays
        let paid = try shop.last().transaction.transactionId
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try Self.refundAndFailToCharge(&shop, paid, at: end)
        #expect(try shop.status() == .billingGracePeriod)
        try shop.perform(.cancel(customer: "anna"))
        // The family's with it.
        #expect(shop.store.subscriptions.values.map(\.wasCancelledInGrace) == [true, true])
        try shop.perform(.reverseRefund(customer: "anna", transaction: paid))
        #expect(shop.store.subscriptions.values.map(\.wasCancelledInGrace) == [false, false])
    }
}
