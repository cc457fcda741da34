internal import AppStoreModels
internal import Foundation

// A4: an ordinary subscription becomes one with contents of the developer's.

extension Store {
    mutating func migrate(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIAnswer {
        let body = try advancedCommerceChecks.migrate(Array(request.body))
        if let answer = try repetition(request, body.requestInfo, at: now) { return answer }
        let transaction = try bought(request)
        let old = try subscription(of: transaction)
        guard old.advancedCommerce == nil, migrations[old.id] == nil else {
            throw APIFailure(.subscriptionAlreadyMigrated, "It is an Advanced Commerce subscription already.")
        }
        try check(body.requestInfo, storefront: body.storefront, of: transaction)
        let (current, product) = try migrated(old, at: now)
        let target = try self.target(body, for: old, at: now)
        guard (body.renewalItems != nil) == (old.renewalProduct != product.id) else {
            throw APIFailure(
                .pendingChangesMismatch, "renewalItems are needed where a change of plan waits, and nowhere else.")
        }
        let new = begin(body, old, current, product, target, at: now)
        announce(.migration, about: new, at: now)
        return try finish(request, body.requestInfo, new.current, at: now)
    }

    /// The transaction and the product of a subscription that can be migrated.
    private func migrated(
        _ old: Subscription, at now: Date
    ) throws(APIFailure) -> (StoredTransaction, Product) {
        // What is paid ahead would begin under the old identifier.
        guard status(of: old, at: now) == .active, !isPaidAhead(old, at: now), let current = transactions[old.current]
        else {
            throw APIFailure(.inactiveACASub, "The subscription is not active.")
        }
        guard let product = catalogue.product(current.payload.productId), product.subscription != nil,
            catalogue.product(old.renewalProduct) != nil
        else { throw APIFailure(.productNotFound, "The app has no product \(current.payload.productId).") }
        guard old.commitment == nil else {
            throw APIFailure(.subscriptionNotEligible, "The customer is committed to more payments.")
        }
        guard old.priceIncrease == nil else {
            throw APIFailure(
                .migrationNotAllowedWhenPriceIncreaseCommunicated, "The customer knows of another price already.")
        }
        guard customers[old.customer]?.storefront == current.payload.storefront else {
            throw APIFailure(.storefrontChange, "The customer has moved to another storefront since.")
        }
        return (current, product)
    }

    private func target(
        _ body: AdvancedCommerceSubscriptionMigrateRequest, for old: Subscription, at now: Date
    ) throws(APIFailure) -> Product {
        guard let target = catalogue.product(body.targetProductId) else {
            throw APIFailure(.productNotFound, "The app has no product \(body.targetProductId).")
        }
        guard target.isAdvancedCommerce, target.subscription != nil else {
            throw APIFailure(.invalidTargetProductID, "\(target.id) is not a generic subscription.")
        }
        guard target.isOnSale else { throw APIFailure(.productNotEligible, "\(target.id) is not for sale.") }
        let others = advancedCommerceSubscriptions(of: old.customer).filter { !isLapsed($0, at: now) }
        guard !others.contains(where: { $0.renewalProduct == target.id }) else {
            throw APIFailure(.subscriptionAlreadyExists, "The customer is subscribed to \(target.id) already.")
        }
        return target
    }

    /// The new subscription in the place of the old. The period goes on, and nothing is charged until it ends.
    private mutating func begin(
        _ body: AdvancedCommerceSubscriptionMigrateRequest, _ old: Subscription, _ current: StoredTransaction,
        _ product: Product, _ target: Product, at now: Date
    ) -> Subscription {
        let renewal = catalogue.product(old.renewalProduct) ?? product
        let length = product.subscription?.period ?? .month
        let descriptors = AdvancedCommerceDescriptors(
            description: body.descriptors.description, displayName: body.descriptors.displayName)
        // The request has no prices: what the customer pays stays, and the first item has all of it.
        var state = AdvancedCommerceState(
            priced(body.items.map { ($0.sku, $0.displayName, $0.description) }, old.price), descriptors: descriptors,
            period: .init(rawValue: length.iso8601), length: length, taxCode: body.taxCode,
            reference: body.requestInfo.requestReferenceId.text)
        if let items = body.renewalItems, let terms = renewal.subscription {
            let price = renewal.price(in: customers[old.customer]?.storefront ?? Storefront.usa.code)
            state.renewalInfo.items = priced(items.map { ($0.sku, $0.displayName, $0.description) }, price)
            state.renewalInfo.period = .init(rawValue: terms.period.iso8601)
            state.period = terms.period
        }
        state.renewalInfo.consistencyToken = identifiers.uuid()
        var new = Subscription(
            id: "", customer: old.customer, group: target.subscription?.group ?? "", ownership: .purchased, owner: nil,
            current: "", renewalProduct: target.id, price: state.price, priceProduct: target.id,
            streakStart: old.streakStart)
        new.renewsAutomatically = old.renewsAutomatically
        new.renewals = old.renewals
        new.advancedCommerce = state
        new.accountToken = body.requestInfo.appAccountToken ?? old.accountToken
        retire(old, at: now)
        let transaction = begin(&new, target, reason: .purchase, at: now)
        let expires = current.payload.expiresDate ?? now
        change(transaction) {
            $0.expiresDate = expires
            $0.price = 0
            $0.previousOriginalTransactionId = old.id
        }
        migrations[old.id] = new.id
        subscriptions[new.id] = new
        customers[old.customer]?.subscriptions.append(new.id)
        setDue(new.id, expires)
        return subscriptions[new.id] ?? new
    }

    private func priced(
        _ items: [(sku: String, displayName: String, description: String)], _ price: Int64
    ) -> [AdvancedCommerceRenewalItem] {
        items.enumerated().map { index, item in
            AdvancedCommerceRenewalItem(
                sku: item.sku, description: item.description, displayName: item.displayName,
                price: index == 0 ? price : 0)
        }
    }

    /// Ends the old subscription in silence: the notification about the new one says what has happened.
    private mutating func retire(_ old: Subscription, at now: Date) {
        for share in shares(of: old) { revoke(share, reason: .other, at: now) }
        change(old.current) { $0.isUpgraded = true }
        subscriptions[old.id]?.renewsAutomatically = false
        subscriptions[old.id]?.expirationIntent = .other
        subscriptions[old.id]?.nextOffer = nil
        subscriptions[old.id]?.due = nil
    }
}
