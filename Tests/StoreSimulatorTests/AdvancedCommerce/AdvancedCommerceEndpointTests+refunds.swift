import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

// Refunds of items and of whole transactions, revocations, and their reversal.
extension AdvancedCommerceEndpointTests {
    @Test func `A refund request refunds each item by its own amount and revokes the items marked so`() throws {
        var shop = try AdvancedCommerceStore()
        let custom =
            #"{REF,"refundRiskingPreference":false,"items":[{"SKU":"tv","refundReason":"LEGAL","refundType":"CUSTOM","refundAmount":1000,"revoke":false},{"SKU":"radio","refundReason":"OTHER","refundType":"FULL","revoke":true}]}"#
        let answer = try AdvancedCommerceStore.parts(shop.send(.requestRefund, nil, custom))
        #expect(shop.notificationNames(from: 2) == ["REFUND"])
        let items = try #require(answer.transaction.advancedCommerceInfo?.items)
        #expect(items.map { $0.refunds?.map(\.refundAmount) } == [[1000], [2000]])
        #expect(items.map { $0.revocationDate != nil } == [false, true])
        #expect(items.first?.refunds?.first?.refundReason == .legal)
        #expect(answer.transaction.revocationDate == nil)
        #expect(answer.renewal?.advancedCommerceInfo?.items?.map(\.sku) == ["tv"])
        shop.advance(days: 35)
        #expect(try shop.current.price == 5000)
    }

    @Test func `The refund of the last item that renews turns renewal off`() throws {
        var shop = try AdvancedCommerceStore()
        try shop.perform(.cancel(customer: "anna", subscription: shop.subscription))
        func reactivation(_ items: [AdvancedCommerceSubscriptionReactivateItem]?) throws -> StoreCommand {
            let body = AdvancedCommerceSubscriptionReactivateInAppRequest(
                requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
                items: items)
            return .requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body))
        }
        let radio = try reactivation([.init(sku: "radio")])
        try shop.perform(radio)
        let first = shop.notificationNames().count
        let answer = try AdvancedCommerceStore.parts(
            shop.send(
                .requestRefund, nil, AdvancedCommerceCodeTests.refund("radio", #""refundType":"FULL","revoke":true"#)))
        #expect(answer.renewal?.autoRenewStatus == .off)
        #expect(
            shop.notificationNames(from: first) == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "REFUND"])
        // The other item is paid until the period ends, but nothing can renew.
        #expect(answer.transaction.revocationDate == nil)
        let again = try reactivation(nil)
        for command in [again, .resume(customer: "anna", subscription: shop.subscription)] {
            #expect(throws: StoreError.self) { try shop.perform(command) }
        }
        shop.advance(days: 35)
        #expect(try shop.current.transactionId == shop.subscription)
        #expect(shop.notificationNames(from: first + 2) == ["EXPIRED/VOLUNTARY"])
    }

    @Test func `Reversing the refund of a revocation restores the items and leaves renewal off`() throws {
        var shop = try AdvancedCommerceStore()
        let before = try #require(try shop.current.advancedCommerceInfo?.items)
        shop.advance(days: 10)
        try shop.send(.revokeSubscription, nil, AdvancedCommerceCodeTests.revocation)
        let revoked = try #require(try shop.current.advancedCommerceInfo?.items)
        #expect(revoked.count == 2 && revoked.allSatisfy { $0.revocationDate != nil && $0.refunds?.count == 1 })
        try shop.perform(.reverseRefund(customer: "anna", transaction: shop.subscription))
        #expect(shop.notificationNames(from: 2) == ["REFUND", "REFUND_REVERSED"])
        let current = try shop.current
        #expect(current.revocationDate == nil && current.advancedCommerceInfo?.items == before)
        let subscription = try #require(shop.store.subscriptions[shop.subscription])
        #expect(subscription.advancedCommerce?.transactionInfo.items == before)
        #expect(shop.store.status(of: subscription, at: shop.now) == .active)
        shop.advance(days: 60)
        #expect(shop.notificationNames(from: 4) == ["EXPIRED/VOLUNTARY"])
    }

    @Test func `Reversing a refund restores only the items of the last refund`() throws {
        var shop = try AdvancedCommerceStore()
        let custom = AdvancedCommerceCodeTests.refund(
            "tv", #""refundType":"CUSTOM","refundAmount":1000,"revoke":false"#)
        try shop.send(.requestRefund, nil, custom)
        let before = try #require(try shop.current.advancedCommerceInfo?.items)
        try shop.send(
            .requestRefund, nil, AdvancedCommerceCodeTests.refund("radio", #""refundType":"FULL","revoke":true"#))
        try shop.perform(.reverseRefund(customer: "anna", transaction: shop.subscription))
        #expect(shop.notificationNames(from: 2) == ["REFUND", "REFUND", "REFUND_REVERSED"])
        #expect(try shop.current.advancedCommerceInfo?.items == before)
        #expect(before.map { $0.refunds?.count } == [1, nil])
        let error = #expect(throws: StoreError.self) {
            try shop.perform(.reverseRefund(customer: "anna", transaction: shop.subscription))
        }
        #expect(error?.code == .impossibleTransition)
        // The revoked item is not restored in the renewal.
        shop.advance(days: 35)
        #expect(try shop.current.price == 5000)
    }

    @Test func `A refund of the whole transaction can be approved after a refund of items was declined`() throws {
        var shop = try AdvancedCommerceStore()
        try shop.send(.requestRefund, shop.charge, Self.hat(risking: true))
        try shop.perform(.declineRefund(customer: "anna", transaction: shop.charge))
        try shop.perform(.approveRefund(customer: "anna", transaction: shop.charge, percentage: 40_000))
        let hat = try shop.store.transaction(shop.charge).payload
        #expect(hat.revocationType == .refundProrated && hat.revocationPercentage == 40_000)
        #expect(hat.advancedCommerceInfo?.items?.first?.refunds == nil)
    }

    @Test func `A refund of an amount has that share of the price as its revocation percentage`() throws {
        var shop = try AdvancedCommerceStore()
        let amount = AdvancedCommerceCodeTests.refund(
            "hat", #""refundType":"CUSTOM","refundAmount":1000,"revoke":true"#)
        let answer = try AdvancedCommerceStore.parts(shop.send(.requestRefund, shop.charge, amount))
        #expect(answer.transaction.revocationType == .refundProrated)
        #expect(answer.transaction.revocationPercentage == 33_333)
    }

    @Test(arguments: [
        ("FULFILLMENT_ISSUE", RevocationReason.issueWithApp), ("UNSATISFIED_WITH_PURCHASE", .issueWithApp),
        ("UNINTENDED_PURCHASE", .other), ("LEGAL", .other), ("MODIFY_ITEMS_REFUND", .other),
    ])
    func `The refund reason of a request determines the revocation reason of the transaction`(
        _ reason: String, _ expected: RevocationReason
    ) throws {
        var shop = try AdvancedCommerceStore()
        let answer = try AdvancedCommerceStore.parts(
            shop.send(.requestRefund, shop.charge, Self.hat(reason: reason)))
        #expect(answer.transaction.revocationReason == expected)
    }

    @Test func `A one-time charge is refunded once, and the response has no renewal info`() throws {
        var shop = try AdvancedCommerceStore()
        let answer = try AdvancedCommerceStore.parts(shop.send(.requestRefund, shop.charge, Self.hat()))
        #expect(answer.renewal == nil && answer.transaction.revocationType == .refundFull)
        #expect(shop.notificationNames(from: 2) == ["REFUND"])
        #expect(try code { try shop.send(.requestRefund, shop.charge, Self.hat()) } == .alreadyRefunded)
    }

    static func hat(risking: Bool = false, reason: String = "OTHER") -> String {
        #"{REF,"refundRiskingPreference":\#(risking),"items":[{"SKU":"hat","refundReason":"\#(reason)","refundType":"FULL","revoke":true}]}"#
    }

    @Test func `With refundRiskingPreference, the store sends CONSUMPTION_REQUEST before it refunds`() throws {
        var shop = try AdvancedCommerceStore(.sandbox)
        try shop.send(.requestRefund, shop.charge, Self.hat(risking: true))
        #expect(shop.notificationNames(from: 2) == ["CONSUMPTION_REQUEST"])
        #expect(try code { try shop.send(.requestRefund, shop.charge, Self.hat()) } == .pendingRefund)
        shop.now += 301
        shop.store.run(until: shop.now)
        #expect(shop.notificationNames(from: 3) == ["REFUND"])
        #expect(shop.store.transactions[shop.charge]?.payload.revocationDate != nil)
    }

    @Test func `SIMULATE_REFUND_DECLINE in the sandbox declines the refund`() throws {
        var shop = try AdvancedCommerceStore(.sandbox)
        try shop.send(.requestRefund, shop.charge, Self.hat(reason: "SIMULATE_REFUND_DECLINE"))
        #expect(shop.notificationNames(from: 2) == ["REFUND_DECLINED"])
        #expect(shop.store.transactions[shop.charge]?.payload.revocationDate == nil)
    }

    @Test func `A prorated revocation refunds the rest of the price of every item`() throws {
        var shop = try AdvancedCommerceStore()
        shop.advance(days: 15.5)
        let answer = try AdvancedCommerceStore.parts(
            shop.send(
                .revokeSubscription, nil,
                #"{REF,"refundReason":"FULFILLMENT_ISSUE","refundRiskingPreference":false,"refundType":"PRORATED"}"#))
        #expect(shop.notificationNames(from: 2) == ["REFUND"])
        #expect(answer.transaction.revocationDate == shop.now && answer.transaction.revocationReason == .issueWithApp)
        #expect(answer.transaction.revocationPercentage == 50_000)
        #expect(
            answer.transaction.advancedCommerceInfo?.items?.map { $0.refunds?.first?.refundAmount } == [2500, 1000])
        #expect(answer.renewal?.autoRenewStatus == .off)
        shop.advance(days: 60)
        #expect(shop.notificationNames().count == 3)
    }

    @Test func `A refund can be reversed after another one was declined, but not while one is pending`()
        throws
    {
        let another =
            #"{REF,"refundRiskingPreference":true,"items":[{"SKU":"tv","refundReason":"OTHER","refundType":"FULL","revoke":false}]}"#
        for isOfItems in [true, false] {
            var shop = try AdvancedCommerceStore()
            let (id, before) = (shop.subscription, try shop.current.advancedCommerceInfo?.items)
            try shop.send(
                .requestRefund, nil, AdvancedCommerceCodeTests.refund("radio", #""refundType":"FULL","revoke":true"#))
            if isOfItems {
                try shop.send(.requestRefund, nil, another)
            } else {
                try shop.perform(.requestRefund(customer: "anna", transaction: id))
            }
            let error = #expect(throws: StoreError.self) {
                try shop.perform(.reverseRefund(customer: "anna", transaction: id))
            }
            #expect(error?.code == .impossibleTransition)
            try shop.perform(.declineRefund(customer: "anna", transaction: id))
            try shop.perform(.reverseRefund(customer: "anna", transaction: id))
            #expect(shop.notificationNames().last == "REFUND_REVERSED")
            let after = try shop.current.advancedCommerceInfo?.items
            #expect(after?.count == 2 && after == before)
        }
    }

    @Test func `Reversing a refund of all items restores them as they were before`() throws {
        var shop = try AdvancedCommerceStore()
        let id = shop.subscription
        try shop.send(
            .requestRefund, nil,
            AdvancedCommerceCodeTests.refund("tv", #""refundType":"CUSTOM","refundAmount":1000,"revoke":false"#))
        let before = try #require(try shop.current.advancedCommerceInfo?.items)
        shop.advance(days: 1)
        try shop.send(.revokeSubscription, nil, AdvancedCommerceCodeTests.revocation)
        #expect(shop.store.transactions[id]?.refund?.refundedItems == [0, 1])
        try shop.perform(.reverseRefund(customer: "anna", transaction: id))
        let after = try shop.current
        #expect(after.revocationDate == nil && after.advancedCommerceInfo?.items == before)
        #expect(before.map { $0.refunds?.count } == [1, nil])
    }

    @Test func `The revocation percentage of a prorated refund includes earlier refunds`() throws {
        var shop = try AdvancedCommerceStore()
        try shop.send(
            .requestRefund, nil,
            AdvancedCommerceCodeTests.refund("tv", #""refundType":"CUSTOM","refundAmount":1000,"revoke":false"#))
        shop.advance(days: 15.5)
        let answer = try AdvancedCommerceStore.parts(
            shop.send(
                .revokeSubscription, nil,
                #"{REF,"refundReason":"OTHER","refundRiskingPreference":false,"refundType":"PRORATED"}"#))
        // First 1.00 of 7.00, then half of the rest.
        #expect(answer.transaction.revocationType == .refundProrated)
        #expect(answer.transaction.revocationPercentage == 57_143)
    }
}
