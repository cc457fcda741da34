import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite("The Advanced Commerce API of a store")
struct AdvancedCommerceEndpointTests {
    @Test func `A cancel request turns renewal off, and the subscription expires when its period ends`() throws {
        var shop = try AdvancedCommerceStore()
        let answer = try AdvancedCommerceStore.parts(shop.send(.cancelSubscription, nil, "{REF}"))
        #expect(answer.renewal?.autoRenewStatus == .off)
        #expect(answer.transaction.transactionId == shop.subscription)
        #expect(shop.notificationNames(from: 2) == ["DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"])
        try shop.send(.cancelSubscription, nil, "{REF}")
        #expect(shop.notificationNames().count == 3)
        shop.advance(days: 35)
        #expect(shop.notificationNames(from: 3) == ["EXPIRED/VOLUNTARY"])
    }

    @Test func `A metadata change applies at once or at the renewal, and keeps the price`() throws {
        var shop = try AdvancedCommerceStore()
        let answer = try AdvancedCommerceStore.parts(
            shop.send(
                .changeSubscriptionMetadata, nil,
                #"{REF,"descriptors":{"effective":"IMMEDIATELY","displayName":"Alles"},"items":[{"currentSKU":"tv","SKU":"tv4k","effective":"NEXT_BILL_CYCLE"},{"currentSKU":"radio","displayName":"Funk","effective":"IMMEDIATELY"}]}"#
            ))
        #expect(shop.notificationNames(from: 2) == ["METADATA_UPDATE"])
        let info = try #require(answer.transaction.advancedCommerceInfo)
        #expect(info.descriptors?.displayName == "Alles" && info.descriptors?.description == "Everything")
        #expect(info.items?.map(\.sku) == ["tv", "radio"] && info.items?.last?.displayName == "Funk")
        #expect(answer.renewal?.advancedCommerceInfo?.items?.map(\.sku) == ["tv4k", "radio"])
        shop.advance(days: 35)
        #expect(try shop.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv4k", "radio"])
        #expect(try shop.current.price == 7000)
    }

    @Test func `A price increase names a dependent item by its new SKU`() throws {
        var shop = try AdvancedCommerceStore()
        try shop.send(
            .changeSubscriptionPrice, nil,
            #"{REF,"items":[{"SKU":"tv","price":6000,"dependentSKUs":["radio"]}]}"#)
        let answer = try AdvancedCommerceStore.parts(
            shop.send(
                .changeSubscriptionMetadata, nil,
                #"{REF,"items":[{"currentSKU":"radio","SKU":"wireless","effective":"IMMEDIATELY"}]}"#))
        let items = try #require(answer.renewal?.advancedCommerceInfo?.items)
        #expect(items.map(\.sku) == ["tv", "wireless"])
        #expect(items.first?.priceIncreaseInfo?.dependentSKUs == ["wireless"])
    }

    @Test func `An item cannot get the SKU of a removed item whose period still runs`() throws {
        var shop = try AdvancedCommerceStore()
        let body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
            retainBillingCycle: true, addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)],
            removeItems: [.init(sku: "radio")])
        try shop.perform(.requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
        let failure = #expect(throws: APIFailure.self) {
            try shop.send(
                .changeSubscriptionMetadata, nil,
                #"{REF,"items":[{"currentSKU":"tv","SKU":"radio","effective":"IMMEDIATELY"}]}"#)
        }
        #expect(failure?.code == .invalidProductChanges)
        #expect(try shop.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "radio", "book"])
        // The SKU is free again when the period ends.
        try shop.send(
            .changeSubscriptionMetadata, nil,
            #"{REF,"items":[{"currentSKU":"tv","SKU":"radio","effective":"NEXT_BILL_CYCLE"}]}"#)
        shop.advance(days: 35)
        #expect(try shop.current.advancedCommerceInfo?.items?.map(\.sku) == ["radio", "book"])
        #expect(try shop.current.price == 9000)
    }

    @Test func `A price change applies at the next renewal, or at the second one if less than a day is left`() throws {
        for (days, prices) in [(20.0, [8000, 8000]), (30.5, [7000, 8000])] as [(Double, [Int64])] {
            var shop = try AdvancedCommerceStore()
            shop.advance(days: days)
            let answer = try AdvancedCommerceStore.parts(
                shop.send(
                    .changeSubscriptionPrice, nil, #"{REF,"currency":"USD","items":[{"SKU":"tv","price":6000}]}"#))
            #expect(shop.notificationNames(from: 2) == ["PRICE_CHANGE"])
            #expect(answer.transaction.price == 7000 && answer.renewal?.renewalPrice == prices.first)
            let item = try #require(answer.renewal?.advancedCommerceInfo?.items?.first)
            #expect(item.price == 5000 && item.priceIncreaseInfo?.price == 6000)
            #expect(item.priceIncreaseInfo?.status == .scheduled)
            shop.advance(days: 32 - days)
            #expect(try shop.current.price == prices.first)
            shop.advance(days: 31)
            #expect(try shop.current.price == prices.last)
            #expect(try shop.renewal.advancedCommerceInfo?.items?.first?.priceIncreaseInfo == nil)
        }
    }

    @Test func `A migration moves an ordinary subscription to Advanced Commerce within its paid period`() throws {
        var shop = try AdvancedCommerceStore()
        let bought = try shop.perform(.purchase(customer: "ben", product: "com.example.news.weekly"))
        let old = try #require(bought.transactionID)
        let expires = shop.store.transactions[old]?.payload.expiresDate
        shop.now += 3600
        let first = shop.notificationNames().count
        let answer = try AdvancedCommerceStore.parts(shop.send(.migrateSubscription, old, Self.migration))
        #expect(shop.notificationNames(from: first) == ["MIGRATION"])
        let summary = try shop.store.state(of: "ben", at: shop.now).summary
        #expect(summary.hasPrefix("com.example.news.weekly migrated; com.example.advanced.subscription active"))
        let transaction = answer.transaction
        #expect(transaction.productId == AdvancedCommerceStore.subscriptionProduct)
        #expect(transaction.previousOriginalTransactionId == old && transaction.originalTransactionId != old)
        #expect(transaction.expiresDate == expires && transaction.advancedCommerceInfo?.items?.first?.sku == "n")
        #expect(answer.renewal?.autoRenewProductId == AdvancedCommerceStore.subscriptionProduct)
        #expect(answer.renewal?.renewalPrice == 990)
        #expect(transaction.price == 0 && transaction.advancedCommerceInfo?.taxExclusivePrice == 0)
        shop.advance(days: 8)
        #expect(shop.notificationNames(from: first + 1) == ["DID_RENEW"])
        let new = try #require(shop.store.subscriptions[transaction.transactionId])
        let renewed = try #require(shop.store.transactions[new.current]?.payload)
        #expect(renewed.price == 990 && renewed.advancedCommerceInfo?.taxExclusivePrice == 990)
        #expect(shop.store.transactions.values.count { $0.payload.originalTransactionId == old } == 1)
        #expect(
            try code { try shop.send(.migrateSubscription, old, Self.migration) } == .subscriptionAlreadyMigrated)
    }

    @Test func `A migrated subscription has no win-back offers`() throws {
        var shop = try AdvancedCommerceStore()
        let product = "com.example.premium.monthly"
        let old = try #require(
            try shop.perform(.purchase(customer: "ben", product: product, introductory: false)).transactionID)
        try shop.send(.migrateSubscription, old, Self.migration)
        for _ in 0..<2 {
            let subscription = try #require(shop.store.subscriptions[old])
            #expect(shop.store.status(of: subscription, at: shop.now) == .expired)
            #expect(shop.store.renewalInfo(of: subscription, at: shop.now).eligibleWinBackOfferIds == nil)
            let error = #expect(throws: StoreError.self) {
                try shop.perform(.purchase(customer: "ben", product: product, offer: "comeback"))
            }
            #expect(error?.code == .notEligible)
            // Also after the period that was paid before the migration.
            shop.advance(days: 40)
        }
    }

    @Test func `A refund and its reversal after a migration send no EXPIRED for the old subscription`() throws {
        var shop = try AdvancedCommerceStore()
        let old = try #require(
            try shop.perform(.purchase(customer: "ben", product: "com.example.news.weekly")).transactionID)
        try shop.send(.migrateSubscription, old, Self.migration)
        let first = shop.notificationNames().count
        try shop.perform(.approveRefund(customer: "ben", transaction: old))
        try shop.perform(.reverseRefund(customer: "ben", transaction: old))
        shop.advance(days: 8)
        #expect(shop.notificationNames(from: first) == ["REFUND", "REFUND_REVERSED", "DID_RENEW"])
    }

    @Test func `A period that was paid before a migration can be extended`() throws {
        var shop = try AdvancedCommerceStore()
        let bought = try shop.perform(
            .purchase(customer: "ben", product: "com.example.news.weekly", introductory: false))
        let old = try #require(bought.transactionID)
        let expires = try #require(try shop.store.transaction(old).payload.expiresDate)
        let answer = try AdvancedCommerceStore.parts(shop.send(.migrateSubscription, old, Self.migration))
        let new = answer.transaction.transactionId
        try shop.perform(.extendRenewal(customer: "ben", days: 5, subscription: new))
        #expect(try shop.store.transaction(new).payload.expiresDate == expires + 5 * 86_400)
    }

    static let migration =
        #"{REF,"descriptors":{"displayName":"N","description":"d"},"items":[{"SKU":"n","displayName":"n","description":"d"}],"targetProductId":"com.example.advanced.subscription","taxCode":"C003-00-2"}"#

    @Test func `A repeated request has no second effect, and another request with its reference is refused`()
        throws
    {
        var shop = try AdvancedCommerceStore()
        let info = #""requestInfo":{"requestReferenceId":"\#(shop.reference().uuidString)"}"#
        let body = #"{\#(info),"taxCode":"C003-00-3"}"#
        try shop.send(.changeSubscriptionMetadata, nil, body)
        // An encoder may write the members in another order.
        for repetition in [body, #"{ "taxCode":"C003-00-3", \#(info) }"#] {
            let again = try AdvancedCommerceStore.parts(shop.send(.changeSubscriptionMetadata, nil, repetition))
            #expect(again.transaction.advancedCommerceInfo?.taxCode == "C003-00-3")
        }
        #expect(shop.notificationNames(from: 2) == ["METADATA_UPDATE"])
        let other = #"{\#(info),"taxCode":"C003-00-4"}"#
        #expect(
            try code { try shop.send(.changeSubscriptionMetadata, nil, other) } == .repeatedRequestReferenceId)
    }
}
