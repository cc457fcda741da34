internal import AppStoreModels
internal import Foundation

extension Store {
    /// What buying another product, or redeeming an offer, does to somebody who is subscribed.
    enum PlanChange { case none, upgrade, downgrade }

    mutating func change(
        _ subscription: Subscription, to purchase: Purchase, at now: Date
    ) throws(StoreError) -> Subject {
        let (_, product) = try current(of: subscription)
        guard purchase.plan == nil else {
            throw StoreError(.invalidArgument, "a billing plan is chosen when the subscription begins")
        }
        let first = notifications.count
        let subject = try change(subscription, from: product, to: purchase, at: now)
        announceSwitch(of: subscription, since: first, at: now)
        return subject
    }

    /// A change of plan turns renewal on again; that is told as well, unless it has been.
    private mutating func announceSwitch(of before: Subscription, since first: Int, at now: Date) {
        guard settings.announcesRenewalSwitch, !before.renewsAutomatically,
            subscriptions[before.id]?.renewsAutomatically == true,
            !notifications.dropFirst(first).contains(where: { $0.subtype == .autoRenewEnabled })
        else { return }
        spread(.didChangeRenewalStatus, .autoRenewEnabled, from: before.id, at: now)
    }

    private mutating func change(
        _ subscription: Subscription, from product: Product, to purchase: Purchase, at now: Date
    ) throws(StoreError) -> Subject {
        let change = planChange(from: product, to: purchase.product)
        if purchase.offer != nil { return try redeem(subscription, purchase, change, at: now) }
        if subscription.retryEnds != nil, purchase.product.id == subscription.nextProduct {
            // Whoever buys again what is owed pays for it.
            return Subject(customer: subscription.customer, transaction: mendBilling(of: subscription, at: now))
        }
        switch change {
        case .none: return try keep(subscription, product, at: now)
        case .upgrade:
            let transaction = upgrade(subscription, to: purchase, offer: nil, .didChangeRenewalPref, at: now)
            return Subject(customer: purchase.customer, transaction: transaction)
        case .downgrade:
            guard subscription.renewalProduct != purchase.product.id || !subscription.renewsAutomatically else {
                throw StoreError(.alreadyOwned, "\(subscription.customer) renews into \(purchase.product.id) already")
            }
            plan(subscription, purchase, offer: nil)
            let isAnnounced = settings.announcesLateDowngrades || !isLastDay(of: subscription, at: now)
            spread(isAnnounced ? .didChangeRenewalPref : nil, .downgrade, from: subscription.id, at: now)
            return Subject(customer: purchase.customer, transaction: subscription.current)
        }
    }

    /// A higher level, or the same level for as long, is an upgrade; a lower level, or another length, waits.
    func planChange(from old: Product, to new: Product) -> PlanChange {
        guard old.id != new.id, let before = old.subscription, let after = new.subscription else { return .none }
        if after.level != before.level { return after.level < before.level ? .upgrade : .downgrade }
        return after.period == before.period ? .upgrade : .downgrade
    }

    private func isLastDay(of subscription: Subscription, at now: Date) -> Bool {
        guard let expires = transactions[subscription.current]?.payload.expiresDate else { return false }
        return expires.timeIntervalSince(now) <= settings.rate.scaled(days: 1)
    }

    /// Buying what one has: it withdraws a planned downgrade or a cancellation, or makes no sense.
    private mutating func keep(
        _ subscription: Subscription, _ product: Product, at now: Date
    ) throws(StoreError) -> Subject {
        guard subscription.renewalProduct != product.id else {
            if !subscription.renewsAutomatically { return try resume(subscription.customer, subscription.id, at: now) }
            throw StoreError(.alreadyOwned, "\(subscription.customer) is subscribed to \(product.id) already")
        }
        subscriptions[subscription.id]?.renewalProduct = product.id
        subscriptions[subscription.id]?.nextOffer = nil
        subscriptions[subscription.id]?.renewsAutomatically = true
        spread(.didChangeRenewalPref, from: subscription.id, at: now)
        return Subject(customer: subscription.customer, transaction: subscription.current)
    }

    private mutating func redeem(
        _ subscription: Subscription, _ purchase: Purchase, _ change: PlanChange, at now: Date
    ) throws(StoreError) -> Subject {
        let offer = try redeemedOffer(purchase, at: now)
        switch change {
        case .none:
            plan(subscription, purchase, offer: offer)
            redeemed(subscription.id, nil, at: now)
        case .upgrade:
            let transaction = upgrade(subscription, to: purchase, offer: offer, .offerRedeemed, at: now)
            return Subject(customer: purchase.customer, transaction: transaction)
        case .downgrade:
            guard offer.type != .offerCode else {
                throw StoreError(.notEligible, "an offer code cannot be redeemed for a lower level of service")
            }
            plan(subscription, purchase, offer: offer)
            redeemed(subscription.id, .downgrade, at: now)
        }
        return Subject(customer: purchase.customer, transaction: subscription.current)
    }

    /// Offers are the purchaser's; those who share the subscription only see what becomes of it.
    private mutating func redeemed(_ id: String, _ subtype: NotificationSubtype?, at now: Date) {
        guard let subscription = subscriptions[id] else { return }
        announce(.offerRedeemed, subtype, about: subscription, at: now)
        for var share in shares(of: subscription) {
            share.follow(subscription)
            subscriptions[share.id] = share
            if let subtype { announce(.didChangeRenewalPref, subtype, about: share, at: now) }
        }
    }

    /// What the next renewal will be.
    private mutating func plan(_ subscription: Subscription, _ purchase: Purchase, offer: Offer?) {
        subscriptions[subscription.id]?.renewalProduct = purchase.product.id
        subscriptions[subscription.id]?.nextOffer = offer
        subscriptions[subscription.id]?.renewsAutomatically = true
        if let token = purchase.accountToken { subscriptions[subscription.id]?.accountToken = token }
    }

    /// Ends the period now and begins one of the new product. What was not used of the old one is paid back in silence.
    private mutating func upgrade(
        _ subscription: Subscription, to purchase: Purchase, offer: Offer?, _ type: NotificationTypeV2, at now: Date
    ) -> String {
        var subscription = subscription
        let storefront = customers[subscription.customer]?.storefront ?? Storefront.usa.code
        markUpgraded(subscription, at: now)
        let shared = shares(of: subscription)
        // What belongs to a period that could not be charged is over with it.
        keepStreak(&subscription, at: now)
        subscription.expirationIntent = nil
        subscription.retryEnds = nil
        subscription.graceEnds = nil
        subscription.recovery = nil
        subscription.isBillingFailing = false
        subscription.billingRecovers = false
        subscription.renewalProduct = purchase.product.id
        subscription.price = purchase.product.price(in: storefront)
        subscription.priceProduct = purchase.product.id
        subscription.offer = offer.map { .init(offer: $0, periodsBegun: 1) }
        subscription.nextOffer = nil
        subscription.priceIncrease = nil
        subscription.commitment = nil
        subscription.plan = nil
        subscription.renewsAutomatically = true
        if let token = purchase.accountToken { subscription.accountToken = token }
        let transaction = begin(&subscription, purchase.product, reason: .purchase, at: now)
        subscriptions[subscription.id] = subscription
        announce(type, .upgrade, about: subscription, at: now)
        planNotice(subscription.id, at: now)
        for share in shared { upgrade(share, with: subscription, to: purchase.product, at: now) }
        updateSharing(subscription.id, at: now)
        return transaction
    }

    /// Says of the period that ends, and of one that is paid ahead, that another has taken its place.
    private mutating func markUpgraded(_ subscription: Subscription, at now: Date) {
        for id in periods(of: subscription, at: now) {
            // What has ended by itself, unpaid, was not replaced.
            guard let expires = transactions[id]?.payload.expiresDate, expires > now else { continue }
            change(id) { $0.isUpgraded = true }
        }
    }

    /// A family member's share of an upgrade: the new product if it can be shared, nothing otherwise.
    private mutating func upgrade(
        _ share: Subscription, with owner: Subscription, to product: Product, at now: Date
    ) {
        var share = share
        guard product.isFamilyShareable else { return revokeWholly(share, at: now) }
        markUpgraded(share, at: now)
        share.follow(owner)
        begin(&share, product, reason: .purchase, at: now)
        subscriptions[share.id] = share
        announce(.didChangeRenewalPref, .upgrade, about: share, at: now)
    }

    mutating func cancel(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let subscription = try subscription(of: customer, selector)
        guard subscription.ownership == .purchased else {
            throw StoreError(.impossibleTransition, "only the purchaser can cancel; stopSharing ends the sharing")
        }
        guard subscription.renewsAutomatically, !isLapsed(subscription, at: now) else {
            throw StoreError(.impossibleTransition, "the subscription does not renew as it is")
        }
        turnRenewalOff(subscription, at: now)
        return Subject(customer: customer, transaction: subscription.current)
    }

    /// Turns renewal off. Where the store is only trying to charge, that is the end.
    mutating func turnRenewalOff(_ subscription: Subscription, at now: Date) {
        let hasNotice = subscription.pendingIncrease != nil && !settings.cancellationAfterPriceNoticeHasSubtype
        let ends = subscription.retryEnds != nil
        subscriptions[subscription.id]?.wasCancelledInGrace = subscription.graceEnds != nil
        subscriptions[subscription.id]?.commitment?.renews = false
        subscriptions[subscription.id]?.renewsAutomatically = false
        subscriptions[subscription.id]?.nextOffer = nil
        spread(.didChangeRenewalStatus, hasNotice ? nil : .autoRenewDisabled, from: subscription.id, at: now)
        if ends { expire(subscription.id, .customerCancelled, .voluntary, at: now) }
    }

    mutating func resume(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let subscription = try subscription(of: customer, selector)
        guard subscription.ownership == .purchased, !subscription.renewsAutomatically, !isLapsed(subscription, at: now)
        else {
            throw StoreError(.impossibleTransition, "only an active subscription that will not renew can be resumed")
        }
        subscriptions[subscription.id]?.renewsAutomatically = true
        subscriptions[subscription.id]?.commitment?.renews = true
        spread(.didChangeRenewalStatus, .autoRenewEnabled, from: subscription.id, at: now)
        planNotice(subscription.id, at: now)
        return Subject(customer: customer, transaction: subscription.current)
    }
}
