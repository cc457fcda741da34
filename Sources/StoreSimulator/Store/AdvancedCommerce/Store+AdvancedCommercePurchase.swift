internal import AppStoreModels
internal import Basics
internal import Foundation

// Purchases of generic products, whose contents come with each request.

extension Store {
    static func json(_ request: some Encodable) throws(StoreError) -> [UInt8] {
        do { return Array(try JSONEncoder().encode(request)) } catch {
            throw StoreError(.invalidArgument, "the request cannot be written as JSON")
        }
    }

    /// Runs `body` and converts its `APIFailure` to a `StoreError`.
    static func mappingAPIFailure<Value>(_ body: () throws(APIFailure) -> Value) throws(StoreError) -> Value {
        do throws(APIFailure) { return try body() } catch { throw StoreError(error) }
    }

    private struct Operation: Decodable { let operation: AdvancedCommerceOperation }

    /// Carries out an in-app request, given as JSON.
    mutating func performInApp(
        _ request: [UInt8], for customer: String, _ product: String?, at now: Date
    ) throws(StoreError) -> Subject {
        let checks = AdvancedCommerceChecks(environment: environment)
        switch (try? StrictJSONDecoder.decode(Operation.self, from: request))?.operation {
        case .createOneTimeCharge?:
            let order = try Self.mappingAPIFailure { () throws(APIFailure) in try checks.createOneTimeCharge(request) }
            return try charge(order, for: customer, generic(product, isSubscription: false), at: now)
        case .reactivateSubscription?:
            let body = try Self.mappingAPIFailure { () throws(APIFailure) in try checks.reactivateSubscription(request)
            }
            return try reactivate(body, for: customer, at: now)
        case .modifySubscription?:
            let body = try Self.mappingAPIFailure { () throws(APIFailure) in try checks.modifySubscription(request) }
            return try modify(body, for: customer, at: now)
        default:
            // For any other operation, this check throws the error.
            let order = try Self.mappingAPIFailure { () throws(APIFailure) in try checks.createSubscription(request) }
            return try subscribe(order, for: customer, generic(product, isSubscription: true), at: now)
        }
    }

    private func generic(_ id: String?, isSubscription: Bool) throws(StoreError) -> Product {
        guard let id else {
            throw StoreError(.invalidArgument, "product is missing: it must name the generic product to buy")
        }
        let product = try product(id)
        guard product.isAdvancedCommerce, (product.subscription != nil) == isSubscription else {
            let kind = isSubscription ? "subscription" : "one-time charge"
            throw StoreError(.invalidArgument, "\(id) is not a generic product for a \(kind)")
        }
        guard product.isOnSale else { throw StoreError(.notForSale, "\(id) is not for sale") }
        return product
    }

    /// Returns the customer, and creates it if necessary, after the checks that all purchases have in common.
    private mutating func buyer(
        _ id: String, _ info: AdvancedCommerceRequestInfo, storefront: String?, currency: String, at now: Date
    ) throws(StoreError) -> Customer {
        try checkBuyer(id)
        let home = self.storefront(of: id)
        try Self.mappingAPIFailure { () throws(APIFailure) in
            try checkNew(info)
            guard storefront == nil || storefront == home else {
                throw APIFailure(.mismatchedStorefront, "\(id)'s storefront is \(home).")
            }
            try checkCurrency(currency, in: home)
        }
        return addCustomer(id, at: now)
    }

    /// Throws 4000097 if the `requestReferenceId` was used before.
    func checkNew(_ info: AdvancedCommerceRequestInfo) throws(APIFailure) {
        guard advancedCommerceRequests[info.requestReferenceId.text] == nil else {
            throw APIFailure(.repeatedRequestReferenceId, "The requestReferenceId was used before.")
        }
    }

    /// Throws 4000053 if the currency is not that of the storefront. Requests may omit the currency.
    func checkCurrency(_ currency: String?, in storefront: String) throws(APIFailure) {
        let expected = (catalogue.storefront(storefront) ?? .usa).currency
        guard currency == nil || currency == expected else {
            throw APIFailure(.invalidCurrency, "The currency of \(storefront) is \(expected).")
        }
    }

    /// Records a completed request.
    mutating func recordRequest(_ info: AdvancedCommerceRequestInfo, fingerprint: String, transaction: String) {
        advancedCommerceRequests[info.requestReferenceId.text] = .init(
            fingerprint: fingerprint, transaction: transaction)
    }

    private mutating func charge(
        _ order: AdvancedCommerceOneTimeChargeCreateRequest, for id: String, _ product: Product, at now: Date
    ) throws(StoreError) -> Subject {
        let customer = try buyer(id, order.requestInfo, storefront: order.storefront, currency: order.currency, at: now)
        var payload = draft(product, for: customer, at: now, reason: .purchase)
        payload.price = order.item.price
        payload.appAccountToken = order.requestInfo.appAccountToken
        var info = AdvancedCommerceTransactionInfo(
            items: [
                .init(
                    sku: order.item.sku, description: order.item.description, displayName: order.item.displayName,
                    price: order.item.price)
            ], requestReferenceId: order.requestInfo.requestReferenceId.text, taxCode: order.taxCode)
        info.setUntaxedPrice(order.item.price)
        payload.advancedCommerceInfo = info
        let transaction = add(payload, for: id)
        recordRequest(order.requestInfo, fingerprint: "charge", transaction: payload.transactionId)
        announce(.oneTimeCharge, about: transaction, at: now)
        return Subject(customer: id, transaction: payload.transactionId)
    }

    private mutating func subscribe(
        _ order: AdvancedCommerceSubscriptionCreateRequest, for id: String, _ product: Product, at now: Date
    ) throws(StoreError) -> Subject {
        let lapsed = try Self.mappingAPIFailure { () throws(APIFailure) in try previous(order, id, product, at: now) }
        _ = try buyer(id, order.requestInfo, storefront: order.storefront, currency: order.currency, at: now)
        guard let terms = product.subscription, let period = Period(iso8601: order.period.rawValue) else {
            throw StoreError(.invalidArgument, "\(product.id) is not a subscription")
        }
        let reference = order.requestInfo.requestReferenceId.text
        var state = AdvancedCommerceState(
            order.items.map {
                .init(
                    sku: $0.sku, description: $0.description, displayName: $0.displayName, offer: $0.offer,
                    price: $0.price)
            }, descriptors: order.descriptors, period: period, taxCode: order.taxCode, reference: reference)
        state.renewalInfo.consistencyToken = identifiers.uuid()
        var subscription = Subscription(
            customer: id, group: terms.group, ownership: .purchased, owner: nil, renewalProduct: product.id,
            price: state.price, priceProduct: product.id, recentStart: now)
        if let lapsed {
            (subscription.id, subscription.current) = (lapsed.id, lapsed.current)
            subscription.recentStart = lapsed.recentStart
            // The limit of two extensions a year applies to the customer, even after a resubscription.
            subscription.extensions = lapsed.extensions
            subscription.extensionRequests = lapsed.extensionRequests
        }
        updateRecentStart(&subscription, at: now)
        subscription.advancedCommerce = state
        subscription.accountToken = order.requestInfo.appAccountToken ?? lapsed?.accountToken
        begin(&subscription, product, reason: .purchase, at: now)
        save(subscription)
        recordRequest(order.requestInfo, fingerprint: "subscribe", transaction: subscription.current)
        announce(.subscribed, lapsed == nil ? .initialBuy : .resubscribe, about: subscription, at: now)
        return Subject(customer: id, transaction: subscription.current)
    }

    /// Returns the customer's Advanced Commerce subscriptions.
    func advancedCommerceSubscriptions(of customer: String) -> [Subscription] {
        subscriptions(of: customer).filter { $0.advancedCommerce != nil && $0.owner == nil }
    }

    /// Returns the lapsed subscription that the purchase restarts. Throws if another subscription rules the purchase
    /// out.
    private func previous(
        _ order: AdvancedCommerceSubscriptionCreateRequest, _ customer: String, _ product: Product, at now: Date
    ) throws(APIFailure) -> Subscription? {
        let own = advancedCommerceSubscriptions(of: customer)
        let active = own.filter { !isLapsed($0, at: now) }
        guard !active.contains(where: { $0.renewalProduct == product.id }) else {
            throw APIFailure(.subscriptionAlreadyExists, "\(customer) is subscribed to \(product.id).")
        }
        let skus = Set(active.flatMap { $0.advancedCommerce?.renewalInfo.items ?? [] }.compactMap(\.sku))
        if let sku = order.items.map(\.sku).first(where: skus.contains) {
            throw APIFailure(.productAlreadyExists, "\(customer) is subscribed to the item “\(sku)”.")
        }
        guard let id = order.previousTransactionId else { return own.last { $0.renewalProduct == product.id } }
        guard let transaction = transactions[id], transaction.customer == customer else {
            throw APIFailure(.invalidPreviousTransactionID, "The previousTransactionId is not \(customer)'s.")
        }
        guard let lapsed = own.first(where: { $0.id == transaction.payload.originalTransactionId }),
            isLapsed(lapsed, at: now), lapsed.renewalProduct == product.id
        else {
            throw APIFailure(
                .invalidPreviousSubscription,
                "The previous transaction is not of a lapsed subscription to this product.")
        }
        return lapsed
    }
}

extension StoreError {
    /// Creates an error from an API failure.
    init(_ failure: APIFailure) {
        self.init(.refusedRequest, "\(failure.code?.rawValue ?? Int64(failure.status)): \(failure.message)")
    }
}
