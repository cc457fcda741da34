internal import AppStoreModels
internal import Foundation

// Creates and changes transactions. Nothing else writes to `transactions`.

extension Store {
    /// Returns the payload of a purchase with default values and new identifiers.
    mutating func draft(
        _ product: Product, for customer: Customer, at date: Date, reason: TransactionReason,
        ownership: InAppOwnershipType = .purchased
    ) -> JWSTransactionDecodedPayload {
        let id = identifiers.transaction()
        let storefront = catalogue.storefront(customer.storefront) ?? .usa
        var payload = JWSTransactionDecodedPayload(
            transactionId: id, originalTransactionId: id, bundleId: app.bundleID, productId: product.id,
            purchaseDate: date, originalPurchaseDate: date, quantity: 1, type: product.type,
            inAppOwnershipType: ownership, signedDate: date, environment: environment)
        payload.storefront = storefront.code
        payload.storefrontId = storefront.id
        payload.transactionReason = reason
        payload.currency = storefront.currency
        payload.price = 0
        payload.appTransactionId = customer.appTransactionID
        if let terms = product.subscription {
            payload.subscriptionGroupIdentifier = terms.group
            payload.webOrderLineItemId = identifiers.lineItem()
        }
        return payload
    }

    @discardableResult
    mutating func add(
        _ payload: JWSTransactionDecodedPayload, for customer: String, sharedFrom: String? = nil
    ) -> StoredTransaction {
        revision &+= 1
        let order = identifiers.order()
        var transaction = StoredTransaction(payload: payload, customer: customer, order: order, revision: revision)
        transaction.sharedFrom = sharedFrom
        transactions[payload.transactionId] = transaction
        transactionsByOrder[order] = payload.transactionId
        customers[customer]?.transactions.append(payload.transactionId)
        pendingDeviceChanges.transactions.append(payload.transactionId)
        return transaction
    }

    /// Changes a transaction's payload. The transaction becomes the last in the order of changes.
    mutating func change(_ id: String, _ body: (inout JWSTransactionDecodedPayload) -> Void) {
        guard var transaction = transactions[id] else { return }
        body(&transaction.payload)
        revision &+= 1
        transaction.revision = revision
        transactions[id] = transaction
        pendingDeviceChanges.transactions.append(id)
    }

    mutating func setAccountToken(
        _ token: UUID, of customer: String, _ selector: String?, at now: Date
    ) throws(StoreError) -> Subject {
        let transaction = try transaction(of: customer, selector)
        guard transaction.payload.inAppOwnershipType == .purchased else {
            throw StoreError(.impossibleTransition, "only what the customer bought can be tied to an account")
        }
        setAccountToken(token, of: transaction.payload.originalTransactionId, at: now)
        return Subject(customer: customer, transaction: transaction.payload.transactionId)
    }

    /// Sets the `appAccountToken` of a purchase. For a subscription it applies to the current period, to one charged in
    /// advance and to all later ones, but not to earlier ones.
    mutating func setAccountToken(_ token: UUID, of original: String, at now: Date) {
        var ids = [original]
        if let subscription = subscriptions[original] {
            subscriptions[original]?.accountToken = token
            ids = periods(of: subscription, at: now)
        }
        for id in ids where transactions[id]?.payload.appAccountToken != token {
            change(id) { $0.appAccountToken = token }
        }
    }

    /// Replaces the catalogue at `now`. Renewal infos contain its prices and offers.
    mutating func setCatalogue(_ catalogue: Catalogue, at now: Date) {
        self.catalogue = catalogue
        advanceSigningDate(at: now)
    }

    mutating func setOnSale(_ id: String, _ isOnSale: Bool) throws(StoreError) -> Subject {
        _ = try product(id)
        catalogue.change(id) { $0.isOnSale = isOnSale }
        return Subject()
    }
}

extension JWSTransactionDecodedPayload {
    /// Sets the offer fields.
    mutating func apply(_ offer: Offer?) {
        guard let offer else { return }
        offerType = offer.type
        offerIdentifier = offer.identifier
        offerDiscountType = offer.discount
        offerPeriod = offer.total?.iso8601
    }
}

extension Offer {
    /// The total length of the offer.
    var total: Period? { period?.multiplied(by: periodCount) }

    /// Whether each period of the offer is billed separately. Other offers are billed once or are free.
    var isBilledByPeriod: Bool { discount == .payAsYouGo }

    /// The time that one billing covers, or that is free.
    var billedLength: Period? { isBilledByPeriod ? period : total }

    /// The price of one billing.
    var billing: Int64 { discount == .freeTrial ? 0 : price }
}
