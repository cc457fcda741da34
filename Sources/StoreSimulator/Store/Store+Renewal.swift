internal import AppStoreModels
package import Foundation

// What happens by itself.

extension Store {
    /// When something happens by itself next.
    package var next: Date? { schedule.next }

    /// Lets everything happen that is due by `date`, in order.
    package mutating func run(until date: Date) {
        while let entry = schedule.pop(dueBy: date) { happen(entry) }
    }

    /// Lets the next thing happen, if it is due by `date`.
    package mutating func runNext(dueBy date: Date) -> Bool {
        guard let entry = schedule.pop(dueBy: date) else { return false }
        happen(entry)
        return true
    }

    private mutating func happen(_ entry: Schedule.Entry) {
        switch entry.event {
        case .subscription(let id):
            // Whatever changed the plan has made another entry.
            guard let subscription = subscriptions[id], subscription.due == entry.date else { return }
            proceed(subscription, at: entry.date)
        case .refundDecision(let id): decideRefund(id, at: entry.date)
        case .massExtension(let id): finishMassExtension(id, at: entry.date)
        case .externalPurchaseToken(let id): remindOfToken(id, at: entry.date)
        case .delivery: return
        }
    }

    private mutating func proceed(_ subscription: Subscription, at now: Date) {
        subscriptions[subscription.id]?.due = nil
        if let retryEnds = subscription.retryEnds {
            if retryEnds <= now { return expire(subscription.id, .billingError, .billingRetry, at: now) }
            if let graceEnds = subscription.graceEnds, graceEnds <= now { endGrace(subscription, at: now) }
            return
        }
        endPeriod(subscription, at: now)
    }

    /// Renews, or does not, at the end of a paid period.
    private mutating func endPeriod(_ subscription: Subscription, at now: Date) {
        guard let current = transactions[subscription.current]?.payload, current.revocationDate == nil else { return }
        let isCommitted = subscription.commitment.map { $0.ends > now } ?? false
        guard subscription.renewsAutomatically || isCommitted else {
            return expire(subscription.id, .customerCancelled, .voluntary, at: now)
        }
        if let increase = subscription.priceIncrease, !increase.isAccepted {
            return expire(subscription.id, .priceIncreaseNotAccepted, .priceIncrease, at: now)
        }
        guard let product = catalogue.product(subscription.renewalProduct), product.isOnSale else {
            return expire(subscription.id, .productNotAvailable, .productNotForSale, at: now)
        }
        if let cap = settings.renewalCap, subscription.renewals >= cap {
            return expire(subscription.id, .customerCancelled, .voluntary, at: now)
        }
        guard customers[subscription.customer]?.isBillingFailing == false else {
            return failToRenew(subscription, current, at: now)
        }
        renew(subscription.id, from: current.expiresDate ?? now, nil, at: now)
    }

    private mutating func failToRenew(
        _ subscription: Subscription, _ current: JWSTransactionDecodedPayload, at now: Date
    ) {
        let period = catalogue.product(current.productId)?.subscription?.period ?? .month
        let isCovered = settings.graceCoversFreeOffers || (current.price ?? 0) > 0
        let hasGrace = settings.gracePeriod != .off && isCovered
        let retryEnds = (now + settings.rate.billingRetry).wholeMilliseconds
        let grace = min(settings.rate.gracePeriod(settings.gracePeriod, for: period), settings.rate.billingRetry)
        let graceEnds = hasGrace ? (now + grace).wholeMilliseconds : nil
        for holder in [subscription] + shares(of: subscription) {
            subscriptions[holder.id]?.retryEnds = retryEnds
            subscriptions[holder.id]?.graceEnds = graceEnds
            subscriptions[holder.id]?.expirationIntent = .billingError
            announce(.didFailToRenew, hasGrace ? .gracePeriod : nil, about: holder.id, at: now)
        }
        setDue(subscription.id, graceEnds ?? retryEnds)
    }

    private mutating func endGrace(_ subscription: Subscription, at now: Date) {
        for holder in [subscription] + shares(of: subscription) {
            subscriptions[holder.id]?.graceEnds = nil
            announce(.gracePeriodExpired, about: holder.id, at: now)
        }
        if let retryEnds = subscription.retryEnds { setDue(subscription.id, retryEnds) }
    }

    /// Begins the next period, for the purchaser and everybody who shares it.
    mutating func renew(_ id: String, from start: Date, _ subtype: NotificationSubtype?, at now: Date) {
        guard let subscription = subscriptions[id], let product = catalogue.product(subscription.renewalProduct) else {
            return
        }
        for holder in [subscription] + shares(of: subscription) {
            if holder.owner != nil, !product.isFamilyShareable {
                revoke(holder, reason: .other, at: now)
                continue
            }
            var holder = holder
            holder.prepareRenewal(product, in: customers[holder.customer]?.storefront, rate: settings.rate, from: start)
            begin(&holder, product, reason: .renewal, at: start)
            subscriptions[holder.id] = holder
            announce(.didRenew, subtype, about: holder, at: now)
        }
    }

    /// Ends a subscription for good, for the purchaser and everybody who shares it.
    mutating func expire(
        _ id: String, _ intent: ExpirationIntent, _ subtype: NotificationSubtype?, at now: Date
    ) {
        guard let subscription = subscriptions[id] else { return }
        for holder in [subscription] + shares(of: subscription) {
            subscriptions[holder.id]?.expirationIntent = intent
            subscriptions[holder.id]?.renewsAutomatically = false
            subscriptions[holder.id]?.retryEnds = nil
            subscriptions[holder.id]?.graceEnds = nil
            subscriptions[holder.id]?.nextOffer = nil
            subscriptions[holder.id]?.due = nil
            announce(.expired, subtype, about: holder.id, at: now)
        }
    }

    /// Plans the next thing that happens to a subscription by itself.
    mutating func setDue(_ id: String, _ date: Date) {
        subscriptions[id]?.due = date
        schedule.add(.subscription(id), at: date)
    }

    mutating func hasten(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let subscription = try subscription(of: customer, selector)
        guard subscription.owner == nil, subscription.due != nil else {
            throw StoreError(.impossibleTransition, "nothing happens to the subscription by itself any more")
        }
        if subscription.retryEnds == nil {
            for holder in [subscription] + shares(of: subscription) { change(holder.current) { $0.expiresDate = now } }
        } else if subscription.graceEnds != nil {
            subscriptions[subscription.id]?.graceEnds = now
        } else {
            subscriptions[subscription.id]?.retryEnds = now
        }
        setDue(subscription.id, now)
        run(until: now)
        return Subject(customer: customer, transaction: subscriptions[subscription.id]?.current)
    }
}

extension Subscription {
    /// Settles offer, price and commitment of the period that begins.
    fileprivate mutating func prepareRenewal(
        _ product: Product, in storefront: String?, rate: RenewalRate, from start: Date
    ) {
        if let nextOffer {
            offer = RunningOffer(offer: nextOffer, periodsBegun: 1)
        } else if let running = offer, running.hasMore {
            offer?.periodsBegun = running.periodsBegun + 1
        } else {
            offer = nil
        }
        nextOffer = nil
        if product.id != priceProduct { price = product.price(in: storefront ?? Storefront.usa.code) }
        if let priceIncrease { price = priceIncrease.price }
        priceProduct = product.id
        priceIncrease = nil
        if advancedCommerce?.beginNextPeriod() != nil { price = advancedCommerce?.price ?? price }
        expirationIntent = nil
        retryEnds = nil
        graceEnds = nil
        renewals += 1
        if let plan = commitment, let terms = product.subscription {
            if plan.periodNumber < plan.totalPeriods {
                commitment?.periodNumber += 1
            } else {
                commitment?.periodNumber = 1
                commitment?.ends = rate.end(of: terms.period, from: start)
            }
        }
    }
}

extension Subscription.RunningOffer {
    /// Whether the next period is part of the offer too.
    var hasMore: Bool { offer.isBilledByPeriod && periodsBegun < offer.periodCount }
}
