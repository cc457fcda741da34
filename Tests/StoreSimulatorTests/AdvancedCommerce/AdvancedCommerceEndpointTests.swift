import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite("The Advanced Commerce API of a store")
struct AdvancedCommerceEndpointTests {
    @Test func `turns renewal off and leaves access until the period ends`() throws {
        var world = try AdvancedCommerceStore()
        let answer = try AdvancedCommerceStore.parts(world.send(.cancelSubscription, nil, "{REF}"))
        #expect(answer.renewal?.autoRenewStatus == .off)
        #expect(answer.transaction.transactionId == world.subscription)
        #expect(world.announced(from: 2) == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"])
        try world.send(.cancelSubscription, nil, "{REF}")
        #expect(world.announced().count == 3)
        world.advance(days: 35)
        #expect(world.announced(from: 3) == ["EXPIRED/VOLUNTARY"])
    }

    @Test func `changes names at once or at the renewal, and no price`() throws {
        var world = try AdvancedCommerceStore()
        let answer = try AdvancedCommerceStore.parts(
            world.send(
                .changeSubscriptionMetadata, nil,
                #"{REF,"descriptors":{"effective":"IMMEDIATELY","displayName":"Alles"},"items":[{"currentSKU":"tv","SKU":"tv4k","effective":"NEXT_BILL_CYCLE"},{"currentSKU":"radio","displayName":"Funk","effective":"IMMEDIATELY"}]}"#
            ))
        #expect(world.announced(from: 2) == ["METADATA_UPDATE"])
        let info = try #require(answer.transaction.advancedCommerceInfo)
        #expect(info.descriptors?.displayName == "Alles" && info.descriptors?.description == "Everything")
        #expect(info.items?.map(\.sku) == ["tv", "radio"] && info.items?.last?.displayName == "Funk")
        #expect(answer.renewal?.advancedCommerceInfo?.items?.map(\.sku) == ["tv4k", "radio"])
        world.advance(days: 35)
        #expect(try world.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv4k", "radio"])
        #expect(try world.current.price == 7000)
    }

    @Test func `changes a price at the next renewal, or at the one after if less than a day is left`() throws {
        for (days, prices) in [(20.0, [8000, 8000]), (30.5, [7000, 8000])] as [(Double, [Int64])] {
            var world = try AdvancedCommerceStore()
            world.advance(days: days)
            let answer = try AdvancedCommerceStore.parts(
                world.send(
                    .changeSubscriptionPrice, nil, #"{REF,"currency":"USD","items":[{"SKU":"tv","price":6000}]}"#))
            #expect(world.announced(from: 2) == ["PRICE_CHANGE"])
            #expect(answer.transaction.price == 7000 && answer.renewal?.renewalPrice == prices.first)
            let item = try #require(answer.renewal?.advancedCommerceInfo?.items?.first)
            #expect(item.price == 5000 && item.priceIncreaseInfo?.price == 6000)
            #expect(item.priceIncreaseInfo?.status == .scheduled)
            world.advance(days: 32 - days)
            #expect(try world.current.price == prices.first)
            world.advance(days: 31)
            #expect(try world.current.price == prices.last)
            #expect(try world.renewal.advancedCommerceInfo?.items?.first?.priceIncreaseInfo == nil)
        }
    }

    @Test func `migrates an ordinary subscription, whose period goes on`() throws {
        var world = try AdvancedCommerceStore()
        let bought = try world.perform(.purchase(customer: "ben", product: "com.example.news.weekly"))
        let old = try #require(bought.transactionID)
        let expires = world.store.transactions[old]?.payload.expiresDate
        world.now += 3600
        let first = world.announced().count
        let answer = try AdvancedCommerceStore.parts(world.send(.migrateSubscription, old, Self.migration))
        #expect(world.announced(from: first) == ["MIGRATION"])
        let transaction = answer.transaction
        #expect(transaction.productId == AdvancedCommerceStore.subscriptionProduct)
        #expect(transaction.previousOriginalTransactionId == old && transaction.originalTransactionId != old)
        #expect(transaction.expiresDate == expires && transaction.advancedCommerceInfo?.items?.first?.sku == "n")
        #expect(answer.renewal?.autoRenewProductId == AdvancedCommerceStore.subscriptionProduct)
        #expect(answer.renewal?.renewalPrice == 990)
        world.advance(days: 8)
        #expect(world.announced(from: first + 1) == ["DID_RENEW"])
        #expect(world.store.transactions.values.count { $0.payload.originalTransactionId == old } == 1)
        #expect(
            try code { try world.send(.migrateSubscription, old, Self.migration) } == .subscriptionAlreadyMigrated)
    }

    static let migration =
        #"{REF,"descriptors":{"displayName":"N","description":"d"},"items":[{"SKU":"n","displayName":"n","description":"d"}],"targetProductId":"com.example.advanced.subscription","taxCode":"C003-00-2"}"#

    @Test func `refunds items one by one, and revokes those that it is told to`() throws {
        var world = try AdvancedCommerceStore()
        let custom =
            #"{REF,"refundRiskingPreference":false,"items":[{"SKU":"tv","refundReason":"LEGAL","refundType":"CUSTOM","refundAmount":1000,"revoke":false},{"SKU":"radio","refundReason":"OTHER","refundType":"FULL","revoke":true}]}"#
        let answer = try AdvancedCommerceStore.parts(world.send(.requestRefund, nil, custom))
        #expect(world.announced(from: 2) == ["REFUND"])
        let items = try #require(answer.transaction.advancedCommerceInfo?.items)
        #expect(items.map { $0.refunds?.map(\.refundAmount) } == [[1000], [2000]])
        #expect(items.map { $0.revocationDate != nil } == [false, true])
        #expect(items.first?.refunds?.first?.refundReason == .legal)
        #expect(answer.transaction.revocationDate == nil)
        #expect(answer.renewal?.advancedCommerceInfo?.items?.map(\.sku) == ["tv"])
        world.advance(days: 35)
        #expect(try world.current.price == 5000)
    }

    @Test func `refunds a one-time charge, whose answer has no renewal info`() throws {
        var world = try AdvancedCommerceStore()
        let answer = try AdvancedCommerceStore.parts(world.send(.requestRefund, world.charge, Self.hat()))
        #expect(answer.renewal == nil && answer.transaction.revocationType == .refundFull)
        #expect(world.announced(from: 2) == ["REFUND"])
        #expect(try code { try world.send(.requestRefund, world.charge, Self.hat()) } == .alreadyRefunded)
    }

    static func hat(risking: Bool = false, reason: String = "OTHER") -> String {
        #"{REF,"refundRiskingPreference":\#(risking),"items":[{"SKU":"hat","refundReason":"\#(reason)","refundType":"FULL","revoke":true}]}"#
    }

    @Test func `asks the developer first if the request says so, and then decides`() throws {
        var world = try AdvancedCommerceStore(.sandbox)
        try world.send(.requestRefund, world.charge, Self.hat(risking: true))
        #expect(world.announced(from: 2) == ["CONSUMPTION_REQUEST"])
        #expect(try code { try world.send(.requestRefund, world.charge, Self.hat()) } == .pendingRefund)
        world.now += 301
        world.store.run(until: world.now)
        #expect(world.announced(from: 3) == ["REFUND"])
        #expect(world.store.transactions[world.charge]?.payload.revocationDate != nil)
    }

    @Test func `declines a refund where the sandbox is to simulate that`() throws {
        var world = try AdvancedCommerceStore(.sandbox)
        try world.send(.requestRefund, world.charge, Self.hat(reason: "SIMULATE_REFUND_DECLINE"))
        #expect(world.announced(from: 2) == ["REFUND_DECLINED"])
        #expect(world.store.transactions[world.charge]?.payload.revocationDate == nil)
    }

    @Test func `revokes a subscription with all of its items, for the part of the price that is left`() throws {
        var world = try AdvancedCommerceStore()
        world.advance(days: 15.5)
        let answer = try AdvancedCommerceStore.parts(
            world.send(
                .revokeSubscription, nil,
                #"{REF,"refundReason":"FULFILLMENT_ISSUE","refundRiskingPreference":false,"refundType":"PRORATED"}"#))
        #expect(world.announced(from: 2) == ["REFUND"])
        #expect(answer.transaction.revocationDate == world.now && answer.transaction.revocationReason == .issueWithApp)
        #expect(answer.transaction.revocationPercentage == 50_000)
        #expect(
            answer.transaction.advancedCommerceInfo?.items?.map { $0.refunds?.first?.refundAmount } == [2500, 1000])
        #expect(answer.renewal?.autoRenewStatus == .off)
        world.advance(days: 60)
        #expect(world.announced().count == 3)
    }

    @Test func `answers the same request again without doing it again, and refuses another one of the same reference`()
        throws
    {
        var world = try AdvancedCommerceStore()
        let info = #""requestInfo":{"requestReferenceId":"\#(world.reference().uuidString)"}"#
        let body = #"{\#(info),"taxCode":"C003-00-3"}"#
        try world.send(.changeSubscriptionMetadata, nil, body)
        let again = try AdvancedCommerceStore.parts(world.send(.changeSubscriptionMetadata, nil, body))
        #expect(again.transaction.advancedCommerceInfo?.taxCode == "C003-00-3")
        #expect(world.announced(from: 2) == ["METADATA_UPDATE"])
        let other = #"{\#(info),"taxCode":"C003-00-4"}"#
        #expect(
            try code { try world.send(.changeSubscriptionMetadata, nil, other) } == .repeatedRequestReferenceId)
    }
}
