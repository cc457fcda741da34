internal import AppStoreModels
internal import Foundation

extension Store {
    mutating func setBilling(
        of id: String, isFailing: Bool, at now: Date
    ) throws(StoreError) -> Subject {
        let customer = try customer(id)
        guard customer.isBillingFailing != isFailing else {
            throw StoreError(
                .impossibleTransition, "\(id)'s payment method \(isFailing ? "fails already" : "works already")")
        }
        customers[id]?.isBillingFailing = isFailing
        var recovered: String?
        if !isFailing {
            for subscription in customer.subscriptions.compactMap({ subscriptions[$0] })
            where subscription.retryEnds != nil && subscription.owner == nil {
                recover(subscription, at: now)
                recovered = subscriptions[subscription.id]?.current
            }
        }
        return Subject(customer: id, transaction: recovered)
    }

    /// Charges what is owed: in the grace period from the day it was due, later from now on.
    private mutating func recover(_ subscription: Subscription, at now: Date) {
        guard let product = renewalProduct(of: subscription), let terms = product.subscription else {
            return expire(subscription.id, .productNotAvailable, .productNotForSale, at: now)
        }
        let due = transactions[subscription.current]?.payload.expiresDate ?? now
        // Periods shorter than the grace period: what is over by now is not sold any more.
        let keepsCycle = subscription.graceEnds != nil && settings.rate.end(of: terms.period, from: due) > now
        renew(subscription.id, from: keepsCycle ? due : now, .billingRecovery, at: now)
    }

    mutating func increasePrice(
        of id: String, to price: Int64, needsConsent: Bool, for customer: String?, at now: Date
    ) throws(StoreError) -> Subject {
        let product = try product(id)
        guard product.subscription != nil else {
            throw StoreError(.invalidArgument, "\(id) is no auto-renewable subscription")
        }
        guard (0...1_000_000_000_000).contains(price) else {
            throw StoreError(.invalidArgument, "a price is 0 to 1,000,000,000,000 thousandths")
        }
        if let customer { _ = try self.customer(customer) }
        guard customer != nil || price > product.price else {
            throw StoreError(.impossibleTransition, "\(id) costs \(product.price) already")
        }
        let subscribers = subscribers(of: id, at: now).filter {
            customer == $0.customer || customer == nil && product.prices[storefront(of: $0)] == nil
        }
        let affected = subscribers.filter { $0.price < price && $0.priceIncrease == nil && $0.renewsAutomatically }
        guard customer == nil || !affected.isEmpty else {
            throw StoreError(
                .impossibleTransition, "nothing to raise: not subscribed, not renewing, notified already, or no less")
        }
        if customer == nil {
            for index in catalogue.products.indices where catalogue.products[index].id == id {
                catalogue.products[index].price = price
            }
        }
        for subscription in affected {
            subscriptions[subscription.id]?.priceIncrease = .init(
                price: price, isAccepted: !needsConsent, needsConsent: needsConsent)
            announce(.priceIncrease, needsConsent ? .pending : .accepted, about: subscription.id, at: now)
        }
        return Subject(customer: customer, transaction: customer == nil ? nil : affected.first?.current)
    }

    private func storefront(of subscription: Subscription) -> String {
        customers[subscription.customer]?.storefront ?? Storefront.usa.code
    }

    /// The active purchasers of a product who renew into it, in the order in which they began.
    func subscribers(of product: String, at now: Date) -> [Subscription] {
        subscriptions.values.filter {
            $0.ownership == .purchased && $0.advancedCommerce == nil && $0.renewalProduct == product
                && transactions[$0.current]?.payload.productId == product && status(of: $0, at: now) == .active
        }.sorted { ($0.id.utf8.count, $0.id) < ($1.id.utf8.count, $1.id) }
    }

    mutating func acceptPrice(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let subscription = try subscription(of: customer, selector)
        guard let increase = subscription.pendingIncrease, !increase.isAccepted,
            status(of: subscription, at: now) == .active
        else { throw StoreError(.impossibleTransition, "\(customer) has no price increase to agree to") }
        subscriptions[subscription.id]?.priceIncrease?.isAccepted = true
        announce(.priceIncrease, .accepted, about: subscription.id, at: now)
        return Subject(customer: customer, transaction: subscription.current)
    }
}
