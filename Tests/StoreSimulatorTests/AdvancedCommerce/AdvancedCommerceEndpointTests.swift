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
        #expect(transaction.price == 0 && transaction.advancedCommerceInfo?.taxExclusivePrice == 0)
        world.advance(days: 8)
        #expect(world.announced(from: first + 1) == ["DID_RENEW"])
        let new = try #require(world.store.subscriptions[transaction.transactionId])
        let renewed = try #require(world.store.transactions[new.current]?.payload)
        #expect(renewed.price == 990 && renewed.advancedCommerceInfo?.taxExclusivePrice == 990)
        #expect(world.store.transactions.values.count { $0.payload.originalTransactionId == old } == 1)
        #expect(
            try code { try world.send(.migrateSubscription, old, Self.migration) } == .subscriptionAlreadyMigrated)
    }

    @Test func `says nothing of the old subscription's end, whatever becomes of its money`() throws {
        var world = try AdvancedCommerceStore()
        let old = try #require(
            try world.perform(.purchase(customer: "ben", product: "com.example.news.weekly")).transactionID)
        try world.send(.migrateSubscription, old, Self.migration)
        let first = world.announced().count
        try world.perform(.approveRefund(customer: "ben", transaction: old))
        try world.perform(.reverseRefund(customer: "ben", transaction: old))
        world.advance(days: 8)
        #expect(world.announced(from: first) == ["REFUND", "REFUND_REVERSED", "DID_RENEW"])
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

    @Test func `gives items back with a refund that is reversed, while renewal stays off`() throws {
        var world = try AdvancedCommerceStore()
        let before = try #require(try world.current.advancedCommerceInfo?.items)
        world.advance(days: 10)
        try world.send(.revokeSubscription, nil, AdvancedCommerceCodeTests.revocation)
        let revoked = try #require(try world.current.advancedCommerceInfo?.items)
        #expect(revoked.count == 2 && revoked.allSatisfy { $0.revocationDate != nil && $0.refunds?.count == 1 })
        try world.perform(.reverseRefund(customer: "anna", transaction: world.subscription))
        #expect(world.announced(from: 2) == ["REFUND", "REFUND_REVERSED"])
        let current = try world.current
        #expect(current.revocationDate == nil && current.advancedCommerceInfo?.items == before)
        let subscription = try #require(world.store.subscriptions[world.subscription])
        #expect(subscription.advancedCommerce?.transactionInfo.items == before)
        #expect(world.store.status(of: subscription, at: world.now) == .active)
        world.advance(days: 60)
        #expect(world.announced(from: 4) == ["EXPIRED/VOLUNTARY"])
    }

    @Test func `takes back the last refund of items alone, also where others were never refunded`() throws {
        var world = try AdvancedCommerceStore()
        let custom = AdvancedCommerceCodeTests.refund(
            "tv", #""refundType":"CUSTOM","refundAmount":1000,"revoke":false"#)
        try world.send(.requestRefund, nil, custom)
        let before = try #require(try world.current.advancedCommerceInfo?.items)
        try world.send(
            .requestRefund, nil, AdvancedCommerceCodeTests.refund("radio", #""refundType":"FULL","revoke":true"#))
        try world.perform(.reverseRefund(customer: "anna", transaction: world.subscription))
        #expect(world.announced(from: 2) == ["REFUND", "REFUND", "REFUND_REVERSED"])
        #expect(try world.current.advancedCommerceInfo?.items == before)
        #expect(before.map { $0.refunds?.count } == [1, nil])
        #expect(throws: StoreError.self) {
            try world.perform(.reverseRefund(customer: "anna", transaction: world.subscription))
        }
        // What was taken out of the renewal stays out.
        world.advance(days: 35)
        #expect(try world.current.price == 5000)
    }

    @Test func `grants a refund of everything after one of items was declined`() throws {
        var world = try AdvancedCommerceStore()
        try world.send(.requestRefund, world.charge, Self.hat(risking: true))
        try world.perform(.declineRefund(customer: "anna", transaction: world.charge))
        try world.perform(.approveRefund(customer: "anna", transaction: world.charge, percentage: 40_000))
        let hat = try world.store.transaction(world.charge).payload
        #expect(hat.revocationType == .refundProrated && hat.revocationPercentage == 40_000)
        #expect(hat.advancedCommerceInfo?.items?.first?.refunds == nil)
    }

    @Test func `says of a refund of an amount what share of the price that is`() throws {
        var world = try AdvancedCommerceStore()
        let amount = AdvancedCommerceCodeTests.refund(
            "hat", #""refundType":"CUSTOM","refundAmount":1000,"revoke":true"#)
        let answer = try AdvancedCommerceStore.parts(world.send(.requestRefund, world.charge, amount))
        #expect(answer.transaction.revocationType == .refundProrated)
        #expect(answer.transaction.revocationPercentage == 33_333)
    }

    @Test(arguments: [
        ("FULFILLMENT_ISSUE", RevocationReason.issueWithApp), ("UNSATISFIED_WITH_PURCHASE", .issueWithApp),
        ("UNINTENDED_PURCHASE", .other), ("LEGAL", .other), ("MODIFY_ITEMS_REFUND", .other),
    ])
    func `says of a refund whether it was about the app`(_ reason: String, _ expected: RevocationReason) throws {
        var world = try AdvancedCommerceStore()
        let answer = try AdvancedCommerceStore.parts(
            world.send(.requestRefund, world.charge, Self.hat(reason: reason)))
        #expect(answer.transaction.revocationReason == expected)
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

    @Test func `takes back what was refunded also after another refund was declined, but not while one is decided`()
        throws
    {
        let another =
            #"{REF,"refundRiskingPreference":true,"items":[{"SKU":"tv","refundReason":"OTHER","refundType":"FULL","revoke":false}]}"#
        for isOfItems in [true, false] {
            var world = try AdvancedCommerceStore()
            let (id, before) = (world.subscription, try world.current.advancedCommerceInfo?.items)
            try world.send(
                .requestRefund, nil, AdvancedCommerceCodeTests.refund("radio", #""refundType":"FULL","revoke":true"#))
            if isOfItems {
                try world.send(.requestRefund, nil, another)
            } else {
                try world.perform(.requestRefund(customer: "anna", transaction: id))
            }
            let error = #expect(throws: StoreError.self) {
                try world.perform(.reverseRefund(customer: "anna", transaction: id))
            }
            #expect(error?.code == .impossibleTransition)
            try world.perform(.declineRefund(customer: "anna", transaction: id))
            try world.perform(.reverseRefund(customer: "anna", transaction: id))
            #expect(world.announced().last == "REFUND_REVERSED")
            let after = try world.current.advancedCommerceInfo?.items
            #expect(after?.count == 2 && after == before)
        }
    }

    @Test func `gives all items back also if an older version, which did not note them, has refunded them`() throws {
        var world = try AdvancedCommerceStore()
        let id = world.subscription
        try world.send(
            .requestRefund, nil,
            AdvancedCommerceCodeTests.refund("tv", #""refundType":"CUSTOM","refundAmount":1000,"revoke":false"#))
        let before = try #require(try world.current.advancedCommerceInfo?.items)
        world.advance(days: 1)
        try world.send(.revokeSubscription, nil, AdvancedCommerceCodeTests.revocation)
        #expect(world.store.transactions[id]?.refund?.refundedItems == [0, 1])
        world.store.transactions[id]?.refund?.refundedItems = nil
        try world.perform(.reverseRefund(customer: "anna", transaction: id))
        let after = try world.current
        #expect(after.revocationDate == nil && after.advancedCommerceInfo?.items == before)
        #expect(before.map { $0.refunds?.count } == [1, nil])
    }

    @Test func `says of a refund by time what share of the price it is with what was refunded before`() throws {
        var world = try AdvancedCommerceStore()
        try world.send(
            .requestRefund, nil,
            AdvancedCommerceCodeTests.refund("tv", #""refundType":"CUSTOM","refundAmount":1000,"revoke":false"#))
        world.advance(days: 15.5)
        let answer = try AdvancedCommerceStore.parts(
            world.send(
                .revokeSubscription, nil,
                #"{REF,"refundReason":"OTHER","refundRiskingPreference":false,"refundType":"PRORATED"}"#))
        // Of 7.00 first 1.00, then half of what was left.
        #expect(answer.transaction.revocationType == .refundProrated)
        #expect(answer.transaction.revocationPercentage == 57_143)
    }
}
