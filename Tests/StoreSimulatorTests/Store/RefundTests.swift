import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// Refunds of every type of product.
@Suite struct RefundTests {
    @Test func `An in-app refund request turns renewal off, and the refund revokes the current period`() throws {
        var shop = Shop()
        let id = try shop.buy("plus")
        shop.wait(days: 3)
        try shop.perform(.requestRefund(customer: "anna", reason: .fulfillmentIssue, inApp: true))
        #expect(
            shop.newNotifications() == [
                "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "CONSUMPTION_REQUEST",
            ])
        #expect(try shop.last().consumptionRequestReason == .fulfillmentIssue)
        #expect(try shop.status() == .active)
        try shop.expectRefusal(.requestRefund(customer: "anna"), .impossibleTransition)
        try shop.perform(.approveRefund(customer: "anna", reason: .issueWithApp))
        #expect(shop.newNotifications() == ["REFUND"])
        let refunded = try shop.last()
        #expect(refunded.transaction.transactionId == id)
        #expect(refunded.transaction.revocationDate == shop.now)
        #expect(refunded.transaction.revocationReason == .issueWithApp)
        #expect(refunded.transaction.revocationType == .refundFull)
        #expect(refunded.transaction.revocationPercentage == 100_000)
        #expect(refunded.consumptionRequestReason == nil)
        #expect(refunded.status == .revoked)
        // It stays revoked, and the end of the period sends no notification.
        shop.wait(.month)
        #expect(shop.newNotifications() == [])
        #expect(try shop.status() == .revoked)
        try shop.expectRefusal(.approveRefund(customer: "anna"), .alreadyRefunded)
        try shop.buy("plus")
        #expect(shop.newNotifications() == ["SUBSCRIBED/RESUBSCRIBE"])
    }

    @Test func `A refund of an earlier period does not affect the current one`() throws {
        var shop = Shop()
        let old = try shop.buy("plus")
        shop.wait(.month)
        try shop.perform(.approveRefund(customer: "anna", transaction: old))
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "REFUND"])
        #expect(try shop.last().transaction.transactionId == old)
        #expect(try shop.last().status == .active)
        #expect(try shop.last().renewalInfo?.autoRenewStatus == .on)
        shop.wait(.month)
        #expect(shop.newNotifications() == ["DID_RENEW"])
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A refund of an upgraded transaction does not affect the current one`() throws {
        var shop = Shop()
        let old = try shop.buy("plus")
        try shop.buy("gold")
        try shop.perform(.approveRefund(customer: "anna", transaction: old))
        #expect(try shop.last().transaction.isUpgraded == true)
        #expect(try shop.last().status == .active)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A declined in-app refund request leaves renewal off`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.expectRefusal(.declineRefund(customer: "anna"), .impossibleTransition)
        try shop.perform(.requestRefund(customer: "anna", inApp: true))
        try shop.perform(.declineRefund(customer: "anna"))
        #expect(shop.newNotifications().suffix(2) == ["CONSUMPTION_REQUEST", "REFUND_DECLINED"])
        #expect(try shop.last().renewalInfo?.autoRenewStatus == .off)
        #expect(try shop.status() == .active)
        shop.wait(.month)
        #expect(shop.newNotifications() == ["EXPIRED/VOLUNTARY"])
    }

    @Test func `Reversing a refund restores the rest of the period`() throws {
        var shop = Shop()
        let id = try shop.buy("plus")
        let before = try shop.transaction(id)
        try shop.expectRefusal(.reverseRefund(customer: "anna"), .impossibleTransition)
        try shop.perform(.approveRefund(customer: "anna"))
        shop.wait(days: 10)
        try shop.perform(.reverseRefund(customer: "anna"))
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "REFUND", "REFUND_REVERSED"])
        #expect(try shop.transaction(id) == before)
        #expect(try shop.status() == .active)
        #expect(try shop.last().renewalInfo?.renewalDate == before.expiresDate)
        shop.wait(.month)
        #expect(shop.newNotifications() == ["EXPIRED/VOLUNTARY"])
        try shop.perform(.approveRefund(customer: "anna"))
        try shop.perform(.reverseRefund(customer: "anna"))
        #expect(shop.newNotifications() == ["REFUND", "REFUND_REVERSED"])
        #expect(try shop.last().status == .expired)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `Reversing a refund after the end of the period leaves the subscription expired`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.approveRefund(customer: "anna"))
        shop.wait(.month)
        try shop.perform(.reverseRefund(customer: "anna"))
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "REFUND", "REFUND_REVERSED"])
        #expect(try shop.last().status == .expired)
        #expect(try shop.last().renewalInfo?.expirationIntent == .customerCancelled)
        try expectConsistent(shop.store, at: shop.now)
    }

    @Test func `A consumable has a quantity and a total price, and its refund has no renewal info`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "coins", quantity: 3))
        #expect(try shop.last().transaction.quantity == 3)
        #expect(try shop.last().transaction.price == 2970)
        #expect(try shop.last().status == nil)
        try shop.expectRefusal(.purchase(customer: "anna", product: "coins", quantity: 0), .invalidArgument)
        try shop.expectRefusal(.purchase(customer: "anna", product: "coins", quantity: 11), .invalidArgument)
        try shop.perform(.requestRefund(customer: "anna"))
        try shop.perform(.approveRefund(customer: "anna", percentage: 25_000))
        #expect(shop.newNotifications() == ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND"])
        #expect(try shop.last().transaction.revocationType == .refundProrated)
        #expect(try shop.last().transaction.revocationPercentage == 25_000)
        #expect(try shop.last().renewalInfo == nil)
    }

    @Test func `A non-renewing subscription has no expiration date and can be bought repeatedly`() throws {
        var shop = Shop()
        let first = try shop.buy("season")
        shop.wait(.year)
        let second = try shop.buy("season")
        #expect(shop.newNotifications() == ["ONE_TIME_CHARGE", "ONE_TIME_CHARGE"])
        #expect(try shop.transaction(second).originalTransactionId == second)
        #expect(try shop.transaction(first).expiresDate == nil)
    }

    @Test func `Consumption requests can be limited to consumables and subscriptions`() throws {
        var shop = Shop { $0.sendsConsumptionRequestsForAllProducts = false }
        for product in ["lamp", "season", "coins", "plus"] { try shop.buy(product) }
        _ = shop.newNotifications()
        for product in ["lamp", "season"] { try shop.perform(.requestRefund(customer: "anna", transaction: product)) }
        #expect(shop.newNotifications() == [])
        for product in ["coins", "plus"] { try shop.perform(.requestRefund(customer: "anna", transaction: product)) }
        #expect(shop.newNotifications() == ["CONSUMPTION_REQUEST", "CONSUMPTION_REQUEST"])
    }

    @Test(arguments: [(nil, "REFUND"), ("DECLINE", "REFUND_DECLINED"), ("GRANT_PRORATED", "REFUND")])
    func `The sandbox decides a refund by itself, following the note of the request`(_ note: String?, _ end: String)
        throws
    {
        var shop = Shop(.sandbox)
        try shop.buy("plus")
        shop.now = Shop.start + 15.5 * 86_400 - 300
        try shop.perform(.requestRefund(customer: "anna", note: note))
        shop.wait(days: 0.1)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "CONSUMPTION_REQUEST", end])
        if note == "GRANT_PRORATED" { #expect(try shop.last().transaction.revocationPercentage == 50_000) }
    }

    @Test func `A refund of an expired period does not shorten the lapse after it`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        shop.wait(.month)
        shop.wait(days: 50)
        try shop.perform(.approveRefund(customer: "anna"))
        shop.wait(days: 11)
        try shop.buy("plus")
        #expect(try shop.last().renewalInfo?.recentSubscriptionStartDate == shop.now)
    }

    @Test func `A second refund request has a deadline of its own`() throws {
        var shop = Shop(.sandbox)
        try shop.buy("coins")
        try shop.perform(.requestRefund(customer: "anna"))
        shop.now += 200
        try shop.perform(.declineRefund(customer: "anna"))
        try shop.perform(.requestRefund(customer: "anna"))
        _ = shop.newNotifications()
        shop.now += 200
        shop.store.run(until: shop.now)
        #expect(shop.newNotifications() == [])
        shop.now += 100
        shop.store.run(until: shop.now)
        #expect(shop.newNotifications() == ["REFUND"])
    }

    @Test(arguments: [nil, "I did not like it"])
    func `The developer's preference decides a sandbox refund if the note has no instruction`(_ note: String?) throws {
        var shop = Shop(.sandbox)
        let id = try shop.buy("coins")
        try shop.perform(.requestRefund(customer: "anna", note: note))
        shop.store.answerConsumptionRequest(id, preference: .grantProrated, consumption: 30_000, at: shop.now)
        #expect(shop.newNotifications() == ["ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND"])
        #expect(try shop.last().transaction.revocationPercentage == 70_000)
    }

    @Test(arguments: [
        (ConsumptionRequestReason.unintendedPurchase, RevocationReason.other), (.fulfillmentIssue, .issueWithApp),
        (.unsatisfiedWithPurchase, .issueWithApp), (.legal, .other), (.other, .other),
    ])
    func `The revocation reason of a refund follows from the reason of the request`(
        _ cause: ConsumptionRequestReason, _ reason: RevocationReason
    )
        throws
    {
        for isAutomatic in [true, false] {
            var shop = Shop { if isAutomatic { $0.refundDecision = .automatic } }
            try shop.buy("coins")
            try shop.perform(.requestRefund(customer: "anna", reason: cause))
            if isAutomatic { shop.wait(.week) } else { try shop.perform(.approveRefund(customer: "anna")) }
            #expect(try shop.last().transaction.revocationReason == reason)
        }
    }

    @Test func `A consumption request is answered within twelve hours or not at all`() throws {
        var shop = Shop()
        try shop.buy("coins")
        try shop.perform(.requestRefund(customer: "anna"))
        shop.now += 12 * 3600
        try shop.perform(.answerConsumptionRequest(customer: "anna", preference: .grantProrated, percentage: 20_000))
        shop.now += 1
        try shop.expectRefusal(
            .answerConsumptionRequest(customer: "anna", preference: .grantFull), .impossibleTransition)
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(try shop.last().transaction.revocationPercentage == 80_000)
    }

    @Test func `An approved refund follows the developer's preference unless the command sets a percentage`() throws {
        func refund(_ preference: RefundPreference?, _ approval: StoreCommand) throws -> Int32? {
            var shop = Shop()
            try shop.buy("coins")
            try shop.perform(.requestRefund(customer: "anna"))
            if let preference {
                try shop.perform(
                    .answerConsumptionRequest(customer: "anna", preference: preference, percentage: 20_000))
            }
            try shop.perform(approval)
            let payload = try shop.last().transaction
            #expect((payload.revocationType == .refundFull) == (payload.revocationPercentage == 100_000))
            return payload.revocationPercentage
        }
        #expect(try refund(nil, .approveRefund(customer: "anna")) == 100_000)
        #expect(try refund(.grantFull, .approveRefund(customer: "anna")) == 100_000)
        #expect(try refund(.grantProrated, .approveRefund(customer: "anna")) == 80_000)
        #expect(try refund(.decline, .approveRefund(customer: "anna")) == 100_000)
        #expect(try refund(.grantProrated, .approveRefund(customer: "anna", percentage: 100_000)) == 100_000)
        #expect(try refund(.grantProrated, .approveRefund(customer: "anna", percentage: 5000)) == 5000)
    }

    @Test func `A prorated refund of a whole period is a full refund`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.requestRefund(customer: "anna"))
        try shop.perform(.answerConsumptionRequest(customer: "anna", preference: .grantProrated))
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY", "CONSUMPTION_REQUEST", "REFUND"])
        #expect(try shop.last().transaction.revocationPercentage == 100_000)
        #expect(try shop.last().transaction.revocationType == .refundFull)
    }

    @Test func `A customer buys one to ten of a consumable, and one of another product`() throws {
        var shop = Shop()
        try shop.perform(.purchase(customer: "anna", product: "coins", quantity: 10))
        #expect(try shop.last().transaction.price == 9900)
        for product in ["lamp", "season", "plus"] {
            try shop.expectRefusal(.purchase(customer: "anna", product: product, quantity: 2), .invalidArgument)
            try shop.perform(.purchase(customer: "anna", product: product, quantity: 1))
        }
    }

    @Test func `A refund is more than nothing and at most everything`() throws {
        var shop = Shop()
        try shop.buy("coins")
        try shop.perform(.requestRefund(customer: "anna"))
        for percentage in [-1, 100_001] as [Int32] {
            try shop.expectRefusal(
                .answerConsumptionRequest(customer: "anna", preference: .grantProrated, percentage: percentage),
                .invalidArgument)
        }
        for percentage in [0, 100_001] as [Int32] {
            try shop.expectRefusal(.approveRefund(customer: "anna", percentage: percentage), .invalidArgument)
        }
        try shop.perform(.answerConsumptionRequest(customer: "anna", preference: .grantProrated, percentage: 100_000))
        try shop.perform(.approveRefund(customer: "anna"))
        #expect(try shop.last().transaction.revocationPercentage == 1)
    }
}
