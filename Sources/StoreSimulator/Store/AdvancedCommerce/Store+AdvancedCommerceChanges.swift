internal import AppStoreModels
internal import Foundation

// Customers' changes to their Advanced Commerce subscriptions, by requests that the developer's server has signed.

extension Store {
    /// Returns the customer's active subscription that an in-app request names.
    private func target(
        _ id: String, of customer: String, storefront: String?, _ info: AdvancedCommerceRequestInfo, at now: Date
    ) throws(APIFailure) -> (Subscription, AdvancedCommerceState) {
        try checkNew(info)
        guard let transaction = transactions[id], transaction.customer == customer else {
            throw APIFailure(.invalidTransactionId, "The transactionId is not \(customer)'s.")
        }
        let (subscription, state) = try advancedCommerce(transaction, or: .subscriptionDoesNotExist)
        try check(info, storefront: storefront, of: transaction)
        guard status(of: subscription, at: now) == .active else {
            throw APIFailure(.subscriptionNotEligible, "The subscription is not active.")
        }
        return (subscription, state)
    }

    mutating func reactivate(
        _ body: AdvancedCommerceSubscriptionReactivateInAppRequest, for customer: String, at now: Date
    ) throws(StoreError) -> Subject {
        let (subscription, state) = try Self.mappingAPIFailure { () throws(APIFailure) in
            let (subscription, state) = try target(
                body.transactionId, of: customer, storefront: body.storefront, body.requestInfo, at: now)
            guard !subscription.renewsAutomatically else {
                throw APIFailure(.subscriptionAlreadyActive, "The subscription renews as it is.")
            }
            guard subscription.hasItemsToRenew else {
                throw APIFailure(.subscriptionNotEligible, "No item is left that could renew.")
            }
            return (subscription, state)
        }
        var new = state
        if let items = body.items {
            let skus = Set(items.map(\.sku))
            let known = Set((state.renewalInfo.items ?? []).compactMap(\.sku))
            guard skus.isSubset(of: known) else {
                throw StoreError(APIFailure(.invalidSKU, "The subscription has no such item."))
            }
            new.renewalInfo.items?.removeAll { !skus.contains($0.sku ?? "") }
            new.endRunning(known.subtracting(skus).sorted())
        }
        replace(new, of: subscription, because: body.requestInfo)
        subscriptions[subscription.id]?.renewsAutomatically = true
        recordRequest(body.requestInfo, fingerprint: "reactivate", transaction: subscription.current)
        announce(.didChangeRenewalStatus, .autoRenewEnabled, about: subscription.id, at: now)
        return Subject(customer: customer, transaction: subscription.current)
    }

    mutating func modify(
        _ body: AdvancedCommerceSubscriptionModifyInAppRequest, for customer: String, at now: Date
    ) throws(StoreError) -> Subject {
        let (subscription, old, change) = try Self.mappingAPIFailure { () throws(APIFailure) in
            let (subscription, state) = try target(
                body.transactionId, of: customer, storefront: body.storefront, body.requestInfo, at: now)
            // A charge now uses the currency of the customer's current storefront.
            try checkCurrency(body.currency, in: storefront(of: customer))
            return (subscription, state, try AdvancedCommerceModification(body, state))
        }
        if change.isImmediate { try checkBuyer(customer) }
        var new = change.state
        new.renewalInfo.consistencyToken = identifiers.uuid()
        var changed = subscription
        changed.renewsAutomatically = true
        changed.advancedCommerce = new
        let product = change.isImmediate ? subscriptionProduct(subscription.renewalProduct) : nil
        if let product {
            beginPeriod(of: &changed, product, change, retainsBillingCycle: body.retainBillingCycle, at: now)
        } else if new.transactionInfo.descriptors != old.transactionInfo.descriptors {
            // Changed names may take effect immediately.
            self.change(subscription.current) { $0.advancedCommerceInfo = new.transactionInfo }
        }
        subscriptions[changed.id] = changed
        recordRequest(body.requestInfo, fingerprint: "modify", transaction: changed.current)
        announce(.didChangeRenewalPref, product == nil ? .downgrade : .upgrade, about: changed, at: now)
        return Subject(customer: customer, transaction: changed.current)
    }

    /// Begins a period with the changed contents now instead of at the renewal.
    private mutating func beginPeriod(
        of subscription: inout Subscription, _ product: Product, _ change: AdvancedCommerceModification,
        retainsBillingCycle: Bool, at now: Date
    ) {
        let expires = transactions[subscription.current]?.payload.expiresDate
        let anchorDay = subscription.anchorDay
        self.change(subscription.current) { $0.isUpgraded = true }
        // The period that begins now is as long as its contents say. A later change applies to the next one.
        let length = change.state.transactionInfo.period.flatMap { Period(iso8601: $0.rawValue) }
        if let length { subscription.advancedCommerce?.period = length }
        subscription.price = change.state.price
        // A successful payment ends billing failures, as for any purchase.
        subscription.isBillingFailing = false
        subscription.billingRecovers = false
        begin(&subscription, product, reason: .purchase, at: now)
        subscription.advancedCommerce?.period = change.state.period
        guard retainsBillingCycle, let expires else { return }
        // Only the new items are charged, and only until the period ends.
        self.change(subscription.current) {
            $0.expiresDate = expires
            $0.price = change.charge
            $0.advancedCommerceInfo?.setUntaxedPrice(change.charge)
        }
        subscription.advancedCommerce?.transactionInfo.setUntaxedPrice(change.charge)
        subscription.anchorDay = anchorDay
        subscription.due = expires
        schedule.add(.subscription(subscription.id), at: expires)
    }
}
