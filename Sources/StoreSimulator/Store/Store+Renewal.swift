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
        defer { updateDevices(at: entry.date) }
        switch entry.event {
        case .subscription(let id):
            // Whatever changed the plan has made another entry.
            guard let subscription = subscriptions[id], subscription.due == entry.date else { return }
            proceed(subscription, at: entry.date)
        case .priceCampaign(let number): begin(number, at: entry.date)
        case .priceNotice(let id): giveNotice(id, at: entry.date)
        case .recovery(let id): recoverByItself(id, at: entry.date)
        case .refundDecision(let id):
            if transactions[id]?.refund?.due == entry.date { decideRefund(id, at: entry.date) }
        case .massExtension(let id): finishMassExtension(id, at: entry.date)
        case .sharing(let id):
            if changesSharing(id, at: entry.date) { updateSharing(id, at: entry.date) }
        case .externalPurchaseToken(let id): remindOfToken(id, at: entry.date)
        case .delivery: return
        }
    }

    private mutating func proceed(_ subscription: Subscription, at now: Date, mayBeLate: Bool = true) {
        subscriptions[subscription.id]?.due = nil
        if let retryEnds = subscription.retryEnds {
            if retryEnds <= now { return expire(subscription.id, .billingError, .billingRetry, at: now) }
            if let graceEnds = subscription.graceEnds, graceEnds <= now { endGrace(subscription, at: now) }
            return
        }
        guard let current = transactions[subscription.current]?.payload, current.revocationDate == nil else { return }
        let expires = current.expiresDate ?? now
        if expires > now {
            // What cannot be charged now is decided when the period ends.
            guard canCharge(subscription) else { return setDue(subscription.id, expires) }
            return renew(subscription.id, from: expires, nil, at: now)
        }
        let late =
            mayBeLate && expires == now
            ? lateness(of: subscription, from: current.purchaseDate, to: expires) : 0
        guard late < 0.001 || !canCharge(subscription) else {
            return setDue(subscription.id, (expires + late).wholeMilliseconds)
        }
        endPeriod(subscription, current, at: now)
    }

    /// Renews, or does not, at the end of a paid period.
    private mutating func endPeriod(
        _ subscription: Subscription, _ current: JWSTransactionDecodedPayload, at now: Date
    ) {
        guard subscription.renewsAutomatically || subscription.isCommitted else {
            return expire(subscription.id, .customerCancelled, .voluntary, at: now)
        }
        if let increase = subscription.pendingIncrease, !increase.isAccepted {
            return expire(subscription.id, .priceIncreaseNotAccepted, .priceIncrease, at: now)
        }
        guard renewalProduct(of: subscription) != nil else {
            return expire(subscription.id, .productNotAvailable, .productNotForSale, at: now)
        }
        if let cap = settings.renewalCap, subscription.renewals >= cap {
            return expire(subscription.id, .customerCancelled, .voluntary, at: now)
        }
        guard !isFailing(subscription) else { return failToRenew(subscription, current, at: now) }
        // Late, it begins when it is charged.
        renew(subscription.id, from: max(current.expiresDate ?? now, now), nil, at: now)
    }

    /// What the subscription renews into, if it still can.
    func renewalProduct(of subscription: Subscription) -> Product? {
        guard let product = catalogue.product(subscription.nextProduct), product.isOnSale, product.subscription != nil
        else { return nil }
        return product
    }

    private mutating func failToRenew(
        _ subscription: Subscription, _ current: JWSTransactionDecodedPayload, at now: Date
    ) {
        // A generic product has a period too, which is not the customer's.
        let period =
            subscription.advancedCommerce?.period ?? catalogue.product(current.productId)?.subscription?.period
            ?? .month
        let isCovered = settings.graceCoversFreeOffers || (current.price ?? 0) > 0
        let hasGrace = settings.gracePeriod != .off && isCovered
        let retryEnds = now.after(settings.rate.billingRetry)
        // Grace is the first part of the retry, not added to it.
        let grace = min(settings.rate.gracePeriod(settings.gracePeriod, for: period), settings.rate.billingRetry)
        let graceEnds = hasGrace ? now.after(grace) : nil
        subscriptions[subscription.id]?.retryEnds = retryEnds
        subscriptions[subscription.id]?.graceEnds = graceEnds
        subscriptions[subscription.id]?.expirationIntent = .billingError
        setDue(subscription.id, graceEnds ?? retryEnds)
        planRecovery(subscription.id, at: now)
        spread(.didFailToRenew, hasGrace ? .gracePeriod : nil, from: subscription.id, at: now)
    }

    private mutating func endGrace(_ subscription: Subscription, at now: Date) {
        subscriptions[subscription.id]?.graceEnds = nil
        if let retryEnds = subscription.retryEnds { setDue(subscription.id, retryEnds) }
        spread(.gracePeriodExpired, from: subscription.id, at: now)
    }

    /// Begins the next period, for the purchaser and everybody who shares it.
    mutating func renew(_ id: String, from start: Date, _ subtype: NotificationSubtype?, at now: Date) {
        guard var subscription = subscriptions[id], let product = renewalProduct(of: subscription) else { return }
        let shared = shares(of: subscription)
        keepStreak(&subscription, at: start)
        renewCommitment(&subscription, product, from: start)
        let before = Subscription.BeforeCharge(subscription)
        subscription.prepareRenewal(product, in: customers[subscription.customer]?.storefront)
        begin(&subscription, product, reason: .renewal, at: start, chargedAt: now)
        if !subscription.beforeCharge.isEmpty { subscription.beforeCharge = [before] }
        subscriptions[id] = subscription
        announce(.didRenew, subtype, about: subscription, at: now)
        planNotice(id, at: now)
        if product.isFamilyShareable {
            for share in shared { renew(share, with: subscription, product, from: start, subtype, at: now) }
        }
        updateSharing(id, at: now)
    }

    /// How long the period is that the next charge pays for, if it begins at an instant.
    func nextLength(of subscription: Subscription, _ product: Product, from start: Date) -> Period? {
        var next = subscription
        renewCommitment(&next, product, from: start)
        next.prepareRenewal(product, in: nil)
        return product.subscription.map { next.length(by: $0) }
    }

    /// Counts the period within the commitment, or begins another commitment after it.
    private func renewCommitment(_ subscription: inout Subscription, _ product: Product, from start: Date) {
        guard subscription.commitment != nil, let terms = product.subscription else {
            // Another product has a price of its own, which can be raised again.
            if product.id != subscription.priceProduct { subscription.plan = nil }
            return
        }
        guard !subscription.isCommitted else {
            subscription.commitment?.periodNumber += 1
            return
        }
        let plan = nextPlan(of: subscription)
        subscription.commitment = plan.flatMap { commitment($0, terms, from: start) }
        subscription.plan = plan?.type
    }

    /// The plan of the commitment that follows: the same, or if the product is another one that of its own, if it has one.
    func nextPlan(of subscription: Subscription) -> BillingPlan? {
        guard let plan = subscription.commitment?.plan, subscription.renewalProduct != subscription.priceProduct else {
            return subscription.commitment?.plan
        }
        return catalogue.product(subscription.renewalProduct)?.subscription?.billingPlans
            .first { $0.type == plan.type && $0.isEnabled }
    }

    /// Ends a subscription for good, for the purchaser and everybody who shares it.
    mutating func expire(
        _ id: String, _ intent: ExpirationIntent, _ subtype: NotificationSubtype?, at now: Date
    ) {
        subscriptions[id]?.expirationIntent = intent
        subscriptions[id]?.renewsAutomatically = false
        subscriptions[id]?.commitment = nil
        subscriptions[id]?.retryEnds = nil
        subscriptions[id]?.graceEnds = nil
        subscriptions[id]?.recovery = nil
        subscriptions[id]?.nextOffer = nil
        subscriptions[id]?.due = nil
        spread(.expired, subtype, from: id, at: now)
    }

    /// Plans the next thing that happens to a subscription by itself.
    mutating func setDue(_ id: String, _ date: Date) {
        subscriptions[id]?.due = date
        schedule.add(.subscription(id), at: date)
    }

    mutating func accelerate(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let subscription = try subscription(of: customer, selector)
        guard subscription.owner == nil, subscription.due != nil else {
            throw StoreError(.impossibleTransition, "nothing happens to the subscription by itself any more")
        }
        let begins = isPaidAhead(subscription, at: now)
        if subscription.retryEnds == nil {
            for holder in holders(of: subscription) {
                change(holder.current) {
                    // What is paid ahead begins and ends now; what has ended stays so.
                    $0.purchaseDate = min($0.purchaseDate, now)
                    $0.expiresDate = min($0.expiresDate ?? now, now)
                }
            }
            subscriptions[subscription.id]?.anchorDay = nil
            // What was paid ahead has begun now, and perhaps the family cannot share it.
            updateSharing(subscription.id, at: now)
        } else if subscription.graceEnds != nil {
            subscriptions[subscription.id]?.graceEnds = now
        } else {
            subscriptions[subscription.id]?.retryEnds = now
        }
        if let accelerated = subscriptions[subscription.id] { proceed(accelerated, at: now, mayBeLate: false) }
        // Where it cannot be renewed either, the family gets what is left of it: a grace period.
        if begins { updateSharing(subscription.id, at: now) }
        return Subject(customer: customer, transaction: subscriptions[subscription.id]?.current)
    }
}

extension Subscription {
    /// Settles offer and price of the period that begins.
    fileprivate mutating func prepareRenewal(_ product: Product, in storefront: String?) {
        if let nextOffer {
            offer = RunningOffer(offer: nextOffer, periodsBegun: 1)
        } else if let running = runningOffer(in: product.id) {
            offer?.periodsBegun = running.periodsBegun + 1
        } else {
            offer = nil
        }
        if product.id != priceProduct {
            price = commitment?.plan.price ?? product.price(in: storefront ?? Storefront.usa.code)
        } else if let priceIncrease {
            price = priceIncrease.price
        }
        priceProduct = product.id
        priceIncrease = nil
        nextOffer = nil
        if advancedCommerce?.beginNextPeriod() != nil { price = advancedCommerce?.price ?? price }
        expirationIntent = nil
        retryEnds = nil
        graceEnds = nil
        recovery = nil
        renewals += 1
    }
}

extension Subscription {
    /// The offer that goes on if the next period is of this product. Another product has its own price.
    func runningOffer(in product: String) -> RunningOffer? {
        guard product == priceProduct, let offer, offer.hasMore else { return nil }
        return offer
    }
}

extension Subscription.RunningOffer {
    /// Whether the next period of the product is part of the offer too.
    fileprivate var hasMore: Bool { offer.isBilledByPeriod && periodsBegun < offer.periodCount }
}
