import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite("A refusal of the Advanced Commerce API")
struct AdvancedCommerceCodeTests {
    /// A request that fails for what the store knows.
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

    /// Buys something ordinary.
    static func buy(_ product: String) -> @Sendable (inout AdvancedCommerceStore) throws -> String {
        { world in try #require(world.perform(.purchase(customer: "ben", product: product)).transactionID) }
    }

    static let lapse: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        try world.perform(.cancel(customer: "anna", subscription: world.subscription))
        world.advance(days: 40)
        return world.subscription
    }

    static let renew: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        world.advance(days: 35)
        return world.subscription
    }

    static let moved: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        let id = try buy("com.example.news.weekly")(&world)
        world.store.customers["ben"]?.storefront = "DEU"
        return id
    }

    static let dearer: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        let id = try buy("com.example.news.weekly")(&world)
        try world.perform(.increasePrice(product: "com.example.news.weekly", price: 5000, consent: true))
        return id
    }

    static let pending: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        let id = try buy("com.example.news.weekly")(&world)
        try world.perform(.purchase(customer: "ben", product: "com.example.news.monthly"))
        return id
    }

    static let removed: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        try world.perform(.removeFromSale(product: AdvancedCommerceStore.subscriptionProduct))
        return try buy("com.example.news.weekly")(&world)
    }

    static let twice: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        try #require(
            world.perform(.purchase(customer: "anna", product: "com.example.news.weekly")).transactionID)
    }

    static let communicated: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        try world.send(.changeSubscriptionPrice, nil, price)
        world.store.subscriptions[world.subscription]?.advancedCommerce?.renewalInfo.items?[0].priceIncreaseInfo?
            .status = .pending
        return world.subscription
    }

    static let indian: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        world.store.customers["anna"]?.storefront = "IND"
        return world.subscription
    }

    static let leaving: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        world.store.subscriptions[world.subscription]?.advancedCommerce?.renewalInfo.items?.removeFirst()
        return world.subscription
    }

    static let gone: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        world.store.catalogue.products.removeAll { $0.id == AdvancedCommerceStore.subscriptionProduct }
        return world.subscription
    }

    static let shared: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        try world.perform(.createCustomer(customer: "kid"))
        try world.perform(.purchase(customer: "ben", product: "com.example.premium.monthly"))
        try world.perform(.shareWithFamily(customer: "ben", member: "kid"))
        return try #require(world.store.customers["kid"]?.transactions.first)
    }

    static let failing: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        try world.perform(.failBilling(customer: "anna"))
        world.advance(days: 35)
        return world.subscription
    }

    static let refunded: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        try world.send(.requestRefund, nil, refund("tv", full))
        return world.subscription
    }

    static let revoked: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        try world.send(.revokeSubscription, nil, revocation)
        return world.subscription
    }

    static let free: @Sendable (inout AdvancedCommerceStore) throws -> String = { world in
        let order = AdvancedCommerceStore.order(world.reference(), skus: ["tv": 0, "radio": 10])
        return try #require(
            world.perform(
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
            Row(.subscriptionNotEligible, .cancelSubscription, "{REF}", lapse),
            Row(.subscriptionNotEligible, .cancelSubscription, "{REF}", buy("com.example.news.weekly")),
            Row(.productNotOwned, .cancelSubscription, "{REF}", shared),
            Row(.productNotOwned, .migrateSubscription, migration, shared),
        ]

    static let bodies: [String: String] = [
        AppStoreEndpoint.cancelSubscription.name: "{REF}", AppStoreEndpoint.changeSubscriptionMetadata.name: names,
        AppStoreEndpoint.changeSubscriptionPrice.name: price, AppStoreEndpoint.migrateSubscription.name: migration,
        AppStoreEndpoint.requestRefund.name: refund("tv", full), AppStoreEndpoint.revokeSubscription.name: revocation,
    ]

    static let changes: [Row] = [
        Row(.inactiveACASub, .changeSubscriptionMetadata, names, lapse),
        Row(.productNotEligible, .changeSubscriptionMetadata, names, buy("com.example.news.weekly")),
        Row(.productNotFound, .changeSubscriptionMetadata, names, gone),
        Row(
            .invalidProduct, .changeSubscriptionMetadata,
            #"{REF,"items":[{"currentSKU":"x","SKU":"y","effective":"IMMEDIATELY"}]}"#),
        Row(
            .invalidProductChanges, .changeSubscriptionMetadata,
            #"{REF,"items":[{"currentSKU":"tv","SKU":"radio","effective":"IMMEDIATELY"}]}"#),
        Row(.subscriptionNotEligible, .changeSubscriptionPrice, price, failing),
        Row(.invalidCurrency, .changeSubscriptionPrice, #"{REF,"currency":"EUR","items":[{"SKU":"tv","price":1}]}"#),
        Row(.invalidProduct, .changeSubscriptionPrice, #"{REF,"items":[{"SKU":"x","price":1}]}"#),
        Row(.invalidSKUProvidedMustBeCurrentSKUSetToRenew, .changeSubscriptionPrice, price, leaving),
        Row(.priceChangeCannotBeIssuedWhenAlreadyCommunicated, .changeSubscriptionPrice, price, communicated),
        Row(.acaPriceIncreaseIsNotCurrentlySupportedInIndia, .changeSubscriptionPrice, price, indian),
        Row(.subscriptionAlreadyMigrated, .migrateSubscription, migration),
        Row(.subscriptionAlreadyExists, .migrateSubscription, migration, twice),
        Row(.storefrontChange, .migrateSubscription, migration, moved),
        Row(.migrationNotAllowedWhenPriceIncreaseCommunicated, .migrateSubscription, migration, dearer),
        Row(.pendingChangesMismatch, .migrateSubscription, migration, pending),
        Row(.productNotEligible, .migrateSubscription, migration, removed),
        Row(
            .productNotFound, .migrateSubscription, migration.replacing("advanced.subscription", with: "nothing"),
            buy("com.example.news.weekly")),
        Row(
            .invalidTargetProductID, .migrateSubscription, migration.replacing("advanced.subscription", with: "unlock"),
            buy("com.example.news.weekly")),
    ]

    static let refunds: [Row] = [
        Row(.removalAllNotAllowed, .requestRefund, AdvancedCommerceCodeTests.all),
        Row(
            .proratedOnlyLatestTransaction, .requestRefund, refund("tv", #""refundType":"PRORATED","revoke":false"#),
            renew),
        Row(
            .insufficientFunds, .requestRefund,
            refund("tv", #""refundType":"CUSTOM","refundAmount":5001,"revoke":false"#)),
        Row(.alreadyRefunded, .requestRefund, refund("tv", full), refunded),
        Row(.transactionNotRefundable, .requestRefund, refund("tv", full), free),
        Row(.transactionNotRefundable, .requestRefund, refund("tv", full), buy("com.example.unlock")),
        Row(.malformedPayload, .requestRefund, refund("x", full)),
        Row(.revokeOnInactiveSubscription, .revokeSubscription, revocation, lapse),
        Row(.alreadyRefunded, .revokeSubscription, revocation, revoked),
    ]

    static let all =
        #"{REF,"refundRiskingPreference":false,"items":[{"SKU":"tv","refundReason":"OTHER","refundType":"FULL","revoke":true},{"SKU":"radio","refundReason":"OTHER","refundType":"FULL","revoke":true}]}"#

    @Test(arguments: common + changes + refunds)
    func `has the documented code, and changes nothing`(row: Row) throws {
        var world = try AdvancedCommerceStore()
        let id = try row.prepare(&world)
        let count = world.announced().count
        let found = try StoreSimulatorTests.code { try world.send(row.endpoint, id, row.body) }
        #expect(found == row.code)
        #expect(world.announced().count == count)
    }

    @Test func `comes for a consistency token that is not the subscription's, and does not for the one that is`() throws
    {
        var world = try AdvancedCommerceStore()
        let token = try #require(world.renewal.advancedCommerceInfo?.consistencyToken)
        let before = try world.renewal
        func body(_ token: String, _ id: UUID) -> String {
            #"{"requestInfo":{"requestReferenceId":"\#(id.uuidString)","consistencyToken":"\#(token)"}}"#
        }
        let wrong = body("x", world.reference())
        #expect(
            try StoreSimulatorTests.code { try world.send(.cancelSubscription, nil, wrong) } == .invalidConsistencyToken
        )
        #expect(try world.renewal == before)
        try world.send(.cancelSubscription, nil, body(token, world.reference()))
        #expect(try world.renewal.autoRenewStatus == .off)
    }
}
