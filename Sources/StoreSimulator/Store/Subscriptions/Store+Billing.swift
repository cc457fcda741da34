internal import AppStoreModels
internal import Foundation

extension Store {
    mutating func failBilling(of id: String, _ selector: String?, recovers: Bool) throws(StoreError) -> Subject {
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
            guard customer.isBillingFailing || subscriptions(of: id).contains(where: \.isBillingFailing) else {
                throw StoreError(.impossibleTransition, "\(id)'s payment method works already")
            }
            return Subject(customer: id, transaction: restoreBilling(of: customer, at: now))
        }
        let subscription = try paidSubscription(of: id, selector)
        guard subscription.isBillingFailing else {
            throw StoreError(.impossibleTransition, "the charges of \(subscription.id) work already")
        }
        return Subject(customer: id, transaction: restoreBilling(of: subscription, at: now))
    }

    private func paidSubscription(of customer: String, _ selector: String) throws(StoreError) -> Subscription {
        let subscription = try subscription(of: customer, selector)
        guard subscription.ownership == .purchased else {
            throw StoreError(.impossibleTransition, "\(customer) does not pay for \(subscription.id)")
        }
        return subscription
    }

    /// Makes all charges of a customer succeed again and charges owed payments. Returns the transaction of the last
    /// recovered subscription.
    @discardableResult
    private mutating func restoreBilling(of customer: Customer, at now: Date) -> String? {
        customers[customer.id]?.isBillingFailing = false
        customers[customer.id]?.billingRecovers = false
        var recovered: String?
        for subscription in subscriptions(of: customer.id) where subscription.owner == nil {
            let current = restoreBilling(of: subscription, at: now)
            if current != subscription.current { recovered = current }
        }
        return recovered
    }

    /// Makes the charges of a subscription succeed again and charges an owed payment. Returns its current transaction.
    @discardableResult
    mutating func restoreBilling(of subscription: Subscription, at now: Date) -> String? {
        subscriptions[subscription.id]?.isBillingFailing = false
        subscriptions[subscription.id]?.billingRecovers = false
        if subscription.retryEnds != nil, let restored = subscriptions[subscription.id], !isFailing(restored) {
            recover(restored, at: now)
        }
        return subscriptions[subscription.id]?.current
    }

    /// Whether charges for the subscription fail. Family members and holders of assigned seats do not pay.
    func isFailing(_ subscription: Subscription) -> Bool {
        guard subscription.ownership == .purchased else { return false }
        return subscription.isBillingFailing || customers[subscription.customer]?.isBillingFailing == true
    }

    /// The days after a failed renewal on which the store tries to charge again. Apple documents no such list.
    package static let retryDays: [Double] = [1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 56]

    /// Schedules the attempt that succeeds, if the customer's funds are only temporarily insufficient.
    mutating func scheduleRecovery(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id] else { return }
        let customer = customers[subscription.customer]
        guard subscription.billingRecovers || customer?.isBillingFailing == true && customer?.billingRecovers == true
        else { return }
        let attempt = Int(seededFraction("recovery " + id, now) * Double(Self.retryDays.count))
        let date = now.after(settings.rate.shortened(Self.retryDays[min(attempt, Self.retryDays.count - 1)] * 86_400))
        guard let ends = subscription.retryEnds, date > now, date < ends else { return }
        subscriptions[id]?.recovery = date
        schedule.add(.recovery(id), at: date)
    }

    /// Carries out the scheduled attempt that succeeds.
    mutating func recoverAutomatically(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id], subscription.recovery == now, subscription.retryEnds != nil else {
            return
        }
        subscriptions[id]?.recovery = nil
        guard let customer = customers[subscription.customer], customer.isBillingFailing, customer.billingRecovers
        else {
            restoreBilling(of: subscription, at: now)
            return
        }
        restoreBilling(of: customer, at: now)
    }

    /// Charges the owed renewal. In the grace period the new period begins on the original renewal date, afterwards it
    /// begins now.
    mutating func recover(_ subscription: Subscription, at now: Date) {
        let due = transactions[subscription.current]?.payload.expiresDate ?? now
        guard let product = renewalProduct(of: subscription),
            let length = nextLength(of: subscription, product, from: due)
        else {
            return expire(subscription.id, .productNotAvailable, .productNotForSale, at: now)
        }
        // If periods are shorter than the grace period, the owed period may have ended; a new one then begins now.
        let keepsCycle = subscription.graceEnds != nil && settings.rate.end(of: length, from: due) > now
        renew(subscription.id, from: keepsCycle ? due : now, .billingRecovery, at: now)
    }

    mutating func changeStorefront(of id: String, to code: String, at now: Date) throws(StoreError) -> Subject {
        let customer = try customer(id)
        _ = try knownStorefronts([code])
        guard customer.storefront != code else {
            throw StoreError(.impossibleTransition, "\(id) is in the storefront \(code) already")
        }
        customers[id]?.storefront = code
        for subscription in subscriptions(of: id)
        where subscription.ownership == .purchased && subscription.advancedCommerce == nil {
            guard let product = catalogue.product(subscription.priceProduct) else { continue }
            // The new storefront has a price of its own, and a price increase applied to the old storefront. Only
            // billing plans have one price everywhere.
            let plan =
                subscription.commitment?.plan
                ?? product.subscription?.billingPlans.first { $0.type == subscription.plan }
            let price = plan?.price ?? product.price(in: code)
            subscriptions[subscription.id]?.price = price
            subscriptions[subscription.id]?.priceIncrease = nil
            // A refund of the prepaid period restores these.
            if let before = subscription.beforeCharge {
                let isSame = before.priceProduct == subscription.priceProduct
                let other =
                    before.commitment?.plan.price ?? catalogue.product(before.priceProduct)?.price(in: code)
                    ?? before.price
                subscriptions[subscription.id]?.beforeCharge?.price = isSame ? price : other
                subscriptions[subscription.id]?.beforeCharge?.priceIncrease = nil
            }
            // The next renewal may cost more by a price change of the new storefront.
            schedulePriceNotice(subscription.id, at: now)
        }
        return Subject(customer: id)
    }

    mutating func increasePrice(
        of id: String, to price: Int64, needsConsent: Bool, for customer: String?, at now: Date
    ) throws(StoreError) -> Subject {
        let product = try product(id)
        guard product.subscription != nil else {
            throw StoreError(.invalidArgument, "\(id) is not an auto-renewable subscription")
        }
        try PriceParser.check(price)
        if let customer { _ = try self.customer(customer) }
        guard customer != nil || price > product.price else {
            throw StoreError(
                .impossibleTransition, "the new price must be higher than the price of \(id), \(product.price)")
        }
        let subscribers = subscribers(of: id, at: now).filter {
            customer == $0.customer || customer == nil && product.prices[storefront(of: $0.customer)] == nil
        }
        // Billing plans have separate prices.
        let affected = subscribers.filter {
            $0.plan == nil && $0.price < price && $0.priceIncrease == nil && $0.renewsAutomatically
        }
        guard customer == nil || !affected.isEmpty else {
            throw StoreError(
                .impossibleTransition,
                "the customer is not subscribed, does not renew, knows of an increase, pays as much, or has a billing plan"
            )
        }
        if customer == nil {
            catalogue.change(id) { $0.price = price }
            // The other subscribers, such as those whose renewal is off, are notified once they can renew at the price.
            priceCampaigns.append(
                PriceCampaign(
                    number: priceCampaigns.count + 1, product: id, price: price, effective: now, consent: needsConsent,
                    storefronts: nil, preservesPrices: false, isEffective: true, isRaise: true))
        }
        for subscription in affected {
            subscriptions[subscription.id]?.priceIncrease = .init(
                price: price, isAccepted: !needsConsent, needsConsent: needsConsent)
            announce(.priceIncrease, needsConsent ? .pending : .accepted, about: subscription.id, at: now)
        }
        return Subject(customer: customer, transaction: customer == nil ? nil : affected.first?.current)
    }

    /// Returns the active purchased subscriptions to a product that renew into it, in the order in which they began.
    func subscribers(of product: String, at now: Date) -> [Subscription] {
        purchasedSubscriptions {
            $0.advancedCommerce == nil && $0.renewalProduct == product
                && transactions[$0.current]?.payload.productId == product && status(of: $0, at: now) == .active
        }
    }

    /// Returns the purchased subscriptions that `fits` accepts, in the order in which they began.
    func purchasedSubscriptions(where fits: (Subscription) -> Bool) -> [Subscription] {
        subscriptions.values.filter { $0.ownership == .purchased && fits($0) }
            .sorted { ($0.id.utf8.count, $0.id) < ($1.id.utf8.count, $1.id) }
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
