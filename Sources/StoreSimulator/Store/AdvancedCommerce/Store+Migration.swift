internal import AppStoreModels
internal import Foundation

// Migration of an ordinary subscription to an Advanced Commerce subscription with a new identifier.

extension Store {
    /// Returns the product of a subscription. Throws if the subscription cannot be migrated.
    func migratable(_ old: Subscription, at now: Date) throws(APIFailure) -> Product {
        // A period that was charged in advance would begin under the old identifier.
        guard status(of: old, at: now) == .active, !isPaidAhead(old, at: now), let current = transactions[old.current]
        else {
            throw APIFailure(.inactiveACASub, "The subscription is not active.")
        }
        guard let product = subscriptionProduct(current.payload.productId), catalogue.product(old.renewalProduct) != nil
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
        return product
    }

    /// Replaces a subscription with a new one. The period continues, and nothing is charged until it ends.
    mutating func migrate(
        _ old: Subscription, to target: Product, _ state: AdvancedCommerceState, accountToken: UUID?, at now: Date
    ) -> Subscription {
        let expires = transactions[old.current]?.payload.expiresDate ?? now
        var new = Subscription(
            customer: old.customer, group: target.subscription?.group ?? "", ownership: .purchased, owner: nil,
            renewalProduct: target.id, price: state.price, priceProduct: target.id, recentStart: old.recentStart)
        new.renewsAutomatically = old.renewsAutomatically
        new.renewals = old.renewals
        new.advancedCommerce = state
        new.advancedCommerce?.transactionInfo.setUntaxedPrice(0)
        new.accountToken = accountToken ?? old.accountToken
        retire(old, at: now)
        begin(&new, target, reason: .purchase, at: now)
        change(new.current) {
            $0.expiresDate = expires
            $0.price = 0
            $0.previousOriginalTransactionId = old.id
        }
        new.anchorDay = old.anchorDay
        migrations[old.id] = new.id
        save(new)
        setDue(new.id, expires)
        return subscriptions[new.id] ?? new
    }

    /// Ends the old subscription without a notification: the notification about the new one covers the migration.
    private mutating func retire(_ old: Subscription, at now: Date) {
        for share in shares(of: old) { revoke(share, reason: .other, at: now) }
        change(old.current) { $0.isUpgraded = true }
        subscriptions[old.id]?.stop()
        subscriptions[old.id]?.expirationIntent = .other
    }
}
