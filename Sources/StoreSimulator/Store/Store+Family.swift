internal import AppStoreModels
internal import Foundation

extension Store {
    /// A family has up to six members, the purchaser among them.
    static let largestFamily = 6

    mutating func share(_ id: String, with member: String, at now: Date) throws(StoreError) -> Subject {
        let customer = try customer(id)
        guard id != member else { throw StoreError(.invalidArgument, "nobody is a member of their own family") }
        guard !customer.family.contains(member) else {
            throw StoreError(.alreadyExists, "\(member) belongs to \(id)'s family already")
        }
        if let organizer = customer.organizer {
            throw StoreError(.impossibleTransition, "\(id) belongs to \(organizer)'s family, and shares nothing")
        }
        if let organizer = customers[member]?.organizer {
            throw StoreError(.impossibleTransition, "\(member) belongs to \(organizer)'s family; a family at a time")
        }
        guard customers[member]?.family.isEmpty ?? true else {
            throw StoreError(.impossibleTransition, "\(member) has a family of their own")
        }
        guard customer.family.count + 1 < Self.largestFamily else {
            throw StoreError(.limitReached, "a family has up to \(Self.largestFamily) members")
        }
        if customers[member] == nil { try checkName(member) }
        addCustomer(member, at: now)
        customers[id]?.family.append(member)
        customers[member]?.organizer = id
        for subscription in customer.subscriptions.compactMap({ subscriptions[$0] }) {
            shareSubscription(subscription, with: member, at: now)
            planSharing(subscription.id, at: now)
        }
        for transaction in customer.transactions.compactMap({ transactions[$0] }) {
            guard let product = catalogue.product(transaction.payload.productId), product.isFamilyShareable,
                product.type == .nonConsumable, transaction.payload.inAppOwnershipType == .purchased,
                transaction.payload.revocationDate == nil
            else { continue }
            shareOnce(transaction, product, with: member, at: now)
        }
        return Subject(customer: member, transaction: customers[member]?.transactions.last)
    }

    /// Gives the subscription to those of the family who do not have it, or not any more.
    mutating func shareWithFamily(_ subscription: Subscription, at now: Date) {
        guard let family = customers[subscription.customer]?.family, !family.isEmpty else { return }
        let shares = shares(of: subscription)
        for member in family {
            // Who has it may lack one of two periods: that of a refund that was taken back.
            if let share = shares.first(where: { $0.customer == member }), !isLapsed(share, at: now) {
                shareRunning(subscription, with: share, at: now)
                sharePaidAhead(subscription, with: share, at: now)
            } else {
                shareSubscription(subscription, with: member, at: now)
            }
        }
        planSharing(subscription.id, at: now)
    }

    /// Plans that the family gets a subscription whose next period is paid as soon as that period begins, if somebody lacks
    /// it: where the period that runs cannot be shared, or was refunded, they get nothing before.
    private mutating func planSharing(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id], isPaidAhead(subscription, at: now),
            let next = transactions[subscription.current]?.payload,
            catalogue.product(next.productId)?.isFamilyShareable == true, isSharingDue(id, at: next.purchaseDate)
        else { return }
        schedule.add(.sharingStart(id), at: next.purchaseDate)
    }

    /// Whether the current period begins at `date`, and somebody of the family lacks it. An entry of the schedule for a period
    /// that was refunded or replaced is out of date.
    func isSharingDue(_ id: String, at date: Date) -> Bool {
        guard let subscription = subscriptions[id], subscription.ownership == .purchased,
            transactions[subscription.current]?.payload.purchaseDate == date,
            let family = customers[subscription.customer]?.family, !family.isEmpty
        else { return false }
        let shares = shares(of: subscription).filter { transactions[$0.current]?.sharedFrom == subscription.current }
        return family.contains { member in !shares.contains { $0.customer == member } }
    }

    /// A period begins that was paid ahead and that the family can share, and somebody has not got it yet.
    mutating func beginSharing(_ id: String, at now: Date) {
        if let subscription = subscriptions[id] { shareWithFamily(subscription, at: now) }
    }

    /// Announces a change to everybody who has the subscription, unless it goes unsaid; for family members it changes
    /// alike.
    mutating func spread(
        _ type: NotificationTypeV2?, _ subtype: NotificationSubtype? = nil, from id: String, at now: Date
    ) {
        guard let subscription = subscriptions[id] else { return }
        if let type { announce(type, subtype, about: subscription, at: now) }
        for var share in shares(of: subscription) {
            share.follow(subscription)
            subscriptions[share.id] = share
            if let type { announce(type, subtype, about: share, at: now) }
        }
    }

    /// Gives a family member the purchaser's subscription, for the first time or again, as long as it gives access: the period
    /// that runs, and the next one if it is paid already.
    private mutating func shareSubscription(_ subscription: Subscription, with member: String, at now: Date) {
        let status = status(of: subscription, at: now)
        guard status == .active || status == .billingGracePeriod, subscription.ownership == .purchased,
            let customer = customers[member],
            let original = period(of: subscription, at: now)?.payload, original.purchaseDate <= now,
            let product = catalogue.product(original.productId), product.isFamilyShareable
        else { return }
        let earlier = customer.subscriptions.compactMap { subscriptions[$0] }.first { $0.owner == subscription.id }
        let belongsToGroup = customer.subscriptions.contains { subscriptions[$0]?.group == subscription.group }
        var share =
            earlier
            ?? Subscription(
                id: "", customer: member, group: subscription.group, ownership: .familyShared, owner: subscription.id,
                current: "", renewalProduct: subscription.renewalProduct, price: 0,
                priceProduct: subscription.priceProduct, streakStart: now)
        share.follow(subscription)
        keepStreak(&share, at: now)
        // In a grace period the paid one is over; a transaction cannot begin after its end.
        let isOver = (original.expiresDate ?? .distantFuture) <= now
        begin(
            &share, product, reason: .purchase, at: isOver ? original.purchaseDate : now,
            sharing: original.transactionId)
        if earlier == nil { customers[member]?.subscriptions.append(share.id) }
        subscriptions[share.id] = share
        announce(.subscribed, belongsToGroup ? .resubscribe : .initialBuy, about: share, at: now)
        sharePaidAhead(subscription, with: share, at: now)
        // Or it ends with the period that runs.
        endSharing(subscription.id, at: now)
    }

    /// Gives who has only what is paid ahead the period that runs as well: a refund of it was taken back.
    private mutating func shareRunning(_ subscription: Subscription, with share: Subscription, at now: Date) {
        guard isPaidAhead(share, at: now), period(of: share, at: now)?.payload.transactionId == share.current,
            let running = period(of: subscription, at: now)?.payload, running.purchaseDate <= now,
            let product = catalogue.product(running.productId), product.isFamilyShareable
        else { return }
        var before = share
        begin(&before, product, reason: .purchase, at: now, sharing: running.transactionId)
        subscriptions[share.id]?.beforeCharge = [.init(before)]
        announce(.subscribed, .resubscribe, about: before, at: now)
    }

    /// Gives who shares the period that runs the next one as well, if it is paid and can be shared.
    private mutating func sharePaidAhead(_ subscription: Subscription, with share: Subscription, at now: Date) {
        guard isPaidAhead(subscription, at: now), let next = transactions[subscription.current]?.payload,
            transactions[share.current]?.sharedFrom != next.transactionId,
            let product = catalogue.product(next.productId), product.isFamilyShareable
        else { return }
        renew(share, with: subscription, product, from: next.purchaseDate, nil, at: now)
    }

    /// Begins the next period of a share, as the purchaser's has begun.
    mutating func renew(
        _ share: Subscription, with owner: Subscription, _ product: Product, from start: Date,
        _ subtype: NotificationSubtype?, at now: Date
    ) {
        var share = share
        keepStreak(&share, at: start)
        share.follow(owner)
        begin(&share, product, reason: .renewal, at: start, chargedAt: now)
        subscriptions[share.id] = share
        announce(.didRenew, subtype, about: share, at: now)
    }

    mutating func stopSharing(_ id: String, with member: String, at now: Date) throws(StoreError) -> Subject {
        let customer = try customer(id)
        guard let index = customer.family.firstIndex(of: member) else {
            throw StoreError(.impossibleTransition, "\(member) does not belong to \(id)'s family")
        }
        revokeAll(from: id, of: member, at: now)
        customers[id]?.family.remove(at: index)
        customers[member]?.organizer = nil
        return Subject(customer: member, transaction: customers[member]?.transactions.last)
    }

    /// Takes everything from `member` that is there by what `id` bought.
    mutating func revokeAll(from id: String, of member: String, at now: Date) {
        let shared = (customers[member]?.subscriptions ?? []).compactMap { subscriptions[$0] }
            .filter { share in share.owner.flatMap { subscriptions[$0]?.customer } == id }
        for share in shared where !isLapsed(share, at: now) { revokeWholly(share, reason: .other, at: now) }
        for transaction in (customers[member]?.transactions ?? []).compactMap({ transactions[$0] })
        where !transaction.isSubscription && transaction.sharedFrom.flatMap({ transactions[$0]?.customer }) == id {
            revokeOnce(transaction, reason: .other, at: now)
        }
    }

    /// Takes a subscription from the family if its current period is of a product that cannot be shared, as soon as
    /// that period begins.
    mutating func endSharing(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id], let current = transactions[subscription.current]?.payload,
            catalogue.product(current.productId)?.isFamilyShareable != true
        else { return }
        let shared = shares(of: subscription)
        guard !shared.isEmpty else { return }
        // Paid ahead, it leaves the family the period that runs.
        guard current.purchaseDate <= now else { return schedule.add(.sharingEnd(id), at: current.purchaseDate) }
        for share in shared { revoke(share, reason: .other, at: now) }
    }

    /// Takes a shared subscription away from a family member.
    mutating func revoke(_ share: Subscription, reason: RevocationReason, at now: Date) {
        change(share.current) { $0.revoke(reason, at: now) }
        _ = returnToRunningPeriod(share.id, at: now)
        subscriptions[share.id]?.renewsAutomatically = false
        subscriptions[share.id]?.retryEnds = nil
        subscriptions[share.id]?.graceEnds = nil
        if let revoked = transactions[share.current] { announce(.revoke, about: revoked, at: now) }
    }

    /// Takes it away with what is paid ahead.
    mutating func revokeWholly(_ share: Subscription, reason: RevocationReason, at now: Date) {
        revoke(share, reason: reason, at: now)
        guard let rest = subscriptions[share.id], rest.current != share.current,
            transactions[rest.current]?.payload.revocationDate == nil
        else { return }
        revoke(rest, reason: reason, at: now)
    }

    private mutating func revokeOnce(_ transaction: StoredTransaction, reason: RevocationReason, at now: Date) {
        guard transaction.payload.revocationDate == nil else { return }
        change(transaction.payload.transactionId) { $0.revoke(reason, at: now) }
        if let revoked = transactions[transaction.payload.transactionId] { announce(.revoke, about: revoked, at: now) }
    }

    /// Takes away from family members what they had by a purchase that was refunded.
    mutating func revokeShares(of id: String, reason: RevocationReason, at now: Date) {
        guard let original = transactions[id], let owner = customers[original.customer] else { return }
        for member in owner.family {
            for transaction in (customers[member]?.transactions ?? []).compactMap({ transactions[$0] })
            where transaction.sharedFrom == id {
                guard transaction.isSubscription else {
                    revokeOnce(transaction, reason: reason, at: now)
                    continue
                }
                guard let share = subscriptions[transaction.payload.originalTransactionId],
                    transaction.payload.revocationDate == nil
                else { continue }
                let shared = transaction.payload.transactionId
                if share.current == shared {
                    revoke(share, reason: reason, at: now)
                } else if period(of: share, at: now)?.payload.transactionId == shared {
                    // What is paid ahead stays, as the purchaser's does.
                    revokeOnce(transaction, reason: reason, at: now)
                }
            }
        }
    }
}

extension Subscription {
    /// Goes on, or ends, as the purchaser's does.
    mutating func follow(_ owner: Subscription) {
        renewsAutomatically = owner.renewsAutomatically || owner.isCommitted
        renewalProduct = owner.nextProduct
        priceProduct = owner.priceProduct
        expirationIntent = owner.expirationIntent
        retryEnds = owner.retryEnds
        graceEnds = owner.graceEnds
        wasCancelledInGrace = owner.wasCancelledInGrace
    }
}

extension JWSTransactionDecodedPayload {
    fileprivate mutating func revoke(_ reason: RevocationReason, at now: Date) {
        revocationDate = now
        revocationReason = reason
        revocationType = .familyRevoke
    }
}
