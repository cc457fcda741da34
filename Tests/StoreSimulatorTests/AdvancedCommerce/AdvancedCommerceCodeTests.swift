import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite("A refusal of the Advanced Commerce API")
struct AdvancedCommerceCodeTests {
    /// A well-formed request that the store refuses, and the state in which the store refuses it.
    struct Row: Sendable, CustomTestStringConvertible {
        let code: APIErrorCode
        let endpoint: AppStoreEndpoint
        let body: String
        let prepare: @Sendable (inout AdvancedCommerceStore) throws -> String

        init(
            _ code: APIErrorCode, _ endpoint: AppStoreEndpoint, _ body: String,
            _ prepare: @escaping @Sendable (inout AdvancedCommerceStore) throws -> String = { $0.subscription }
        ) {
            self.code = code
            self.endpoint = endpoint
            self.body = body
            self.prepare = prepare
        }

        var testDescription: String { "\(code.rawValue) by \(endpoint.name)" }
    }

    static let price = #"{REF,"items":[{"SKU":"tv","price":6000}]}"#
    static let names = #"{REF,"taxCode":"C003-00-3"}"#
    static let revocation = #"{REF,"refundReason":"OTHER","refundRiskingPreference":false,"refundType":"FULL"}"#
    static let migration = AdvancedCommerceEndpointTests.migration

    static func refund(_ sku: String, _ more: String) -> String {
        #"{REF,"refundRiskingPreference":false,"items":[{"SKU":"\#(sku)","refundReason":"OTHER",\#(more)}]}"#
    }

    static let full = #""refundType":"FULL","revoke":false"#

    /// Buys a product that is not one of Advanced Commerce.
    static func buy(_ product: String) -> @Sendable (inout AdvancedCommerceStore) throws -> String {
        { shop in try #require(shop.perform(.purchase(customer: "ben", product: product)).transactionID) }
    }

    static let expired: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        try shop.perform(.cancel(customer: "anna", subscription: shop.subscription))
        shop.advance(days: 40)
        return shop.subscription
    }

    static let renewed: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        shop.advance(days: 35)
        return shop.subscription
    }

    static let storefrontChanged: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        let id = try buy("com.example.news.weekly")(&shop)
        shop.store.customers["ben"]?.storefront = "DEU"
        return id
    }

    static let priceIncreased: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        let id = try buy("com.example.news.weekly")(&shop)
        try shop.perform(.increasePrice(product: "com.example.news.weekly", price: 5000, consent: true))
        return id
    }

    static let planChangePending: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        let id = try buy("com.example.news.weekly")(&shop)
        try shop.perform(.purchase(customer: "ben", product: "com.example.news.monthly"))
        return id
    }

    static let removedFromSale: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        try shop.perform(.removeFromSale(product: AdvancedCommerceStore.subscriptionProduct))
        return try buy("com.example.news.weekly")(&shop)
    }

    static let secondSubscription: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        try #require(
            shop.perform(.purchase(customer: "anna", product: "com.example.news.weekly")).transactionID)
    }

    static let priceChangeSent: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        try shop.send(.changeSubscriptionPrice, nil, price)
        shop.store.subscriptions[shop.subscription]?.advancedCommerce?.renewalInfo.items?[0].priceIncreaseInfo?
            .status = .pending
        return shop.subscription
    }

    static let storefrontInIndia: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        shop.store.customers["anna"]?.storefront = "IND"
        return shop.subscription
    }

    static let itemNotRenewing: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        shop.store.subscriptions[shop.subscription]?.advancedCommerce?.renewalInfo.items?.removeFirst()
        return shop.subscription
    }

    static let productDeleted: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        shop.store.catalogue.products.removeAll { $0.id == AdvancedCommerceStore.subscriptionProduct }
        return shop.subscription
    }

    static let sharedWithFamily: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        try shop.perform(.createCustomer(customer: "kid"))
        try shop.perform(.purchase(customer: "ben", product: "com.example.premium.monthly"))
        try shop.perform(.shareWithFamily(customer: "ben", member: "kid"))
        return try #require(shop.store.customers["kid"]?.transactions.first)
    }

    static let billingFailing: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        try shop.perform(.failBilling(customer: "anna"))
        shop.advance(days: 35)
        return shop.subscription
    }

    static let refunded: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        try shop.send(.requestRefund, nil, refund("tv", full))
        return shop.subscription
    }

    static let revoked: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        try shop.send(.revokeSubscription, nil, revocation)
        return shop.subscription
    }

    static let freeItem: @Sendable (inout AdvancedCommerceStore) throws -> String = { shop in
        let order = AdvancedCommerceStore.order(shop.reference(), skus: ["tv": 0, "radio": 10])
        return try #require(
            shop.perform(
                .subscribeAdvancedCommerce(
                    customer: "ben", product: AdvancedCommerceStore.subscriptionProduct, request: order)
            ).transactionID)
    }

    static let common: [Row] =
        AppStoreEndpoint.advancedCommerce.map { endpoint in
            Row(.transactionIdNotFound, endpoint, bodies[endpoint.name] ?? "") { _ in "1" }
        } + [
            Row(.invalidTransactionId, .cancelSubscription, "{REF}") { _ in "x" },
            Row(.mismatchedStorefront, .cancelSubscription, #"{REF,"storefront":"DEU"}"#),
            Row(.subscriptionDoesNotExist, .cancelSubscription, "{REF}") { $0.charge },
            Row(.subscriptionNotEligible, .cancelSubscription, "{REF}", expired),
            Row(.subscriptionNotEligible, .cancelSubscription, "{REF}", buy("com.example.news.weekly")),
            Row(.productNotOwned, .cancelSubscription, "{REF}", sharedWithFamily),
            Row(.productNotOwned, .migrateSubscription, migration, sharedWithFamily),
        ]

    static let bodies: [String: String] = [
        AppStoreEndpoint.cancelSubscription.name: "{REF}", AppStoreEndpoint.changeSubscriptionMetadata.name: names,
        AppStoreEndpoint.changeSubscriptionPrice.name: price, AppStoreEndpoint.migrateSubscription.name: migration,
        AppStoreEndpoint.requestRefund.name: refund("tv", full), AppStoreEndpoint.revokeSubscription.name: revocation,
    ]

    static let changes: [Row] = [
        Row(.inactiveACASub, .changeSubscriptionMetadata, names, expired),
        Row(.productNotEligible, .changeSubscriptionMetadata, names, buy("com.example.news.weekly")),
        Row(.productNotFound, .changeSubscriptionMetadata, names, productDeleted),
        Row(
            .invalidProduct, .changeSubscriptionMetadata,
            #"{REF,"items":[{"currentSKU":"x","SKU":"y","effective":"IMMEDIATELY"}]}"#),
        Row(
            .invalidProductChanges, .changeSubscriptionMetadata,
            #"{REF,"items":[{"currentSKU":"tv","SKU":"radio","effective":"IMMEDIATELY"}]}"#),
        Row(.subscriptionNotEligible, .changeSubscriptionPrice, price, billingFailing),
        Row(.invalidCurrency, .changeSubscriptionPrice, #"{REF,"currency":"EUR","items":[{"SKU":"tv","price":1}]}"#),
        Row(.invalidProduct, .changeSubscriptionPrice, #"{REF,"items":[{"SKU":"x","price":1}]}"#),
        Row(.invalidSKUProvidedMustBeCurrentSKUSetToRenew, .changeSubscriptionPrice, price, itemNotRenewing),
        Row(
            .priceChangeCannotBeIssuedWhenAlreadyCommunicated, .changeSubscriptionPrice, price, priceChangeSent),
        Row(.acaPriceIncreaseIsNotCurrentlySupportedInIndia, .changeSubscriptionPrice, price, storefrontInIndia),
        Row(.subscriptionAlreadyMigrated, .migrateSubscription, migration),
        Row(.subscriptionAlreadyExists, .migrateSubscription, migration, secondSubscription),
        Row(.storefrontChange, .migrateSubscription, migration, storefrontChanged),
        Row(.migrationNotAllowedWhenPriceIncreaseCommunicated, .migrateSubscription, migration, priceIncreased),
        Row(.pendingChangesMismatch, .migrateSubscription, migration, planChangePending),
        Row(.productNotEligible, .migrateSubscription, migration, removedFromSale),
        Row(
            .productNotFound, .migrateSubscription, migration.replacing("advanced.subscription", with: "nothing"),
            buy("com.example.news.weekly")),
        Row(
            .invalidTargetProductID, .migrateSubscription, migration.replacing("advanced.subscription", with: "unlock"),
            buy("com.example.news.weekly")),
    ]

    static let refunds: [Row] = [
        Row(.removalAllNotAllowed, .requestRefund, AdvancedCommerceCodeTests.refundOfAllItems),
        Row(
            .proratedOnlyLatestTransaction, .requestRefund, refund("tv", #""refundType":"PRORATED","revoke":false"#),
            renewed),
        Row(
            .insufficientFunds, .requestRefund,
            refund("tv", #""refundType":"CUSTOM","refundAmount":5001,"revoke":false"#)),
        Row(.alreadyRefunded, .requestRefund, refund("tv", full), refunded),
        Row(.transactionNotRefundable, .requestRefund, refund("tv", full), freeItem),
        Row(.transactionNotRefundable, .requestRefund, refund("tv", full), buy("com.example.unlock")),
        Row(.malformedPayload, .requestRefund, refund("x", full)),
        Row(.revokeOnInactiveSubscription, .revokeSubscription, revocation, expired),
        Row(.alreadyRefunded, .revokeSubscription, revocation, revoked),
    ]

    static let refundOfAllItems =
        #"{REF,"refundRiskingPreference":false,"items":[{"SKU":"tv","refundReason":"OTHER","refundType":"FULL","revoke":true},{"SKU":"radio","refundReason":"OTHER","refundType":"FULL","revoke":true}]}"#

    @Test(arguments: common + changes + refunds)
    func `A refused Advanced Commerce request has the documented code and does not change the store`(row: Row) throws {
        var shop = try AdvancedCommerceStore()
        let id = try row.prepare(&shop)
        // Events that are due before the request are not its effect.
        shop.store.run(until: shop.now)
        let before = try shop.store.bytes
        let found = try StoreSimulatorTests.code { try shop.send(row.endpoint, id, row.body) }
        #expect(found == row.code)
        #expect(try shop.store.bytes == before)
    }

    @Test func `A cancel request is refused with another consistency token and accepted with the current one`() throws {
        var shop = try AdvancedCommerceStore()
        let token = try #require(shop.renewal.advancedCommerceInfo?.consistencyToken)
        let before = try shop.renewal
        func body(_ token: String, _ id: UUID) -> String {
            #"{"requestInfo":{"requestReferenceId":"\#(id.uuidString)","consistencyToken":"\#(token)"}}"#
        }
        let wrong = body("x", shop.reference())
        #expect(
            try StoreSimulatorTests.code { try shop.send(.cancelSubscription, nil, wrong) } == .invalidConsistencyToken
        )
        #expect(try shop.renewal == before)
        try shop.send(.cancelSubscription, nil, body(token, shop.reference()))
        #expect(try shop.renewal.autoRenewStatus == .off)
    }
}
