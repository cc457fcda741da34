internal import AppStoreModels
internal import Foundation

// How transactions are made and changed. Nothing else writes to `transactions`.

extension Store {
    /// A purchase as it is before anything special about it is said. Takes new identifiers.
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
        revision += 1
        let order = identifiers.order()
        var transaction = StoredTransaction(payload: payload, customer: customer, order: order, revision: revision)
        transaction.sharedFrom = sharedFrom
        transactions[payload.transactionId] = transaction
        transactionsByOrder[order] = payload.transactionId
        customers[customer]?.transactions.append(payload.transactionId)
        unheard.add(payload.transactionId)
        return transaction
    }

    /// Changes a transaction, which puts it last in the order of changes.
    mutating func change(_ id: String, _ body: (inout JWSTransactionDecodedPayload) -> Void) {
        guard var transaction = transactions[id] else { return }
        body(&transaction.payload)
        revision += 1
        transaction.revision = revision
        transactions[id] = transaction
        unheard.add(id)
    }

    mutating func finish(_ id: String, _ selector: String?) throws(StoreError) -> Subject {
        let transaction = try transaction(of: id, selector)
        transactions[transaction.payload.transactionId]?.isFinished = true
        return Subject(customer: id, transaction: transaction.payload.transactionId)
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

    /// Ties a purchase to an account. Of a subscription the period that runs has the token, and all that follow, paid ahead
    /// or not, but none before.
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

    /// Sells something else from `now` on. Renewal infos name its prices and offers.
    mutating func sell(_ catalogue: Catalogue, at now: Date) {
        self.catalogue = catalogue
        moveSignature(at: now)
    }

    mutating func setOnSale(_ id: String, _ isOnSale: Bool) throws(StoreError) -> Subject {
        _ = try product(id)
        for index in catalogue.products.indices where catalogue.products[index].id == id {
            catalogue.products[index].isOnSale = isOnSale
        }
        return Subject()
    }
}

extension JWSTransactionDecodedPayload {
    /// Says which offer it was bought with.
    mutating func apply(_ offer: Offer?) {
        guard let offer else { return }
        offerType = offer.type
        offerIdentifier = offer.identifier
        offerDiscountType = offer.discount
        offerPeriod = offer.total?.iso8601
    }
}

extension Offer {
    /// The length of the whole offer.
    var total: Period? { period?.times(periodCount) }

    /// Whether each of its periods is billed; the others are billed, or free, once.
    var isBilledByPeriod: Bool { discount == .payAsYouGo }

    /// What one billing costs.
    var billing: Int64 { discount == .freeTrial ? 0 : price }
}
