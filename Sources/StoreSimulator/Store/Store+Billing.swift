internal import AppStoreModels
internal import Foundation

extension Store {
    mutating func failBilling(
        of id: String, _ selector: String?, recovers: Bool
    ) throws(StoreError) -> Subject {
        let customer = try customer(id)
        guard let selector else {
            guard !customer.isBillingFailing else {
                throw StoreError(.impossibleTransition, "\(id)'s payment method fails already")
            }
            customers[id]?.isBillingFailing = true
            customers[id]?.billingRecovers = recovers
            return Subject(customer: id)
        }
        let subscription = try paidSubscription(of: id, selector)
        guard !subscription.isBillingFailing else {
            throw StoreError(.impossibleTransition, "the charges of \(subscription.id) fail already")
        }
        subscriptions[subscription.id]?.isBillingFailing = true
        subscriptions[subscription.id]?.billingRecovers = recovers
        return Subject(customer: id, transaction: subscription.current)
    }

    mutating func fixBilling(of id: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let customer = try customer(id)
        guard let selector else {
            let own = customer.subscriptions.compactMap { subscriptions[$0] }
            guard customer.isBillingFailing || own.contains(where: \.isBillingFailing) else {
                throw StoreError(.impossibleTransition, "\(id)'s payment method works already")
            }
            return Subject(customer: id, transaction: mendBilling(of: customer, at: now))
        }
        let subscription = try paidSubscription(of: id, selector)
        guard subscription.isBillingFailing else {
            throw StoreError(.impossibleTransition, "the charges of \(subscription.id) work already")
        }
        return Subject(customer: id, transaction: mendBilling(of: subscription, at: now))
    }

    private func paidSubscription(of customer: String, _ selector: String) throws(StoreError) -> Subscription {
        let subscription = try subscription(of: customer, selector)
        guard subscription.ownership == .purchased else {
            throw StoreError(.impossibleTransition, "\(subscription.id) is not for \(customer) to pay")
        }
        return subscription
    }

    /// Lets all charges of a customer work again. Returns the last transaction that was owed.
    @discardableResult
    private mutating func mendBilling(of customer: Customer, at now: Date) -> String? {
        customers[customer.id]?.isBillingFailing = false
        customers[customer.id]?.billingRecovers = false
        var recovered: String?
        for subscription in customer.subscriptions.compactMap({ subscriptions[$0] }) where subscription.owner == nil {
            let current = mendBilling(of: subscription, at: now)
            if current != subscription.current { recovered = current }
        }
        return recovered
    }

    /// Lets the charges of a subscription work again. Returns its current transaction.
    @discardableResult
    mutating func mendBilling(of subscription: Subscription, at now: Date) -> String? {
        subscriptions[subscription.id]?.isBillingFailing = false
        subscriptions[subscription.id]?.billingRecovers = false
        if subscription.retryEnds != nil, let mended = subscriptions[subscription.id], !isFailing(mended) {
            recover(mended, at: now)
        }
        return subscriptions[subscription.id]?.current
    }

    /// Whether a charge of the subscription fails. An assigned seat is not for its holder to pay.
    func isFailing(_ subscription: Subscription) -> Bool {
        guard subscription.ownership == .purchased else { return false }
        return subscription.isBillingFailing || customers[subscription.customer]?.isBillingFailing == true
    }

    /// The days after the failure on which the store tries again. Apple publishes no such list.
    package static let attemptDays: [Double] = [1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 56]

    /// Plans the attempt that succeeds, if the customer only lacks the money.
    mutating func planRecovery(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id] else { return }
        let customer = customers[subscription.customer]
        guard subscription.billingRecovers || customer?.isBillingFailing == true && customer?.billingRecovers == true
        else { return }
        let attempt = Int(chance("recovery " + id, now) * Double(Self.attemptDays.count))
        let date = now.after(
            settings.rate.shortened(Self.attemptDays[min(attempt, Self.attemptDays.count - 1)] * 86_400))
        guard let ends = subscription.retryEnds, date > now, date < ends else { return }
        subscriptions[id]?.recovery = date
        schedule.add(.recovery(id), at: date)
    }

    /// An attempt succeeds: there is money again.
    mutating func recoverByItself(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id], subscription.recovery == now, subscription.retryEnds != nil else {
            return
        }
        subscriptions[id]?.recovery = nil
        guard let customer = customers[subscription.customer], customer.isBillingFailing, customer.billingRecovers
        else {
            mendBilling(of: subscription, at: now)
            return
        }
        mendBilling(of: customer, at: now)
    }

    /// Charges what is owed: in the grace period from the day it was due, later from now on.
    mutating func recover(_ subscription: Subscription, at now: Date) {
        let due = transactions[subscription.current]?.payload.expiresDate ?? now
        guard let product = renewalProduct(of: subscription),
            let length = nextLength(of: subscription, product, from: due)
        else {
            return expire(subscription.id, .productNotAvailable, .productNotForSale, at: now)
        }
        // Periods shorter than the grace period: what is over by now is not sold any more.
        let keepsCycle = subscription.graceEnds != nil && settings.rate.end(of: length, from: due) > now
        renew(subscription.id, from: keepsCycle ? due : now, .billingRecovery, at: now)
    }

    mutating func changeStorefront(of id: String, to code: String) throws(StoreError) -> Subject {
        let customer = try customer(id)
        guard catalogue.storefront(code) != nil else {
            throw StoreError(.unknownStorefront, "the catalogue has no storefront \(code.debugDescription)")
        }
        guard customer.storefront != code else {
            throw StoreError(.impossibleTransition, "\(id) is in the storefront \(code) already")
        }
        customers[id]?.storefront = code
        for subscription in customer.subscriptions.compactMap({ subscriptions[$0] })
        where subscription.ownership == .purchased && subscription.advancedCommerce == nil {
            guard let product = catalogue.product(subscription.priceProduct) else { continue }
            // A price in another currency is another price; what was raised was raised in the old storefront. Only
            // billing plans have one price everywhere.
            let plan =
                subscription.commitment?.plan
                ?? product.subscription?.billingPlans.first { $0.type == subscription.plan }
            subscriptions[subscription.id]?.price = plan?.price ?? product.price(in: code)
            subscriptions[subscription.id]?.priceIncrease = nil
        }
        return Subject(customer: id)
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
        // A billing plan has prices of its own.
        let affected = subscribers.filter {
            $0.plan == nil && $0.price < price && $0.priceIncrease == nil && $0.renewsAutomatically
        }
        guard customer == nil || !affected.isEmpty else {
            throw StoreError(
                .impossibleTransition,
                "nothing to raise: not subscribed, not renewing, notified already, no less, or billed by a plan")
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
