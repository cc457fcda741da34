import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `A generic product of Advanced Commerce` {
    @Test func `is bought with the contents of the request`() throws {
        let world = try AdvancedCommerceStore()
        #expect(world.announced() == ["SUBSCRIBED/INITIAL_BUY", "ONE_TIME_CHARGE"])
        let transaction = try world.current
        let info = try #require(transaction.advancedCommerceInfo)
        #expect(transaction.price == 7000 && transaction.currency == "USD")
        #expect(info.items?.map(\.sku) == ["tv", "radio"] && info.items?.map(\.price) == [5000, 2000])
        #expect(info.descriptors?.displayName == "All" && info.period == .p1m && info.taxCode == "C003-00-2")
        #expect(info.requestReferenceId == "00000000-0000-4000-8000-000000000001")
        #expect(info.taxExclusivePrice == 7000 && info.estimatedTax == 0)
        let renewal = try world.renewal
        #expect(renewal.renewalPrice == 7000 && renewal.advancedCommerceInfo?.items?.count == 2)
        #expect(renewal.advancedCommerceInfo?.consistencyToken != nil)
        let charge = try #require(world.store.transactions[world.charge]?.payload)
        #expect(charge.price == 3000 && charge.advancedCommerceInfo?.items?.first?.sku == "hat")
    }

    @Test func `renews with the same items`() throws {
        var world = try AdvancedCommerceStore()
        world.advance(days: 35)
        #expect(world.announced(from: 2) == ["DID_RENEW"])
        let transaction = try world.current
        #expect(transaction.transactionReason == .renewal && transaction.price == 7000)
        #expect(transaction.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "radio"])
    }

    @Test func `lasts as long as the request says, and costs what the offer says for as long as it says`() throws {
        var world = try AdvancedCommerceStore()
        var order = AdvancedCommerceStore.order(world.reference(), skus: ["book": 4000])
        order.items[0].offer = .init(period: .p1w, periodCount: 2, price: 1000, reason: .acquisition)
        order.period = .p1w
        let bought = try world.perform(
            .subscribeAdvancedCommerce(
                customer: "ben", product: AdvancedCommerceStore.subscriptionProduct, request: order))
        let id = try #require(bought.transactionID)
        var prices: [Int64?] = []
        for _ in 0..<3 {
            let subscription = try #require(world.store.subscriptions[id])
            let payload = try #require(world.store.transactions[subscription.current]?.payload)
            prices.append(payload.price)
            world.advance(days: 7)
        }
        #expect(prices == [1000, 1000, 4000])
    }

    @Test func `by the week has the grace period of a week, and what is paid within it is not over by then`() throws {
        var world = try AdvancedCommerceStore()
        world.store.settings.gracePeriod = .sixteenDays
        var order = AdvancedCommerceStore.order(world.reference(), skus: ["book": 4000])
        order.period = .p1w
        let bought = try world.perform(
            .subscribeAdvancedCommerce(
                customer: "ben", product: AdvancedCommerceStore.subscriptionProduct, request: order))
        let id = try #require(bought.transactionID)
        try world.perform(.failBilling(customer: "ben"))
        world.advance(days: 7)
        let failed = world.now
        // The generic product is one by the month.
        #expect(world.store.subscriptions[id]?.graceEnds == failed + 6 * 86_400)
        world.advance(days: 5)
        try world.perform(.fixBilling(customer: "ben"))
        let recovered = try #require(world.store.subscriptions[id])
        #expect(world.store.transactions[recovered.current]?.payload.purchaseDate == failed)
        #expect(world.store.status(of: recovered, at: world.now) == .active)
    }

    @Test func `can be cancelled, lapse and be bought again under the same original transaction`() throws {
        var world = try AdvancedCommerceStore()
        try world.perform(.cancel(customer: "anna", subscription: world.subscription))
        world.advance(days: 40)
        var order = AdvancedCommerceStore.order(world.reference())
        order.previousTransactionId = world.subscription
        let again = try world.perform(
            .subscribeAdvancedCommerce(
                customer: "anna", product: AdvancedCommerceStore.subscriptionProduct, request: order))
        #expect(again.originalTransactionID == world.subscription)
        #expect(
            world.announced(from: 2) == [
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "EXPIRED/VOLUNTARY", "SUBSCRIBED/RESUBSCRIBE",
            ])
    }

    @Test func `bought again has had its extensions of the year, and a refund has ended its streak`() throws {
        var world = try AdvancedCommerceStore()
        for _ in 0..<2 {
            try world.perform(.extendRenewal(customer: "anna", days: 1, subscription: world.subscription))
        }
        try world.perform(.approveRefund(customer: "anna", transaction: world.subscription))
        // More than 60 days after the refund, and less after what would have been the end.
        world.advance(days: 70)
        try world.perform(
            .subscribeAdvancedCommerce(
                customer: "anna", product: AdvancedCommerceStore.subscriptionProduct,
                request: AdvancedCommerceStore.order(world.reference())))
        let again = try #require(world.store.subscriptions[world.subscription])
        #expect(world.store.status(of: again, at: world.now) == .active)
        #expect(world.store.extensionRefusal(again, at: world.now) == .tooOften)
        #expect(again.streakStart == world.now)
    }

    @Test func `is changed by the customer: an item at once for a part of its price, another one away at the renewal`()
        throws
    {
        var world = try AdvancedCommerceStore()
        let body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: world.reference()), transactionId: world.subscription,
            retainBillingCycle: true,
            addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000, proratedPrice: 1500)],
            removeItems: [.init(sku: "radio")])
        let expires = try world.current.expiresDate
        let outcome = try world.perform(.requestAdvancedCommerce(customer: "anna", data: try Self.unsigned(body)))
        #expect(outcome.notifications.map(\.subtype) == [.upgrade])
        let transaction = try world.current
        #expect(transaction.price == 1500 && transaction.expiresDate == expires)
        #expect(transaction.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "radio", "book"])
        // Whatever else changes, that is what was paid.
        try world.send(
            .changeSubscriptionMetadata, nil,
            #"{REF,"descriptors":{"effective":"NEXT_BILL_CYCLE","displayName":"More"}}"#)
        #expect(try world.current.transactionId == transaction.transactionId)
        #expect(try world.current.advancedCommerceInfo?.taxExclusivePrice == 1500)
        let names = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: world.reference()), transactionId: world.subscription,
            retainBillingCycle: true, descriptors: .init(effective: .immediately, displayName: "Now"))
        try world.perform(.requestAdvancedCommerce(customer: "anna", data: try Self.unsigned(names)))
        #expect(try world.current.transactionId == transaction.transactionId)
        #expect(try world.current.advancedCommerceInfo?.descriptors?.displayName == "Now")
        #expect(try world.current.advancedCommerceInfo?.taxExclusivePrice == 1500)
        world.advance(days: 35)
        #expect(try world.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "book"])
        #expect(try world.current.price == 9000)
    }

    @Test func `renews after a change that was paid at once, whatever failed before`() throws {
        var world = try AdvancedCommerceStore()
        try world.perform(.failBilling(customer: "anna", subscription: world.subscription))
        let body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: world.reference()), transactionId: world.subscription,
            retainBillingCycle: false,
            addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)])
        try world.perform(.requestAdvancedCommerce(customer: "anna", data: try Self.unsigned(body)))
        world.advance(days: 35)
        #expect(world.announced(from: 2) == ["DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_RENEW"])
    }

    @Test func `costs nothing more for an item that was taken back, and nothing in another currency`() throws {
        var world = try AdvancedCommerceStore()
        try world.send(
            .requestRefund, nil, AdvancedCommerceCodeTests.refund("radio", #""refundType":"FULL","revoke":true"#))
        world.advance(days: 1)
        var body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: world.reference()), transactionId: world.subscription,
            retainBillingCycle: false,
            addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)])
        body.currency = "EUR"
        let foreign = try Self.unsigned(body)
        let error = #expect(throws: StoreError.self) {
            try world.perform(.requestAdvancedCommerce(customer: "anna", data: foreign))
        }
        #expect(error?.message.hasPrefix("4000053") == true)
        body.currency = "USD"
        try world.perform(.requestAdvancedCommerce(customer: "anna", data: try Self.unsigned(body)))
        #expect(try world.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "book"])
        #expect(try world.current.price == 9000)
    }

    @Test func `keeps what was refunded in the same billing cycle, and forgets it in another one`() throws {
        for retains in [true, false] {
            var world = try AdvancedCommerceStore()
            try world.send(
                .requestRefund, nil,
                AdvancedCommerceCodeTests.refund("tv", #""refundType":"CUSTOM","refundAmount":1000,"revoke":false"#))
            world.advance(days: 1)
            let body = AdvancedCommerceSubscriptionModifyInAppRequest(
                requestInfo: .init(requestReferenceId: world.reference()), transactionId: world.subscription,
                retainBillingCycle: retains,
                addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)])
            try world.perform(.requestAdvancedCommerce(customer: "anna", data: try Self.unsigned(body)))
            let id = try world.current.transactionId
            #expect(id != world.subscription)
            try world.send(.requestRefund, id, AdvancedCommerceCodeTests.refund("tv", AdvancedCommerceCodeTests.full))
            let refunds = try world.current.advancedCommerceInfo?.items?.first?.refunds
            #expect(refunds?.map(\.refundAmount) == (retains ? [1000, 4000] : [5000]))
        }
    }

    @Test func `is changed in the currency of the storefront that the customer has moved to`() throws {
        var world = try AdvancedCommerceStore()
        try world.perform(.changeStorefront(customer: "anna", storefront: "DEU"))
        var body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: world.reference()), transactionId: world.subscription,
            retainBillingCycle: false,
            addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)])
        body.currency = "USD"
        let foreign = try Self.unsigned(body)
        let error = #expect(throws: StoreError.self) {
            try world.perform(.requestAdvancedCommerce(customer: "anna", data: foreign))
        }
        #expect(error?.message.hasPrefix("4000053") == true)
        body.currency = "EUR"
        try world.perform(.requestAdvancedCommerce(customer: "anna", data: try Self.unsigned(body)))
        #expect(try world.current.currency == "EUR")
    }

    @Test func `can cost any number, and triggers do not overflow`() throws {
        var world = try AdvancedCommerceStore()
        let order = AdvancedCommerceStore.order(world.reference(), skus: ["tv": .max])
        let bought = try world.perform(
            .subscribeAdvancedCommerce(
                customer: "ben", product: AdvancedCommerceStore.subscriptionProduct, request: order))
        let id = try #require(bought.transactionID)
        _ = try world.store.trigger(TriggerRequest(.priceChange, customer: "ben"), at: world.now)
        let items = world.store.subscriptions[id]?.advancedCommerce?.renewalInfo.items
        #expect(items?.first?.priceIncreaseInfo?.price == .max)
        // It has no price that the developer raises in App Store Connect.
        #expect(throws: StoreError.self) {
            try world.store.trigger(TriggerRequest(.priceIncrease, .pending, customer: "ben"), at: world.now)
        }
    }

    @Test func `renews again after the customer reactivates it, with the items that are left`() throws {
        var world = try AdvancedCommerceStore()
        let body = AdvancedCommerceSubscriptionReactivateInAppRequest(
            requestInfo: .init(requestReferenceId: world.reference()), transactionId: world.subscription,
            items: [.init(sku: "tv")])
        let data = try Self.unsigned(body)
        #expect(throws: StoreError.self) { try world.perform(.requestAdvancedCommerce(customer: "anna", data: data)) }
        try world.perform(.cancel(customer: "anna", subscription: world.subscription))
        try world.perform(.requestAdvancedCommerce(customer: "anna", data: data))
        world.advance(days: 35)
        #expect(try world.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv"])
    }

    @Test func `is refused with Apple's code where the store knows better`() throws {
        var world = try AdvancedCommerceStore()
        var order = AdvancedCommerceStore.order(world.reference())
        func code(_ change: (inout AdvancedCommerceSubscriptionCreateRequest) -> Void, _ customer: String = "ben")
            throws -> String
        {
            var changed = order
            change(&changed)
            do {
                _ = try world.perform(
                    .subscribeAdvancedCommerce(
                        customer: customer, product: AdvancedCommerceStore.subscriptionProduct, request: changed))
                return "taken"
            } catch let error as StoreError { return String(error.message.prefix(7)) }
        }
        #expect(try code({ $0.currency = "EUR" }) == "4000053")
        #expect(try code({ $0.storefront = "DEU" }) == "4000133")
        #expect(try code({ $0.previousTransactionId = "1" }) == "4000096")
        #expect(try code({ $0.items = [] }) == "4000101")
        #expect(try code({ _ in }, "anna") == "4030009")
        #expect(try code({ _ in }) == "taken")
        #expect(try code({ _ in }, "carl") == "4000097")
        order.requestInfo.requestReferenceId = UUID()
        #expect(throws: StoreError.self) {
            try world.perform(
                .subscribeAdvancedCommerce(customer: "dora", product: "com.example.unlock", request: order))
        }
        #expect(throws: StoreError.self) {
            try world.perform(.purchase(customer: "dora", product: AdvancedCommerceStore.subscriptionProduct))
        }
    }

    /// A request in its wrapper. The store leaves the signature to who has the key.
    static func unsigned(_ request: some Encodable) throws -> String {
        let header = Data(#"{"alg":"ES256","kid":"k"}"#.utf8)
        let claims = [
            "iss": "i", "bid": "b", "aud": "advanced-commerce-api",
            "request": try JSONEncoder().encode(request).base64EncodedString(),
        ]
        let parts = [header, try JSONEncoder().encode(claims), Data([1])].map { data in
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        return #"{"signatureInfo":{"token":"\#(parts.joined(separator: "."))"}}"#
    }
}
