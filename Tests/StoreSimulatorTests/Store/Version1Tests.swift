import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Notifications of version 1` {
    private static func shop() -> Shop { Shop { $0.notificationVersion = .one } }

    @Test func `Version 1 has its own notification types for the events of a subscription`() throws {
        var shop = Self.shop()
        try shop.buy("plus")
        #expect(shop.newNotifications() == ["INITIAL_BUY"])
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_RENEW"])
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_FAIL_TO_RENEW"])
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(shop.newNotifications() == ["DID_RECOVER"])
        try shop.buy("basic")
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_PREF"])
        try shop.buy("gold")
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_STATUS", "INTERACTIVE_RENEWAL"])
        try shop.perform(.increasePrice(product: "gold", price: 29_990, consent: true))
        #expect(shop.newNotifications() == ["PRICE_INCREASE_CONSENT"])
        try shop.perform(.acceptPrice(customer: "anna"))
        #expect(shop.newNotifications() == [])
        try shop.perform(.cancel(customer: "anna"))
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_STATUS"])
        shop.wait(.month)
        #expect(try shop.status() == .expired)
        #expect(shop.newNotifications() == [], "a voluntary expiration sends no notification")
        try shop.buy("gold")
        #expect(shop.newNotifications() == ["DID_CHANGE_RENEWAL_STATUS"], "the same product again")
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.newNotifications() == ["CANCEL", "DID_CHANGE_RENEWAL_STATUS"])
        try shop.buy("plus")
        #expect(shop.newNotifications() == ["INTERACTIVE_RENEWAL", "DID_CHANGE_RENEWAL_STATUS"], "another product")
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(days: 100)
        #expect(
            shop.newNotifications() == ["DID_FAIL_TO_RENEW", "DID_CHANGE_RENEWAL_STATUS"],
            "the end of the billing retry")
    }

    @Test func `Version 1 notifies one-time purchases only of consumption requests and refunds`() throws {
        var shop = Self.shop()
        try shop.buy("coins")
        try shop.buy("lamp")
        try shop.perform(.rescindConsent(customer: "anna"))
        try shop.perform(.createExternalPurchaseToken(tokenType: nil))
        #expect(shop.newNotifications() == [])
        try shop.perform(.requestRefund(customer: "anna", transaction: "coins"))
        #expect(shop.newNotifications() == ["CONSUMPTION_REQUEST"])
        try shop.perform(.declineRefund(customer: "anna", transaction: "coins"))
        #expect(shop.newNotifications() == [])
        try shop.perform(.approveRefund(customer: "anna", transaction: "lamp"))
        #expect(shop.newNotifications() == ["REFUND"])
        try shop.perform(.reverseRefund(customer: "anna", transaction: "lamp"))
        #expect(shop.newNotifications() == [])
        try shop.perform(.requestTestNotification)
        #expect(shop.newNotifications() == ["TEST"], "TEST has the format of version 2")
        #expect(shop.store.notifications.last?.version == .two)
    }

    @Test func `Version 1 notifies family members only of renewals and revocations`() throws {
        var shop = Self.shop()
        try shop.buy("plus")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        #expect(shop.newNotifications() == ["INITIAL_BUY"])
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_RENEW", "ben: DID_RENEW"])
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.newNotifications() == ["CANCEL", "DID_CHANGE_RENEWAL_STATUS", "ben: REVOKE"])
    }

    @Test func `With version 1, no notification but TEST can be triggered`() throws {
        var shop = Self.shop()
        let error = #expect(throws: StoreError.self) {
            try shop.store.trigger(TriggerRequest(.subscribed, .initialBuy), at: shop.now)
        }
        #expect(error?.code == .impossibleTransition)
        #expect(shop.store.customers.isEmpty)
        _ = try shop.store.trigger(TriggerRequest(.test), at: shop.now)
        shop.store.settings.notificationVersion = .two
        _ = try shop.store.trigger(TriggerRequest(.subscribed, .initialBuy), at: shop.now)
    }

    /// The notification version determines only the notifications. It changes no identifier and no date.
    @Test(arguments: UInt64(1)...20)
    func `Version 1 and version 2 have the same purchases after the same commands`(_ seed: UInt64) async throws {
        var (old, new) = (Self.shop(), Shop())
        var random = RandomCommands(random: SeededGenerator(seed: seed))
        for await index in Yielding(0..<120) {
            if index == 60 + Int(seed) { old.store.settings.notificationVersion = .two }
            let command = random.next(new.store)
            let outcomes = [try Self.outcome(of: command, in: &old), try Self.outcome(of: command, in: &new)]
            #expect(outcomes[0] == outcomes[1])
            let pause = random.pause()
            old.wait(days: pause / 86_400)
            new.wait(days: pause / 86_400)
        }
        #expect(try Self.purchases(old) == Self.purchases(new))
        #expect(old.store.notifications.contains { $0.version == .one })
        #expect(old.store.notifications.contains { $0.version == .two && $0.type != .test })
    }

    private static func outcome(of command: StoreCommand, in shop: inout Shop) throws -> String? {
        do { return try shop.perform(command).transactionID } catch let error as StoreError {
            return error.code.rawValue
        }
    }

    /// Returns the store without notifications and their deliveries.
    private static func purchases(_ shop: Shop) throws -> Data {
        var store = shop.store
        store.notifications = []
        store.notificationsByUUID = [:]
        store.tests = [:]
        store.deliveries = Schedule()
        store.settings = .production
        return try store.bytes
    }
}
