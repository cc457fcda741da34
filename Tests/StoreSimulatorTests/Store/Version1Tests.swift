import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Notifications of version 1` {
    private static func shop() -> Shop { Shop { $0.notificationVersion = .one } }

    @Test func `tell of a subscription's life in the words of that version`() throws {
        var shop = Self.shop()
        try shop.buy("plus")
        #expect(shop.news() == ["INITIAL_BUY"])
        shop.wait(.month)
        #expect(shop.news() == ["DID_RENEW"])
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(.month)
        #expect(shop.news() == ["DID_FAIL_TO_RENEW"])
        try shop.perform(.fixBilling(customer: "anna"))
        #expect(shop.news() == ["DID_RECOVER"])
        try shop.buy("basic")
        #expect(shop.news() == ["DID_CHANGE_RENEWAL_PREF"])
        try shop.buy("gold")
        #expect(shop.news() == ["DID_CHANGE_RENEWAL_STATUS", "INTERACTIVE_RENEWAL"])
        try shop.perform(.increasePrice(product: "gold", price: 29_990, consent: true))
        #expect(shop.news() == ["PRICE_INCREASE_CONSENT"])
        try shop.perform(.acceptPrice(customer: "anna"))
        #expect(shop.news() == [])
        try shop.perform(.cancel(customer: "anna"))
        #expect(shop.news() == ["DID_CHANGE_RENEWAL_STATUS"])
        shop.wait(.month)
        #expect(try shop.status() == .expired)
        #expect(shop.news() == [], "a voluntary end goes unsaid")
        try shop.buy("gold")
        #expect(shop.news() == ["DID_CHANGE_RENEWAL_STATUS"], "the same product again")
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.news() == ["CANCEL", "DID_CHANGE_RENEWAL_STATUS"])
        try shop.buy("plus")
        #expect(shop.news() == ["INTERACTIVE_RENEWAL", "DID_CHANGE_RENEWAL_STATUS"], "another product")
        try shop.perform(.failBilling(customer: "anna"))
        shop.wait(days: 100)
        #expect(shop.news() == ["DID_FAIL_TO_RENEW", "DID_CHANGE_RENEWAL_STATUS"], "the end of the billing retry")
    }

    @Test func `tell of other purchases only when money goes back`() throws {
        var shop = Self.shop()
        try shop.buy("coins")
        try shop.buy("lamp")
        try shop.perform(.rescindConsent(customer: "anna"))
        try shop.perform(.createExternalPurchaseToken(tokenType: nil))
        #expect(shop.news() == [])
        try shop.perform(.requestRefund(customer: "anna", transaction: "coins"))
        #expect(shop.news() == ["CONSUMPTION_REQUEST"])
        try shop.perform(.declineRefund(customer: "anna", transaction: "coins"))
        #expect(shop.news() == [])
        try shop.perform(.approveRefund(customer: "anna", transaction: "lamp"))
        #expect(shop.news() == ["REFUND"])
        try shop.perform(.reverseRefund(customer: "anna", transaction: "lamp"))
        #expect(shop.news() == [])
        try shop.perform(.requestTestNotification)
        #expect(shop.news() == ["TEST"], "which has the form of version 2")
        #expect(shop.store.notifications.last?.version == .two)
    }

    @Test func `tell family members how it goes on, and neither of its beginning nor of the money`() throws {
        var shop = Self.shop()
        try shop.buy("plus")
        try shop.perform(.shareWithFamily(customer: "anna", member: "ben"))
        #expect(shop.news() == ["INITIAL_BUY"])
        shop.wait(.month)
        #expect(shop.news() == ["DID_RENEW", "ben: DID_RENEW"])
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.news() == ["CANCEL", "DID_CHANGE_RENEWAL_STATUS", "ben: REVOKE"])
    }

    @Test func `cannot be triggered, since they follow commands`() throws {
        var shop = Self.shop()
        #expect(throws: StoreError.self) {
            try shop.store.trigger(TriggerRequest(.subscribed, .initialBuy), at: shop.now)
        }
        #expect(shop.store.customers.isEmpty)
        _ = try shop.store.trigger(TriggerRequest(.test), at: shop.now)
        shop.store.settings.notificationVersion = .two
        _ = try shop.store.trigger(TriggerRequest(.subscribed, .initialBuy), at: shop.now)
    }

    /// Which version an app gets changes what it is told, and nothing else: no identifier, no date.
    @Test(arguments: UInt64(1)...20)
    func `go with the same purchases as those of version 2`(_ seed: UInt64) throws {
        var (old, new) = (Self.shop(), Shop())
        var random = RandomCommands(random: SeededGenerator(seed: seed))
        for index in 0..<120 {
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

    /// Everything but notifications and their deliveries.
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
