import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

// Changes of the items and of the period.
extension `A generic product of Advanced Commerce` {
    @Test func `A modify request adds an item at once for its prorated price and removes one at the renewal`()
        throws
    {
        var shop = try AdvancedCommerceStore()
        let body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
            retainBillingCycle: true,
            addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000, proratedPrice: 1500)],
            removeItems: [.init(sku: "radio")])
        let expires = try shop.current.expiresDate
        let outcome = try shop.perform(
            .requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
        #expect(outcome.notifications.map(\.subtype) == [.upgrade])
        let transaction = try shop.current
        #expect(transaction.price == 1500 && transaction.expiresDate == expires)
        #expect(transaction.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "radio", "book"])
        // A later metadata change keeps the price that was paid.
        try shop.send(
            .changeSubscriptionMetadata, nil,
            #"{REF,"descriptors":{"effective":"NEXT_BILL_CYCLE","displayName":"More"}}"#)
        #expect(try shop.current.transactionId == transaction.transactionId)
        #expect(try shop.current.advancedCommerceInfo?.taxExclusivePrice == 1500)
        let names = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
            retainBillingCycle: true, descriptors: .init(effective: .immediately, displayName: "Now"))
        try shop.perform(.requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(names)))
        #expect(try shop.current.transactionId == transaction.transactionId)
        #expect(try shop.current.advancedCommerceInfo?.descriptors?.displayName == "Now")
        #expect(try shop.current.advancedCommerceInfo?.taxExclusivePrice == 1500)
        shop.advance(days: 35)
        #expect(try shop.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "book"])
        #expect(try shop.current.price == 9000)
    }

    @Test(arguments: [true, false])
    func `A period that begins with a change has no item that was to change at the renewal`(_ removes: Bool) throws {
        var shop = try AdvancedCommerceStore()
        func change(_ sku: String, to new: String, _ effective: AdvancedCommerceEffective) throws
            -> AdvancedCommerceSubscriptionModifyInAppRequest
        {
            .init(
                requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
                retainBillingCycle: effective == .nextBillCycle,
                changeItems: [
                    .init(
                        currentSKU: sku, sku: new, displayName: "n", description: "d", effective: effective,
                        reason: .upgrade, price: 7000)
                ])
        }
        let later = try AdvancedCommerceStore.unsigned(change("tv", to: "book", .nextBillCycle))
        try shop.perform(.requestAdvancedCommerce(customer: "anna", data: later))
        #expect(try shop.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "radio"])
        // The item under its new SKU is changed again, or removed while another one changes.
        var request = try change(removes ? "radio" : "book", to: "game", .immediately)
        if removes { request.removeItems = [.init(sku: "book")] }
        let now = try AdvancedCommerceStore.unsigned(request)
        try shop.perform(.requestAdvancedCommerce(customer: "anna", data: now))
        let current = try shop.current
        let skus: [String?] = removes ? ["game"] : ["radio", "game"]
        #expect(current.advancedCommerceInfo?.items?.map(\.sku) == skus)
        #expect(current.price == (removes ? 7000 : 9000))
        shop.advance(days: 35)
        #expect(try shop.current.price == current.price)
    }

    @Test func `A change of the period must change or remove every item`() throws {
        var shop = try AdvancedCommerceStore()
        var body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
            retainBillingCycle: false,
            changeItems: [
                .init(
                    currentSKU: "tv", sku: "tv.year", displayName: "t", description: "d", effective: .immediately,
                    reason: .upgrade, price: 50_000)
            ], periodChange: .init(effective: .immediately, period: .p1y))
        let partial = try AdvancedCommerceStore.unsigned(body)
        let error = #expect(throws: StoreError.self) {
            try shop.perform(.requestAdvancedCommerce(customer: "anna", data: partial))
        }
        #expect(error?.message.hasPrefix("4000140") == true)
        body.removeItems = [.init(sku: "radio")]
        try shop.perform(.requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
        let transaction = try shop.current
        #expect(transaction.advancedCommerceInfo?.period == .p1y)
        #expect(transaction.expiresDate == Period.year.date(after: transaction.purchaseDate))
        // The new period begins now, so the removed item is not charged for it.
        #expect(transaction.advancedCommerceInfo?.items?.map(\.sku) == ["tv.year"])
        #expect(transaction.price == 50_000)
    }

    @Test func `A change of the period at the next renewal does not lengthen a period that begins now`() throws {
        var shop = try AdvancedCommerceStore()
        let changes = [("tv", 50_000), ("radio", 20_000)].map { sku, price in
            AdvancedCommerceSubscriptionModifyChangeItem(
                currentSKU: sku, sku: sku + ".year", displayName: sku, description: "d", effective: .nextBillCycle,
                reason: .upgrade, price: Int64(price))
        }
        let body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
            retainBillingCycle: false,
            addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)], changeItems: changes,
            periodChange: .init(effective: .nextBillCycle, period: .p1y))
        try shop.perform(.requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
        let first = try shop.current
        #expect(first.advancedCommerceInfo?.period == .p1m && first.price == 11_000)
        #expect(first.expiresDate == Period.month.date(after: first.purchaseDate))
        shop.advance(days: 35)
        let second = try shop.current
        #expect(second.advancedCommerceInfo?.period == .p1y && second.price == 74_000)
        #expect(second.expiresDate == Period.year.date(after: second.purchaseDate))
    }

    @Test(arguments: [true, false])
    func `An item that an earlier request removed is not charged for a period that begins at once`(
        _ wasReactivated: Bool
    ) throws {
        var shop = try AdvancedCommerceStore()
        if wasReactivated {
            let body = AdvancedCommerceSubscriptionReactivateInAppRequest(
                requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
                items: [.init(sku: "tv")])
            try shop.perform(.cancel(customer: "anna", subscription: shop.subscription))
            try shop.perform(
                .requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
        }
        for (retains, sku) in [(true, "book"), (false, "map")] {
            let body = AdvancedCommerceSubscriptionModifyInAppRequest(
                requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
                retainBillingCycle: retains,
                addItems: [.init(sku: sku, displayName: "b", description: "d", price: 4000)],
                removeItems: retains && !wasReactivated ? [.init(sku: "radio")] : nil)
            try shop.perform(
                .requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
            // The running period, in which the removed item is paid, ends only with the second request.
            #expect(try shop.current.advancedCommerceInfo?.items?.contains { $0.sku == "radio" } == retains)
        }
        #expect(try shop.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "book", "map"])
        #expect(try shop.current.price == 13_000)
    }

    @Test func `A modification that is paid at once clears an earlier billing failure`() throws {
        var shop = try AdvancedCommerceStore()
        try shop.perform(.failBilling(customer: "anna", subscription: shop.subscription))
        let body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
            retainBillingCycle: false,
            addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)])
        try shop.perform(.requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
        shop.advance(days: 35)
        #expect(shop.notificationNames(from: 2) == ["DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_RENEW"])
    }

    @Test func `A modification excludes revoked items, and is refused in another currency`() throws {
        var shop = try AdvancedCommerceStore()
        try shop.send(
            .requestRefund, nil, AdvancedCommerceCodeTests.refund("radio", #""refundType":"FULL","revoke":true"#))
        shop.advance(days: 1)
        var body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
            retainBillingCycle: false,
            addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)])
        body.currency = "EUR"
        let foreign = try AdvancedCommerceStore.unsigned(body)
        let error = #expect(throws: StoreError.self) {
            try shop.perform(.requestAdvancedCommerce(customer: "anna", data: foreign))
        }
        #expect(error?.message.hasPrefix("4000053") == true)
        body.currency = "USD"
        try shop.perform(.requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
        #expect(try shop.current.advancedCommerceInfo?.items?.map(\.sku) == ["tv", "book"])
        #expect(try shop.current.price == 9000)
    }

    @Test func `A modification keeps earlier refunds only if it retains the billing cycle`() throws {
        for retains in [true, false] {
            var shop = try AdvancedCommerceStore()
            try shop.send(
                .requestRefund, nil,
                AdvancedCommerceCodeTests.refund("tv", #""refundType":"CUSTOM","refundAmount":1000,"revoke":false"#))
            shop.advance(days: 1)
            let body = AdvancedCommerceSubscriptionModifyInAppRequest(
                requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
                retainBillingCycle: retains,
                addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)])
            try shop.perform(.requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
            let id = try shop.current.transactionId
            #expect(id != shop.subscription)
            try shop.send(.requestRefund, id, AdvancedCommerceCodeTests.refund("tv", AdvancedCommerceCodeTests.full))
            let refunds = try shop.current.advancedCommerceInfo?.items?.first?.refunds
            #expect(refunds?.map(\.refundAmount) == (retains ? [1000, 4000] : [5000]))
        }
    }

    @Test func `After a storefront change, a modification uses the currency of the new storefront`() throws {
        var shop = try AdvancedCommerceStore()
        try shop.perform(.changeStorefront(customer: "anna", storefront: "DEU"))
        var body = AdvancedCommerceSubscriptionModifyInAppRequest(
            requestInfo: .init(requestReferenceId: shop.reference()), transactionId: shop.subscription,
            retainBillingCycle: false,
            addItems: [.init(sku: "book", displayName: "b", description: "d", price: 4000)])
        body.currency = "USD"
        let foreign = try AdvancedCommerceStore.unsigned(body)
        let error = #expect(throws: StoreError.self) {
            try shop.perform(.requestAdvancedCommerce(customer: "anna", data: foreign))
        }
        #expect(error?.message.hasPrefix("4000053") == true)
        body.currency = "EUR"
        try shop.perform(.requestAdvancedCommerce(customer: "anna", data: try AdvancedCommerceStore.unsigned(body)))
        #expect(try shop.current.currency == "EUR")
    }
}
