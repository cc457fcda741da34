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
            let removed = known.subtracting(skus).map(new.runningSKU).sorted()
            new.removed = (new.removed ?? []) + removed
            for sku in removed { new.forgetRunning(sku) }
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
        guard change.isImmediate, let product = catalogue.product(subscription.renewalProduct) else {
            changed.advancedCommerce = new
            subscriptions[subscription.id] = changed
            // Changed names may take effect immediately.
            if new.transactionInfo.descriptors != old.transactionInfo.descriptors {
                self.change(subscription.current) { $0.advancedCommerceInfo = new.transactionInfo }
            }
            recordRequest(body.requestInfo, fingerprint: "modify", transaction: subscription.current)
            announce(.didChangeRenewalPref, .downgrade, about: changed, at: now)
            return Subject(customer: customer, transaction: subscription.current)
        }
        let expires = transactions[subscription.current]?.payload.expiresDate
        self.change(subscription.current) { $0.isUpgraded = true }
        // The period that begins now is as long as its contents say. A later change applies to the next one.
        if let length = new.transactionInfo.period.flatMap({ Period(iso8601: $0.rawValue) }) { new.period = length }
        changed.advancedCommerce = new
        changed.price = new.price
        // A successful payment ends billing failures, as for any purchase.
        changed.isBillingFailing = false
        changed.billingRecovers = false
        let transaction = begin(&changed, product, reason: .purchase, at: now)
        changed.advancedCommerce?.period = change.state.period
        if body.retainBillingCycle, let expires {
            // Only the new items are charged, and only until the period ends.
            self.change(transaction) {
                $0.expiresDate = expires
                $0.price = change.charge
                $0.advancedCommerceInfo?.setUntaxedPrice(change.charge)
            }
            changed.advancedCommerce?.transactionInfo.setUntaxedPrice(change.charge)
            changed.anchorDay = subscription.anchorDay
            changed.due = expires
            schedule.add(.subscription(changed.id), at: expires)
        }
        subscriptions[changed.id] = changed
        recordRequest(body.requestInfo, fingerprint: "modify", transaction: transaction)
        announce(.didChangeRenewalPref, .upgrade, about: changed, at: now)
        return Subject(customer: customer, transaction: transaction)
    }
}
