import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `A generic product of Advanced Commerce` {
    @Test func `An Advanced Commerce purchase has the items, descriptors and price of its request`() throws {
        let shop = try AdvancedCommerceStore()
        #expect(shop.notificationNames() == ["SUBSCRIBED/INITIAL_BUY", "ONE_TIME_CHARGE"])
        let transaction = try shop.current
        let info = try #require(transaction.advancedCommerceInfo)
        #expect(transaction.price == 7000 && transaction.currency == "USD")
        #expect(info.items?.map(\.sku) == ["tv", "radio"] && info.items?.map(\.price) == [5000, 2000])
        #expect(info.descriptors?.displayName == "All" && info.period == .p1m && info.taxCode == "C003-00-2")
        #expect(info.requestReferenceId == "00000000-0000-4000-8000-000000000001")
        #expect(info.taxExclusivePrice == 7000 && info.estimatedTax == 0)
        let renewal = try shop.renewal
        #expect(renewal.renewalPrice == 7000 && renewal.advancedCommerceInfo?.items?.count == 2)
        #expect(renewal.advancedCommerceInfo?.consistencyToken != nil)
        let charge = try #require(shop.store.transactions[shop.charge]?.payload)
        #expect(charge.price == 3000 && charge.advancedCommerceInfo?.items?.first?.sku == "hat")
    }

    @Test func `An Advanced Commerce subscription renews with the same items`() throws {
        var shop = try AdvancedCommerceStore()
        shop.advance(days: 35)
        #expect(shop.notificationNames(from: 2) == ["DID_RENEW"])
        let transaction = try shop.current
        #expect(transaction.transactionReason == .renewal && transaction.price == 7000)
        #expect(transaction.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "radio"])
    }

    @Test func `A subscription from the 31st renews on the 31st again, also after a change within a period`() throws {
        var shop = try AdvancedCommerceStore()
        let year = Date(timeIntervalSince1970: 1_767_225_600)
        shop.now = year + 30 * 86_400
        shop.store.run(until: shop.now)
        let bought = try shop.perform(
            .subscribeAdvancedCommerce(
                customer: "ben", product: AdvancedCommerceStore.subscriptionProduct,
                request: AdvancedCommerceStore.order(shop.reference())))
        shop.subscription = try #require(bought.transactionID)
        shop.advance(days: 40)
        #expect(try shop.current.expiresDate == year + 89 * 86_400)
        let body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
            retainBillingCycle: true,
            addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)])
        try shop.perform(.requestAdvancedCommerce(customer: "ben", data: try AdvancedCommerceStore.unsigned(body)))
        #expect(try shop.current.expiresDate == year + 89 * 86_400)
        shop.advance(days: 60)
        // The period from the 30th of April.
        #expect(try shop.current.expiresDate == year + 150 * 86_400)
    }

    @Test func `The request sets the period, and the offer sets the price for its number of periods`() throws {
        var shop = try AdvancedCommerceStore()
        var order = AdvancedCommerceStore.order(shop.reference(), skus: ["book": 4000])
        order.items[0].offer = .init(period: .p1w, periodCount: 2, price: 1000, reason: .acquisition)
        order.period = .p1w
        let bought = try shop.perform(
            .subscribeAdvancedCommerce(
                customer: "ben", product: AdvancedCommerceStore.subscriptionProduct, request: order))
        let id = try #require(bought.transactionID)
        var prices: [Int64?] = []
        for _ in 0..<3 {
            let subscription = try #require(shop.store.subscriptions[id])
            let payload = try #require(shop.store.transactions[subscription.current]?.payload)
            prices.append(payload.price)
            shop.advance(days: 7)
        }
        #expect(prices == [1000, 1000, 4000])
    }

    @Test func `A weekly period has six days of grace, and a recovered renewal starts at the failed one`() throws {
        var shop = try AdvancedCommerceStore()
        shop.store.settings.gracePeriod = .sixteenDays
        var order = AdvancedCommerceStore.order(shop.reference(), skus: ["book": 4000])
        order.period = .p1w
        let bought = try shop.perform(
            .subscribeAdvancedCommerce(
                customer: "ben", product: AdvancedCommerceStore.subscriptionProduct, request: order))
        let id = try #require(bought.transactionID)
        try shop.perform(.failBilling(customer: "ben"))
        shop.advance(days: 7)
        let failed = shop.now
        // The period of the generic product itself is a month.
        #expect(shop.store.subscriptions[id]?.graceEnds == failed + 6 * 86_400)
        shop.advance(days: 5)
        try shop.perform(.fixBilling(customer: "ben"))
        let recovered = try #require(shop.store.subscriptions[id])
        #expect(shop.store.transactions[recovered.current]?.payload.purchaseDate == failed)
        #expect(shop.store.status(of: recovered, at: shop.now) == .active)
    }

    @Test func `An expired Advanced Commerce subscription is bought again under the same original transaction`() throws
    {
        var shop = try AdvancedCommerceStore()
        try shop.perform(.cancel(customer: "anna", subscription: shop.subscription))
        shop.advance(days: 40)
        var order = AdvancedCommerceStore.order(shop.reference())
        order.previousTransactionId = shop.subscription
        let again = try shop.perform(
            .subscribeAdvancedCommerce(
                customer: "anna", product: AdvancedCommerceStore.subscriptionProduct, request: order))
        #expect(again.originalTransactionID == shop.subscription)
        #expect(
            shop.notificationNames(from: 2) == [
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY", "SUBSCRIBED/RESUBSCRIBE",
            ])
    }

    @Test func `A repurchase keeps the year's extension count, and after a refund moves the start date`() throws {
        var shop = try AdvancedCommerceStore()
        for _ in 0..<2 {
            try shop.perform(.extendRenewal(customer: "anna", days: 1, subscription: shop.subscription))
        }
        try shop.perform(.approveRefund(customer: "anna", transaction: shop.subscription))
        // More than 60 days after the refund, and less than 60 days after the end of the refunded period.
        shop.advance(days: 70)
        try shop.perform(
            .subscribeAdvancedCommerce(
                customer: "anna", product: AdvancedCommerceStore.subscriptionProduct,
                request: AdvancedCommerceStore.order(shop.reference())))
        let again = try #require(shop.store.subscriptions[shop.subscription])
        #expect(shop.store.status(of: again, at: shop.now) == .active)
        #expect(shop.store.extensionRefusal(again, at: shop.now) == .tooOften)
        #expect(again.recentStart == shop.now)
    }

    @Test func `A price change trigger does not overflow at the largest price`() throws {
        var shop = try AdvancedCommerceStore()
        let order = AdvancedCommerceStore.order(shop.reference(), skus: ["tv": .max])
        let bought = try shop.perform(
            .subscribeAdvancedCommerce(
                customer: "ben", product: AdvancedCommerceStore.subscriptionProduct, request: order))
        let id = try #require(bought.transactionID)
        _ = try shop.store.trigger(TriggerRequest(.priceChange, customer: "ben"), at: shop.now)
        let items = shop.store.subscriptions[id]?.advancedCommerce?.renewalInfo.items
        #expect(items?.first?.priceIncreaseInfo?.price == .max)
        // A generic product has no price in App Store Connect that the developer could increase.
        let error = #expect(throws: StoreError.self) {
            try shop.store.trigger(TriggerRequest(.priceIncrease, .pending, customer: "ben"), at: shop.now)
        }
        #expect(error?.code == .impossibleTransition)
    }

    @Test func `A reactivated subscription renews with the items of the reactivation request`() throws {
        var shop = try AdvancedCommerceStore()
        let body = AdvancedCommerceSubscriptionReactivateInAppRequest(
            requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
            items: [.init(sku: "tv")])
        let data = try AdvancedCommerceStore.unsigned(body)
        let error = #expect(throws: StoreError.self) {
            try shop.perform(.requestAdvancedCommerce(customer: "anna", data: data))
        }
        #expect(error?.message.hasPrefix("4030011") == true)
        try shop.perform(.cancel(customer: "anna", subscription: shop.subscription))
        try shop.perform(.requestAdvancedCommerce(customer: "anna", data: data))
        shop.advance(days: 35)
        #expect(try shop.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv"])
    }

    @Test func `A purchase request that contradicts the store's state is refused with Apple's code`() throws {
        var shop = try AdvancedCommerceStore()
        var order = AdvancedCommerceStore.order(shop.reference())
        func code(_ change: (inout AdvancedCommerceSubscriptionCreateRequest) -> Void, _ customer: String = "ben")
            throws -> String
        {
            var changed = order
            change(&changed)
            do {
                _ = try shop.perform(
                    .subscribeAdvancedCommerce(
                        customer: customer, product: AdvancedCommerceStore.subscriptionProduct, request: changed))
                return "accepted"
            } catch let error as StoreError { return String(error.message.prefix(7)) }
        }
        #expect(try code({ $0.currency = "EUR" }) == "4000053")
        #expect(try code({ $0.storefront = "DEU" }) == "4000133")
        #expect(try code({ $0.previousTransactionId = "1" }) == "4000096")
        #expect(try code({ $0.items = [] }) == "4000101")
        #expect(try code({ _ in }, "anna") == "4030009")
        #expect(try code({ _ in }) == "accepted")
        #expect(try code({ _ in }, "carl") == "4000097")
        order.requestInfo.requestReferenceId = UUID()
        for command: StoreCommand in [
            .subscribeAdvancedCommerce(customer: "dora", product: "com.example.unlock", request: order),
            .purchase(customer: "dora", product: AdvancedCommerceStore.subscriptionProduct),
        ] {
            let error = #expect(throws: StoreError.self) { try shop.perform(command) }
            #expect(error?.code == .invalidArgument, "\(command)")
        }
    }
}
