internal import AppStoreModels
internal import Foundation

extension Store {
    /// The effect of a subscriber's purchase of a product on the subscription.
    enum PlanChange { case none, upgrade, downgrade }

    mutating func change(
        _ subscription: Subscription, to purchase: Purchase, at now: Date
    ) throws(StoreError) -> Subject {
        let product = try product(currentProduct(of: subscription))
        guard purchase.plan == nil else {
            throw StoreError(.invalidArgument, "a billing plan is chosen when the subscription begins")
        }
        let first = notifications.count
        let subject = try change(subscription, from: product, to: purchase, at: now)
        announceSwitch(of: subscription, since: first, at: now)
        // If the change withdrew a downgrade, a price increase applies again and needs a notice.
        schedulePriceNotice(subscription.id, at: now)
        return subject
    }

    /// Announces that a change of plan turned renewal on again, unless that was announced already.
    private mutating func announceSwitch(of before: Subscription, since first: Int, at now: Date) {
        guard settings.sendsAutoRenewEnabledOnPlanChange, !before.renewsAutomatically,
            subscriptions[before.id]?.renewsAutomatically == true,
            !notifications.dropFirst(first).contains(where: { $0.subtype == .autoRenewEnabled })
        else { return }
        propagate(.didChangeRenewalStatus, .autoRenewEnabled, from: before.id, at: now)
    }

    private mutating func change(
        _ subscription: Subscription, from product: Product, to purchase: Purchase, at now: Date
    ) throws(StoreError) -> Subject {
        let change = planChange(from: product, to: purchase.product)
        if purchase.offer != nil { return try redeem(subscription, purchase, change, at: now) }
        if subscription.retryEnds != nil, purchase.product.id == subscription.nextProduct {
            // Buying the product whose renewal failed pays for the renewal.
            return Subject(customer: subscription.customer, transaction: restoreBilling(of: subscription, at: now))
        }
        switch change {
        case .none: return try buyCurrentProduct(subscription, product, at: now)
        case .upgrade:
            return upgrade(subscription, to: purchase, offer: nil, .didChangeRenewalPref, at: now)
        case .downgrade:
            guard subscription.renewalProduct != purchase.product.id || !subscription.renewsAutomatically else {
                throw StoreError(.alreadyOwned, "\(subscription.customer) renews into \(purchase.product.id) already")
            }
            setNextRenewal(of: subscription, to: purchase, offer: nil)
            let isAnnounced = settings.sendsNotificationOnLateDowngrade || !isLastDay(of: subscription, at: now)
            if isAnnounced { announce(.didChangeRenewalPref, .downgrade, about: subscription.id, at: now) }
            updateShares(of: subscription.id, isAnnounced ? .didChangeRenewalPref : nil, .downgrade, at: now)
            return Subject(customer: purchase.customer, transaction: subscription.current)
        }
    }

    /// Classifies a change of product. A higher level, or the same level with the same period, is an immediate upgrade.
    /// A lower level, or the same level with another period, is a downgrade at the next renewal.
    func planChange(from old: Product, to new: Product) -> PlanChange {
        guard old.id != new.id, let before = old.subscription, let after = new.subscription else { return .none }
        if after.level != before.level { return after.level < before.level ? .upgrade : .downgrade }
        return after.period == before.period ? .upgrade : .downgrade
    }

    private func isLastDay(of subscription: Subscription, at now: Date) -> Bool {
        guard let expires = transactions[subscription.current]?.payload.expiresDate else { return false }
        return expires.timeIntervalSince(now) <= settings.rate.scaled(days: 1)
    }

    /// Handles the purchase of the current product: it withdraws a planned downgrade or a cancellation. Throws if there
    /// is neither.
    private mutating func buyCurrentProduct(
        _ subscription: Subscription, _ product: Product, at now: Date
    ) throws(StoreError) -> Subject {
        guard subscription.renewalProduct != product.id else {
            if !subscription.renewsAutomatically { return try resume(subscription.customer, subscription.id, at: now) }
            throw StoreError(.alreadyOwned, "\(subscription.customer) is subscribed to \(product.id) already")
        }
        subscriptions[subscription.id]?.renewalProduct = product.id
        subscriptions[subscription.id]?.nextOffer = nil
        subscriptions[subscription.id]?.renewsAutomatically = true
        propagate(.didChangeRenewalPref, from: subscription.id, at: now)
        return Subject(customer: subscription.customer, transaction: subscription.current)
    }

    private mutating func redeem(
        _ subscription: Subscription, _ purchase: Purchase, _ change: PlanChange, at now: Date
    ) throws(StoreError) -> Subject {
        let offer = try redeemedOffer(purchase, at: now)
        switch change {
        case .none:
            setNextRenewal(of: subscription, to: purchase, offer: offer)
            announce(.offerRedeemed, about: subscription.id, at: now)
            updateSharesAfterRedemption(of: subscription, at: now)
        case .upgrade:
            return upgrade(subscription, to: purchase, offer: offer, .offerRedeemed, at: now)
        case .downgrade:
            guard offer.type != .offerCode else {
                throw StoreError(.notEligible, "an offer code cannot be redeemed for a lower level of service")
            }
            setNextRenewal(of: subscription, to: purchase, offer: offer)
            announce(.offerRedeemed, .downgrade, about: subscription.id, at: now)
            // Family members have the downgrade, but not the offer.
            updateShares(of: subscription.id, .didChangeRenewalPref, .downgrade, at: now)
        }
        return Subject(customer: purchase.customer, transaction: subscription.current)
    }

    /// Updates the family members' shares after an offer for the current product was redeemed. Members do not have the
    /// offer: they are notified only if it withdrew a planned downgrade or a cancellation.
    private mutating func updateSharesAfterRedemption(of before: Subscription, at now: Date) {
        if subscriptions[before.id]?.renewalProduct != before.renewalProduct {
            updateShares(of: before.id, .didChangeRenewalPref, at: now)
        } else if !before.renewsAutomatically, !settings.sendsAutoRenewEnabledOnPlanChange {
            updateShares(of: before.id, .didChangeRenewalStatus, .autoRenewEnabled, at: now)
        } else {
            // With the setting, `announceSwitch` notifies the members as well.
            updateShares(of: before.id, at: now)
        }
    }

    /// Sets the product and the offer of the next renewal.
    private mutating func setNextRenewal(of subscription: Subscription, to purchase: Purchase, offer: Offer?) {
        subscriptions[subscription.id]?.renewalProduct = purchase.product.id
        subscriptions[subscription.id]?.nextOffer = offer
        subscriptions[subscription.id]?.renewsAutomatically = true
        if let token = purchase.accountToken { subscriptions[subscription.id]?.accountToken = token }
    }

    /// Ends the current period now and begins one of the new product. The unused part of the old period is refunded
    /// without a notification.
    private mutating func upgrade(
        _ subscription: Subscription, to purchase: Purchase, offer: Offer?, _ type: NotificationTypeV2, at now: Date
    ) -> Subject {
        var subscription = subscription
        markUpgraded(subscription, at: now)
        let shared = shares(of: subscription)
        // A failed renewal of the old product is no longer owed.
        updateRecentStart(&subscription, at: now)
        subscription.start(purchase, price: purchase.product.price(in: storefront(of: purchase.customer)), offer: offer)
        begin(&subscription, purchase.product, reason: .purchase, at: now)
        subscriptions[subscription.id] = subscription
        announce(type, .upgrade, about: subscription, at: now)
        schedulePriceNotice(subscription.id, at: now)
        for share in shared { upgrade(share, with: subscription, to: purchase.product, at: now) }
        updateSharing(subscription.id, at: now)
        return Subject(customer: purchase.customer, transaction: subscription.current)
    }

    /// Marks the current period, and one that was charged in advance, as upgraded.
    private mutating func markUpgraded(_ subscription: Subscription, at now: Date) {
        for id in periods(of: subscription, at: now) {
            // A period that has ended already was not replaced by the upgrade.
            guard let expires = transactions[id]?.payload.expiresDate, expires > now else { continue }
            change(id) { $0.isUpgraded = true }
        }
    }

    /// Upgrades a family member's share. Revokes it if the new product cannot be shared.
    private mutating func upgrade(_ share: Subscription, with owner: Subscription, to product: Product, at now: Date) {
        var share = share
        guard product.isFamilyShareable else { return revokeAllPeriods(share, at: now) }
        markUpgraded(share, at: now)
        share.copyRenewalState(from: owner)
        begin(&share, product, reason: .purchase, at: now)
        subscriptions[share.id] = share
        announce(.didChangeRenewalPref, .upgrade, about: share, at: now)
    }

    mutating func cancel(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let subscription = try subscription(of: customer, selector)
        guard subscription.ownership == .purchased else {
            throw StoreError(
                .impossibleTransition, "only the purchaser can cancel; stopSharing ends a share, withdrawSeat a seat")
        }
        guard subscription.renewsAutomatically, !isLapsed(subscription, at: now) else {
            throw StoreError(.impossibleTransition, "the subscription has expired, or its renewal is off already")
        }
        turnRenewalOff(subscription, at: now)
        return Subject(customer: customer, transaction: subscription.current)
    }

    /// Turns renewal off. In billing retry this ends the subscription, unless payments of a commitment are owed.
    mutating func turnRenewalOff(_ subscription: Subscription, at now: Date) {
        let omitsSubtype = subscription.pendingIncrease != nil && !settings.cancellationAfterPriceNoticeHasSubtype
        let ends = subscription.retryEnds != nil && !subscription.isCommitted
        subscriptions[subscription.id]?.wasCancelledInGrace = ends && subscription.graceEnds != nil
        subscriptions[subscription.id]?.renewsAutomatically = false
        subscriptions[subscription.id]?.nextOffer = nil
        propagate(.didChangeRenewalStatus, omitsSubtype ? nil : .autoRenewDisabled, from: subscription.id, at: now)
        if ends { expire(subscription.id, .customerCancelled, .voluntary, at: now) }
    }

    mutating func resume(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let subscription = try subscription(of: customer, selector)
        guard subscription.ownership == .purchased, !subscription.renewsAutomatically, !isLapsed(subscription, at: now)
        else {
            throw StoreError(.impossibleTransition, "only an active subscription that will not renew can be resumed")
        }
        guard subscription.hasItemsToRenew else {
            throw StoreError(.impossibleTransition, "no item of the subscription is left that could renew")
        }
        subscriptions[subscription.id]?.renewsAutomatically = true
        propagate(.didChangeRenewalStatus, .autoRenewEnabled, from: subscription.id, at: now)
        schedulePriceNotice(subscription.id, at: now)
        return Subject(customer: customer, transaction: subscription.current)
    }
}
