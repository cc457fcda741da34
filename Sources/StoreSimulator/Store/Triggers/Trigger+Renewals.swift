internal import AppStoreModels
internal import Foundation

// Events at the end of a period, and price increases.

extension TriggerRun {
    mutating func performRenewalTrigger() throws(StoreError) {
        switch (type, subtype) {
        case (.didRenew, nil): try advance(endingSubscription())
        case (.didRenew, _): try recover()
        case (.didFailToRenew, _): try failToRenew()
        case (.gracePeriodExpired, _): try endGrace()
        case (.expired, .voluntary?): try expireVoluntarily()
        case (.expired, .billingRetry?): try endRetry()
        case (.expired, .priceIncrease?): try expireByPriceIncrease()
        case (.expired, .productNotForSale?): try expireOffSale()
        case (.expired, _): try expireForOtherReason()
        default: try increasePrice()
        }
    }

    /// Returns a subscription whose period ends `lead` before now: a new customer's new one, or the customer's existing
    /// one as it is.
    private mutating func endingSubscription(by lead: TimeInterval = 0) throws(StoreError) -> Subscription {
        if isNew {
            let product = try subscriptionProduct()
            // Round up to the next millisecond, so that an interval of `lead` after `end` is not over yet.
            let end = (now - lead + 0.000_5).wholeMilliseconds
            try subscribe(to: product, at: start(of: product, endingAt: lead > 0 ? end : now))
        }
        return try store.subscription(of: customer, isNew ? nil : request.product)
    }

    /// Makes all charges fail: for a new customer from the middle of the period on, for an existing customer from now
    /// on.
    private mutating func failBilling(_ subscription: Subscription) throws(StoreError) {
        guard store.customers[customer]?.isBillingFailing == false else { return }
        var date = now
        if isNew, let period = store.transactions[subscription.current]?.payload {
            let end = min(period.expiresDate ?? now, now)
            date = period.purchaseDate + end.timeIntervalSince(period.purchaseDate) / 2
        }
        try perform(.failBilling(customer: customer), at: date)
    }

    private mutating func recover() throws(StoreError) {
        if isNew {
            try failBilling(endingSubscription(by: store.settings.rate.billingRetryPeriod / 4))
            store.run(until: now)
        }
        try perform(.fixBilling(customer: customer))
    }

    private mutating func failToRenew() throws(StoreError) {
        if subtype == nil { store.settings.gracePeriod = .off } else { allowGrace() }
        let subscription = try endingSubscription()
        try failBilling(subscription)
        try advance(subscription)
    }

    private mutating func allowGrace() {
        if store.settings.gracePeriod == .off { store.settings.gracePeriod = .sixteenDays }
        store.settings.gracePeriodAppliesToFreeOffers = true
    }

    private mutating func endGrace() throws(StoreError) {
        allowGrace()
        var grace: TimeInterval = 0
        if isNew {
            let period = try subscriptionProduct().subscription?.period ?? .month
            grace = store.settings.rate.gracePeriod(store.settings.gracePeriod, for: period)
        }
        let subscription = try endingSubscription(by: grace)
        if isNew { try failBilling(subscription) }
        try advance(subscription)
    }

    private mutating func expireVoluntarily() throws(StoreError) {
        let subscription = try endingSubscription()
        if isNew || subscription.renewsAutomatically {
            let date = isNew ? instant(0.5, of: subscription) : now
            try perform(.cancel(customer: customer, subscription: subscription.id), at: date)
        }
        try advance(subscription)
    }

    private mutating func endRetry() throws(StoreError) {
        let subscription = try endingSubscription(by: store.settings.rate.billingRetryPeriod)
        try failBilling(subscription)
        // The steps are the failed renewal, the end of the grace period and the end of billing retry.
        try advance(subscription, steps: 3)
    }

    private mutating func expireByPriceIncrease() throws(StoreError) {
        let subscription = try endingSubscription()
        if subscription.pendingIncrease == nil {
            try raisePrice(of: subscription, consent: true, at: isNew ? instant(0.5, of: subscription) : now)
        }
        try advance(subscription)
    }

    /// The catalogue is restored after the trigger, so the product is off sale for no other customer.
    private mutating func expireOffSale() throws(StoreError) {
        let subscription = try endingSubscription()
        try perform(.removeFromSale(product: subscription.nextProduct))
        try advance(subscription)
    }

    private mutating func expireForOtherReason() throws(StoreError) {
        let subscription = try endingSubscription()
        guard subscription.owner == nil, store.status(of: subscription, at: now - 0.001) != .revoked,
            !subscription.isOver
        else { throw StoreError(.impossibleTransition, "\(customer)'s subscription has ended already") }
        for holder in store.holders(of: subscription) {
            let expires = store.transactions[holder.current]?.payload.expiresDate ?? now
            if expires > now { store.change(holder.current) { $0.expiresDate = now } }
        }
        store.expire(subscription.id, .other, nil, at: now)
        // The scheduled end of the period has no effect any more.
        store.run(until: now)
    }

    private mutating func increasePrice() throws(StoreError) {
        let subscription = try subscription()
        guard subtype == .accepted else { return try raisePrice(of: subscription, consent: true, at: now) }
        if isNew { try raisePrice(of: subscription, consent: true, at: instant(0.5, of: subscription)) }
        guard isNew || subscription.pendingIncrease != nil else {
            // If no consent is required, the notice is already `ACCEPTED`.
            return try raisePrice(of: subscription, consent: false, at: now)
        }
        try perform(.acceptPrice(customer: customer, subscription: subscription.id))
    }
}
