internal import AppStoreModels
package import Foundation

// Scheduled events: renewals, expirations and billing retry.

extension Store {
    /// Processes all events due by `date`, in order.
    package mutating func run(until date: Date) {
        while runNext(dueBy: date) {}
    }

    /// Processes the next event if it is due by `date`. Returns whether there was one.
    @discardableResult
    package mutating func runNext(dueBy date: Date) -> Bool {
        guard let entry = schedule.pop(dueBy: date) else { return false }
        process(entry)
        return true
    }

    private mutating func process(_ entry: Schedule.Entry) {
        defer { updateDevices(at: entry.date) }
        switch entry.event {
        case .subscription(let id):
            // An entry with another date was replaced by a newer one.
            guard let subscription = subscriptions[id], subscription.due == entry.date else { return }
            processDueEvent(of: subscription, at: entry.date)
        case .priceCampaign(let number):
            applyPriceChange(number, at: entry.date)
            // Renewal infos contain the new price, and no notification may follow.
            advanceSigningDate(at: entry.date)
        case .priceNotice(let id): announcePriceIncrease(id, at: entry.date)
        case .recovery(let id): recoverAutomatically(id, at: entry.date)
        case .refundDecision(let id):
            if transactions[id]?.refund?.due == entry.date { decideRefund(id, at: entry.date) }
        case .massExtension(let id): finishMassExtension(id, at: entry.date)
        case .sharing(let id):
            if changesSharing(id, at: entry.date) { updateSharing(id, at: entry.date) }
        case .externalPurchaseToken(let id): sendTokenReminder(id, at: entry.date)
        case .delivery: return
        }
    }

    private mutating func processDueEvent(of subscription: Subscription, at now: Date, mayBeLate: Bool = true) {
        subscriptions[subscription.id]?.due = nil
        if let retryEnds = subscription.retryEnds {
            if retryEnds <= now { return expire(subscription.id, .billingError, .billingRetry, at: now) }
            if let graceEnds = subscription.graceEnds, graceEnds <= now { endGrace(subscription, at: now) }
            return
        }
        guard let current = transactions[subscription.current]?.payload, current.revocationDate == nil else { return }
        let expires = current.expiresDate ?? now
        if expires > now {
            // If the charge is not possible now, the outcome is decided at the end of the period.
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

    /// Renews the subscription at the end of a paid period, or expires it, or starts billing retry.
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
        guard isBelowRenewalCap(subscription) else {
            return expire(subscription.id, .customerCancelled, .voluntary, at: now)
        }
        guard !isFailing(subscription) else { return failToRenew(subscription, current, at: now) }
        // A late renewal begins when it is charged.
        renew(subscription.id, from: max(current.expiresDate ?? now, now), nil, at: now)
    }

    /// Returns the product that the subscription renews into; nil if it is not on sale.
    func renewalProduct(of subscription: Subscription) -> Product? {
        guard let product = subscriptionProduct(subscription.nextProduct), product.isOnSale else { return nil }
        return product
    }

    private mutating func failToRenew(
        _ subscription: Subscription, _ current: JWSTransactionDecodedPayload, at now: Date
    ) {
        // The period of a generic product is not the one that the customer chose.
        let period =
            subscription.advancedCommerce?.period ?? catalogue.product(current.productId)?.subscription?.period
            ?? .month
        let isCovered = settings.gracePeriodAppliesToFreeOffers || (current.price ?? 0) > 0
        let hasGrace = settings.gracePeriod != .off && isCovered
        let retryEnds = now.after(settings.rate.billingRetryPeriod)
        // The grace period is the first part of billing retry, not added to it.
        let graceEnds = hasGrace ? now.after(settings.rate.gracePeriod(settings.gracePeriod, for: period)) : nil
        subscriptions[subscription.id]?.retryEnds = retryEnds
        subscriptions[subscription.id]?.graceEnds = graceEnds
        subscriptions[subscription.id]?.expirationIntent = .billingError
        setDue(subscription.id, graceEnds ?? retryEnds)
        scheduleRecovery(subscription.id, at: now)
        propagate(.didFailToRenew, hasGrace ? .gracePeriod : nil, from: subscription.id, at: now)
    }

    private mutating func endGrace(_ subscription: Subscription, at now: Date) {
        subscriptions[subscription.id]?.graceEnds = nil
        if let retryEnds = subscription.retryEnds { setDue(subscription.id, retryEnds) }
        propagate(.gracePeriodExpired, from: subscription.id, at: now)
    }

    /// Begins the next period for the purchaser and the family members who share the subscription.
    mutating func renew(_ id: String, from start: Date, _ subtype: NotificationSubtype?, at now: Date) {
        guard var subscription = subscriptions[id], let product = renewalProduct(of: subscription) else { return }
        let shared = shares(of: subscription)
        updateRecentStart(&subscription, at: start)
        let before = Subscription.BeforeCharge(subscription)
        renewCommitment(&subscription, product, from: start)
        subscription.prepareRenewal(product, in: storefront(of: subscription.customer))
        begin(&subscription, product, reason: .renewal, at: start, chargedAt: now)
        if subscription.beforeCharge != nil { subscription.beforeCharge = before }
        subscriptions[id] = subscription
        announce(.didRenew, subtype, about: subscription, at: now)
        schedulePriceNotice(id, at: now)
        if product.isFamilyShareable {
            for share in shared { renew(share, with: subscription, product, from: start, subtype, at: now) }
        }
        updateSharing(id, at: now)
    }

    /// Returns the length of the period that the next charge pays for, if it begins at `start`.
    func nextLength(of subscription: Subscription, _ product: Product, from start: Date) -> Period? {
        var next = subscription
        renewCommitment(&next, product, from: start)
        next.prepareRenewal(product, in: storefront(of: next.customer))
        return product.subscription.map { next.length(by: $0) }
    }

    /// Counts a period of the commitment, or begins the next commitment after the last period.
    private func renewCommitment(_ subscription: inout Subscription, _ product: Product, from start: Date) {
        guard subscription.commitment != nil, let terms = product.subscription else {
            // Another product has no billing plan, so its price can be increased again.
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

    /// Returns the billing plan of the next commitment: the current plan, or the corresponding plan of the product that
    /// the subscription renews into, if it has one.
    func nextPlan(of subscription: Subscription) -> BillingPlan? {
        guard let plan = subscription.commitment?.plan, subscription.renewalProduct != subscription.priceProduct else {
            return subscription.commitment?.plan
        }
        return catalogue.product(subscription.renewalProduct)?.subscription?.billingPlans
            .first { $0.type == plan.type && $0.isEnabled }
    }

    /// Expires a subscription, for the purchaser and the family members who share it.
    mutating func expire(_ id: String, _ intent: ExpirationIntent, _ subtype: NotificationSubtype?, at now: Date) {
        subscriptions[id]?.stop()
        subscriptions[id]?.expirationIntent = intent
        subscriptions[id]?.commitment = nil
        propagate(.expired, subtype, from: id, at: now)
    }

    /// Schedules the next event of a subscription.
    mutating func setDue(_ id: String, _ date: Date) {
        subscriptions[id]?.due = date
        schedule.add(.subscription(id), at: date)
    }

    mutating func accelerate(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let subscription = try subscription(of: customer, selector)
        guard subscription.owner == nil, subscription.due != nil else {
            throw StoreError(.impossibleTransition, "the subscription has no scheduled event to accelerate")
        }
        let begins = isPaidAhead(subscription, at: now)
        if subscription.retryEnds == nil {
            for holder in holders(of: subscription) {
                change(holder.current) {
                    // A period that was charged in advance begins and ends now. A period that has ended stays
                    // unchanged.
                    $0.purchaseDate = min($0.purchaseDate, now)
                    $0.expiresDate = min($0.expiresDate ?? now, now)
                }
            }
            subscriptions[subscription.id]?.anchorDay = nil
            // A period that was charged in advance has begun now, and the family may be unable to share it.
            updateSharing(subscription.id, at: now)
        } else if subscription.graceEnds != nil {
            subscriptions[subscription.id]?.graceEnds = now
        } else {
            subscriptions[subscription.id]?.retryEnds = now
        }
        if let accelerated = subscriptions[subscription.id] {
            processDueEvent(of: accelerated, at: now, mayBeLate: false)
        }
        // If the renewal failed, the family shares the grace period.
        if begins { updateSharing(subscription.id, at: now) }
        return Subject(customer: customer, transaction: subscriptions[subscription.id]?.current)
    }
}

extension Subscription {
    /// Sets the offer and the price of the period that begins, and clears the state of a failed renewal.
    fileprivate mutating func prepareRenewal(_ product: Product, in storefront: String) {
        if let nextOffer {
            offer = RunningOffer(offer: nextOffer, periodsBegun: 1)
        } else if let running = runningOffer(in: product.id) {
            offer?.periodsBegun = running.periodsBegun + 1
        } else {
            offer = nil
        }
        if product.id != priceProduct {
            price = commitment?.plan.price ?? product.price(in: storefront)
        } else if let priceIncrease {
            price = priceIncrease.price
        }
        priceProduct = product.id
        priceIncrease = nil
        nextOffer = nil
        if advancedCommerce?.beginNextPeriod() != nil { price = advancedCommerce?.price ?? price }
        clearFailedRenewal()
        renewals &+= 1
    }

    /// Returns the offer that continues if the next period is of this product; nil for another product.
    func runningOffer(in product: String) -> RunningOffer? {
        guard product == priceProduct, let offer, offer.hasMore else { return nil }
        return offer
    }
}

extension Subscription.RunningOffer {
    /// Whether the offer also covers the next period of the product.
    fileprivate var hasMore: Bool { offer.isBilledByPeriod && periodsBegun < offer.periodCount }
}
