import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

// Family sharing of periods that are paid before they begin.
extension ChargingAheadTests {
    /// Returns a shop just after anna's renewal was charged: from an unshareable product to one that ben shares.
    private static func chargedForShareableProduct() throws -> (shop: Shop, end: Date) {
        var shop = shop()
        try shop.perform(.createCustomer(customer: "anna"))
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try shop.buy("plus.other")
        try shop.buy("plus.yearly")
        let end = Period.month.date(after: shop.now)
        shop.waitForNext()
        #expect(shop.now < end)
        #expect(try shop.last().transaction.productId == "plus.yearly")
        _ = shop.newNotifications()
        return (shop, end)
    }

    @Test func `The family gets a shareable product when its paid period begins, not when it is paid`() throws {
        var (shop, end) = try Self.chargedForShareableProduct()
        #expect(shop.store.customers["ben"]?.subscriptions == [])
        try shop.perform(.shareWithFamily(customer: "anna", member: "carl"))
        #expect(shop.newNotifications() == [])
        try expectConsistent(shop.store, at: shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.newNotifications() == ["ben: SUBSCRIBED/INITIAL_BUY", "carl: SUBSCRIBED/INITIAL_BUY"])
        let shared = try shop.last("ben").transaction
        #expect(shared.purchaseDate == end && shared.productId == "plus.yearly")
        #expect(try shared.expiresDate == shop.last().transaction.expiresDate)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `The family never gets a period that was refunded before it began`() throws {
        var (shop, end) = try Self.chargedForShareableProduct()
        try shop.perform(.approveRefund(customer: "anna"))
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.newNotifications() == ["REFUND", "EXPIRED/VOLUNTARY"])
        #expect(shop.store.customers["ben"]?.subscriptions == [])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A member who joins after the charge gets the running and the prepaid period`() throws {
        var (shop, _, end) = try Self.charged("gold")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        #expect(shop.newNotifications() == ["ben: SUBSCRIBED/INITIAL_BUY", "ben: DID_RENEW"])
        #expect(try shop.state("ben").expiresDate == end)
        #expect(try shop.last("ben").transaction.purchaseDate == end)
        try expectConsistent(shop.store, at: shop.now)
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.newNotifications() == ["REFUND", "ben: REVOKE"])
        #expect(try shop.status("ben") == .active)
        try expectConsistent(shop.store, at: shop.now)
        try shop.perform(.reverseRefund(customer: "anna"))
        #expect(shop.newNotifications() == ["REFUND_REVERSED", "ben: DID_RENEW"])
        shop.now = end
        shop.store.run(until: end)
        #expect(try shop.status("ben") == .active)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A member who joins before an unshareable prepaid period loses access when it begins`() throws {
        var shop = Self.shop()
        try shop.buy("gold")
        try shop.buy("basic")
        let end = Period.month.date(after: shop.now)
        shop.waitForNext()
        _ = shop.newNotifications()
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        #expect(shop.newNotifications() == ["ben: SUBSCRIBED/INITIAL_BUY"])
        #expect(try shop.state("ben").productID == "gold")
        try expectConsistent(shop.store, at: shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.newNotifications() == ["ben: REVOKE"])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A member who joins after a refund of the running period gets the prepaid one at its start`() throws {
        var (shop, first, end) = try Self.charged("gold")
        try shop.perform(.approveRefund(customer: "anna", transaction: first))
        try shop.perform(.shareWithFamily(customer: "anna", member: "carl"))
        #expect(shop.newNotifications() == ["REFUND"])
        try expectConsistent(shop.store, at: shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.newNotifications() == ["carl: SUBSCRIBED/INITIAL_BUY"])
        #expect(try shop.state("carl").expiresDate == shop.state().expiresDate)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A member who joins while the prepaid period is refunded gets it at its start if reversed`() throws {
        var shop = Self.shop()
        try shop.buy("plus.other")
        try shop.buy("plus.yearly")
        let end = Period.month.date(after: shop.now)
        shop.waitForNext()
        let paid = try shop.last().transaction.transactionId
        try shop.perform(.approveRefund(customer: "anna", transaction: paid))
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try shop.perform(.reverseRefund(customer: "anna", transaction: paid))
        _ = shop.newNotifications()
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.newNotifications() == ["ben: SUBSCRIBED/INITIAL_BUY"])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A refund of the running period revokes that period alone for the family until its reversal`()
        throws
    {
        var (shop, first, end) = try Self.charged("gold")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        _ = shop.newNotifications()
        try shop.perform(.approveRefund(customer: "anna", transaction: first))
        #expect(shop.newNotifications() == ["REFUND", "ben: REVOKE"])
        let revoked = try shop.last("ben")
        #expect(revoked.transaction.expiresDate == end && revoked.transaction.revocationDate == shop.now)
        #expect(revoked.status == .active)
        try expectConsistent(shop.store, at: shop.now)

        var left = shop
        try left.perform(.stopSharing(customer: "anna", member: "ben"))
        #expect(left.newNotifications() == ["ben: REVOKE"])
        #expect(try left.status("ben") == .revoked)
        try expectConsistent(left.store, at: left.now)

        try shop.perform(.reverseRefund(customer: "anna", transaction: first))
        #expect(shop.newNotifications() == ["REFUND_REVERSED", "ben: SUBSCRIBED/RESUBSCRIBE"])
        #expect(try shop.state("ben").expiresDate == end)
        try expectConsistent(shop.store, at: shop.now)
        shop.now = end
        shop.store.run(until: end)
        #expect(shop.newNotifications() == [])
        #expect(try shop.status("ben") == .active)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A prepaid period that is accelerated and fails to renew gives the family its grace period`() throws {
        var (shop, _) = try Self.chargedForShareableProduct()
        shop.store.settings.gracePeriod = .sixteenDays
        try shop.perform(.failBilling(customer: "anna"))
        try shop.perform(.accelerate(customer: "anna"))
        #expect(shop.newNotifications() == ["DID_FAIL_TO_RENEW/GRACE_PERIOD", "ben: SUBSCRIBED/INITIAL_BUY"])
        #expect(try shop.status("ben") == .billingGracePeriod)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `After a refund of the prepaid period, the next event is the end of the subscription`() throws {
        var (shop, end) = try Self.chargedForShareableProduct()
        #expect(shop.store.upcoming?.event == "the family of anna starts to share the subscription")
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.store.upcoming?.date == end)
        #expect(shop.store.upcoming?.event == "plus.other ends (anna)")
    }

    @Test func `No sharing event is planned without a family, or if the family has the prepaid period`() throws {
        var alone = Self.shop()
        try alone.buy("plus.other")
        try alone.buy("plus.yearly")
        let end = Period.month.date(after: alone.now)
        alone.waitForNext()
        #expect(alone.now < end)
        let next = try #require(alone.store.schedule.next)
        #expect(next > end)
        var (shop, _, begins) = try Self.charged("gold")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        let following = try #require(shop.store.schedule.next)
        #expect(following > begins)
    }

    /// Refunds anna's prepaid period, and makes the charge for the same period fail when it begins.
    private static func refundAndFailToCharge(_ shop: inout Shop, _ paid: String, at begin: Date) throws {
        try shop.perform(.approveRefund(customer: "anna", transaction: paid))
        try shop.perform(.resume(customer: "anna"))
        try shop.perform(.failBilling(customer: "anna"))
        shop.now = begin
        shop.store.run(until: begin)
    }

    @Test func `Reversing a refund ends the billing retry for the same period`() throws {
        var (shop, _, end) = try Self.charged()
        let paid = try shop.last().transaction.transactionId
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try Self.refundAndFailToCharge(&shop, paid, at: end)
        #expect(try shop.status() == .billingRetry)
        var late = shop
        try shop.perform(.reverseRefund(customer: "anna", transaction: paid))
        #expect(try shop.status() == .active)
        #expect(try shop.status("ben") == .active)
        try expectConsistent(shop.store, at: shop.now)

        // A month later the reversed period is over, and the charge is still due.
        late.wait(.month)
        try late.perform(.reverseRefund(customer: "anna", transaction: paid))
        #expect(try late.status() == .billingRetry)
        try expectConsistent(late.store, at: late.now)
    }

    @Test func `Reversing the refund of an unshareable period revokes the family's subscription`() throws {
        var (shop, end) = try Self.chargedForUnshareableProduct()
        let paid = try shop.last().transaction.transactionId
        try Self.refundAndFailToCharge(&shop, paid, at: end)
        #expect(try shop.status("ben") == .billingRetry)
        _ = shop.newNotifications()
        try shop.perform(.reverseRefund(customer: "anna", transaction: paid))
        #expect(shop.newNotifications() == ["REFUND_REVERSED", "ben: REVOKE"])
        #expect(try shop.status("ben") == .revoked)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `Reversing a refund clears the mark of a cancellation in the grace period`() throws {
        var (shop, _, end) = try Self.charged()
        shop.store.settings.gracePeriod = .sixteenDays
        let paid = try shop.last().transaction.transactionId
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        try Self.refundAndFailToCharge(&shop, paid, at: end)
        #expect(try shop.status() == .billingGracePeriod)
        try shop.perform(.cancel(customer: "anna"))
        // The family's subscription has the mark as well.
        #expect(shop.store.subscriptions.values.map(\.wasCancelledInGrace) == [true, true])
        try shop.perform(.reverseRefund(customer: "anna", transaction: paid))
        #expect(shop.store.subscriptions.values.map(\.wasCancelledInGrace) == [false, false])
    }
}
