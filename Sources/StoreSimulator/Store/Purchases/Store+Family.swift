internal import AppStoreModels
internal import Foundation

extension Store {
    /// A family has up to six members, including the purchaser.
    static let maximumFamilySize = 6

    mutating func share(_ id: String, with member: String, at now: Date) throws(StoreError) -> Subject {
        let customer = try customer(id)
        guard id != member else { throw StoreError(.invalidArgument, "a customer cannot join their own family") }
        guard !customer.family.contains(member) else {
            throw StoreError(.alreadyExists, "\(member) belongs to \(id)'s family already")
        }
        if let organizer = customer.organizer {
            throw StoreError(
                .impossibleTransition,
                "only a family's organizer shares purchases; \(id) belongs to \(organizer)'s family")
        }
        if let organizer = customers[member]?.organizer {
            throw StoreError(.impossibleTransition, "\(member) belongs to \(organizer)'s family already")
        }
        guard customers[member]?.family.isEmpty ?? true else {
            throw StoreError(.impossibleTransition, "\(member) has a family of their own")
        }
        guard customer.family.count + 1 < Self.maximumFamilySize else {
            throw StoreError(.limitReached, "a family has up to \(Self.maximumFamilySize) members")
        }
        try checkCustomer(member)
        addCustomer(member, at: now)
        customers[id]?.family.append(member)
        customers[member]?.organizer = id
        for subscription in subscriptions(of: id) {
            shareSubscription(subscription, with: member, at: now)
            scheduleSharing(subscription.id, at: now)
        }
        for transaction in transactions(of: id) { shareNonConsumable(transaction, with: member, at: now) }
        return Subject(customer: member, transaction: customers[member]?.transactions.last)
    }

    /// Shares the subscription with the family members who lack it, or revokes their shares if the product of the
    /// current period cannot be shared. If that period was charged in advance, schedules the change for its beginning.
    mutating func updateSharing(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id], let family = customers[subscription.customer]?.family,
            !family.isEmpty
        else { return }
        let shares = shares(of: subscription)
        guard isPaidAhead(subscription, at: now) || isCurrentShareable(subscription) else {
            for share in shares { revoke(share, reason: .other, at: now) }
            return
        }
        for member in family {
            // A member's share may lack one of two periods if its refund was reversed. A share in billing retry lacks
            // the period that the purchaser has bought since.
            if let share = shares.first(where: { $0.customer == member }), !isLapsed(share, at: now),
                share.retryEnds == nil || subscription.retryEnds != nil
            {
                shareRunningPeriod(subscription, with: share, at: now)
                sharePaidAheadPeriod(subscription, with: share, at: now)
            } else {
                shareSubscription(subscription, with: member, at: now)
            }
        }
        scheduleSharing(id, at: now)
    }

    /// Schedules the change of the family's shares for the beginning of a period that was charged in advance. If the
    /// running period cannot be shared or was refunded, the family has no share before.
    private mutating func scheduleSharing(_ id: String, at now: Date) {
        guard let subscription = subscriptions[id],
            let begins = transactions[subscription.current]?.payload.purchaseDate, begins > now,
            changesSharing(id, at: begins)
        else { return }
        schedule.add(.sharing(id), at: begins)
    }

    /// Whether the current period begins at `date` and then changes the family's shares. A schedule entry for a period
    /// that was refunded or replaced is obsolete.
    func changesSharing(_ id: String, at date: Date) -> Bool {
        guard let subscription = subscriptions[id], subscription.ownership == .purchased,
            transactions[subscription.current]?.payload.purchaseDate == date,
            let family = customers[subscription.customer]?.family
        else { return false }
        let shares = shares(of: subscription)
        guard isCurrentShareable(subscription) else { return !shares.isEmpty }
        return family.contains { member in
            !shares.contains { $0.customer == member && transactions[$0.current]?.sharedFrom == subscription.current }
        }
    }

    /// Whether the product of the current period is family shareable.
    func isCurrentShareable(_ subscription: Subscription) -> Bool {
        guard let current = transactions[subscription.current]?.payload else { return false }
        return subscriptionProduct(current.productId)?.isFamilyShareable == true
    }

    /// Announces a change of the purchaser's subscription, for the purchaser and each family member who shares it.
    mutating func propagate(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil, from id: String, at now: Date
    ) {
        announce(type, subtype, about: id, at: now)
        updateShares(of: id, type, subtype, at: now)
    }

    /// Copies the purchaser's renewal state to the shares of family members. Unless `type` is nil, announces the change
    /// for each member.
    mutating func updateShares(
        of id: String, _ type: NotificationTypeV2? = nil, _ subtype: NotificationSubtype? = nil, at now: Date
    ) {
        guard let subscription = subscriptions[id] else { return }
        for var share in shares(of: subscription) {
            share.copyRenewalState(from: subscription)
            subscriptions[share.id] = share
            if let type { announce(type, subtype, about: share, at: now) }
        }
    }

    /// Shares the purchaser's subscription with a family member, for the first time or again, if it gives access: the
    /// running period, and the next one if it was charged in advance.
    private mutating func shareSubscription(_ subscription: Subscription, with member: String, at now: Date) {
        guard status(of: subscription, at: now).givesAccess, subscription.ownership == .purchased,
            customers[member] != nil,
            let original = period(of: subscription, at: now)?.payload, original.purchaseDate <= now,
            let product = subscriptionProduct(original.productId), product.isFamilyShareable
        else { return }
        let own = subscriptions(of: member)
        let earlier = own.first { $0.owner == subscription.id }
        let belongsToGroup = own.contains { $0.group == subscription.group }
        var share =
            earlier
            ?? Subscription(
                customer: member, group: subscription.group, ownership: .familyShared, owner: subscription.id,
                renewalProduct: subscription.renewalProduct, price: 0, priceProduct: subscription.priceProduct,
                recentStart: now)
        share.copyRenewalState(from: subscription)
        updateRecentStart(&share, at: now)
        // In a grace period the paid period has ended, and a transaction cannot begin after its end.
        let isOver = (original.expiresDate ?? .distantFuture) <= now
        begin(
            &share, product, reason: .purchase, at: isOver ? original.purchaseDate : now,
            sharing: original.transactionId)
        save(share)
        announce(.subscribed, belongsToGroup ? .resubscribe : .initialBuy, about: share, at: now)
        sharePaidAheadPeriod(subscription, with: share, at: now)
    }

    /// Shares the running period with a member who only shares the one that was charged in advance, because a refund
    /// was reversed.
    private mutating func shareRunningPeriod(_ subscription: Subscription, with share: Subscription, at now: Date) {
        guard isPaidAhead(share, at: now), period(of: share, at: now)?.payload.transactionId == share.current,
            let running = period(of: subscription, at: now)?.payload, running.purchaseDate <= now,
            let product = subscriptionProduct(running.productId), product.isFamilyShareable
        else { return }
        var before = share
        begin(&before, product, reason: .purchase, at: now, sharing: running.transactionId)
        subscriptions[share.id]?.beforeCharge = Subscription.BeforeCharge(before)
        announce(.subscribed, .resubscribe, about: before, at: now)
    }

    /// Shares the next period, if it was charged in advance and can be shared, with a member who shares the running
    /// one.
    private mutating func sharePaidAheadPeriod(_ subscription: Subscription, with share: Subscription, at now: Date) {
        guard isPaidAhead(subscription, at: now), let next = transactions[subscription.current]?.payload,
            transactions[share.current]?.sharedFrom != next.transactionId,
            let product = subscriptionProduct(next.productId), product.isFamilyShareable
        else { return }
        renew(share, with: subscription, product, from: next.purchaseDate, nil, at: now)
    }

    /// Begins the next period of a share after the purchaser's has begun.
    mutating func renew(
        _ share: Subscription, with owner: Subscription, _ product: Product, from start: Date,
        _ subtype: NotificationSubtype?, at now: Date
    ) {
        var share = share
        updateRecentStart(&share, at: start)
        share.copyRenewalState(from: owner)
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

    /// Revokes everything that `member` shares from `id`'s purchases.
    mutating func revokeAll(from id: String, of member: String, at now: Date) {
        let shared = subscriptions(of: member).filter { share in
            share.owner.flatMap { subscriptions[$0]?.customer } == id
        }
        for share in shared where !isLapsed(share, at: now) { revokeAllPeriods(share, at: now) }
        for transaction in transactions(of: member)
        where !transaction.isSubscription && transaction.sharedFrom.flatMap({ transactions[$0]?.customer }) == id {
            revokeTransaction(transaction, reason: .other, at: now)
        }
    }

    /// Revokes a family member's share of a subscription, or an assigned seat.
    mutating func revoke(_ share: Subscription, reason: RevocationReason, at now: Date) {
        change(share.current) { $0.revoke(reason, at: now) }
        _ = cancelPaidAheadPeriod(share.id, at: now)
        subscriptions[share.id]?.stop()
        if let revoked = transactions[share.current] { announce(.revoke, about: revoked, at: now) }
    }

    /// Revokes a share or a seat, and its period that was charged in advance.
    mutating func revokeAllPeriods(_ share: Subscription, at now: Date) {
        revoke(share, reason: .other, at: now)
        guard let rest = subscriptions[share.id], rest.current != share.current,
            transactions[rest.current]?.payload.revocationDate == nil
        else { return }
        revoke(rest, reason: .other, at: now)
    }

    private mutating func revokeTransaction(_ transaction: StoredTransaction, reason: RevocationReason, at now: Date) {
        guard transaction.payload.revocationDate == nil else { return }
        change(transaction.payload.transactionId) { $0.revoke(reason, at: now) }
        if let revoked = transactions[transaction.payload.transactionId] { announce(.revoke, about: revoked, at: now) }
    }

    /// Revokes the family members' shares of a purchase that was refunded.
    mutating func revokeShares(of id: String, reason: RevocationReason, at now: Date) {
        guard let original = transactions[id], let owner = customers[original.customer] else { return }
        for member in owner.family {
            for transaction in transactions(of: member) where transaction.sharedFrom == id {
                guard transaction.isSubscription else {
                    revokeTransaction(transaction, reason: reason, at: now)
                    continue
                }
                guard let share = subscriptions[transaction.payload.originalTransactionId],
                    transaction.payload.revocationDate == nil
                else { continue }
                let shared = transaction.payload.transactionId
                if share.current == shared {
                    revoke(share, reason: reason, at: now)
                } else if period(of: share, at: now)?.payload.transactionId == shared {
                    // The period that was charged in advance stays, as the purchaser's does.
                    revokeTransaction(transaction, reason: reason, at: now)
                }
            }
        }
    }
}

extension Subscription {
    /// Copies the renewal state of the purchaser's subscription.
    mutating func copyRenewalState(from owner: Subscription) {
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
        revocationType = inAppOwnershipType == .assigned ? .assignmentRevoke : .familyRevoke
    }
}
