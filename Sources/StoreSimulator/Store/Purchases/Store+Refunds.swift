package import AppStoreModels
package import Foundation

extension Store {
    mutating func requestRefund(
        _ customer: String, _ selector: String?, reason: ConsumptionRequestReason?, inApp: Bool, note: String?,
        at now: Date
    ) throws(StoreError) -> Subject {
        let transaction = try refundable(customer, selector)
        guard transaction.refund?.state != .requested else {
            throw StoreError(.impossibleTransition, "a refund of \(transaction.payload.transactionId) is being decided")
        }
        if inApp, let subscription = subscriptions[transaction.payload.originalTransactionId],
            subscription.renewsAutomatically, !isLapsed(subscription, at: now)
        {
            turnRenewalOff(subscription, at: now)
        }
        let id = transaction.payload.transactionId
        transactions[id]?.refund = .init(
            state: .requested, requested: now, reason: reason ?? .unintendedPurchase, note: note,
            refundedItems: transaction.refund?.refundedItems)
        let requestsConsumption =
            settings.sendsConsumptionRequestsForAllProducts || transaction.isSubscription
            || transaction.payload.type == .consumable
        if requestsConsumption, let updated = transactions[id] {
            announce(.consumptionRequest, about: updated, reason: reason ?? .unintendedPurchase, at: now)
        }
        scheduleRefundDecision(id, at: now)
        return Subject(customer: customer, transaction: id)
    }

    /// Schedules the decision about a requested refund for the end of the time in which the developer can answer, unless
    /// only commands decide.
    mutating func scheduleRefundDecision(_ id: String, at now: Date) {
        guard settings.refundDecision == .automatic else { return }
        let due = now.after(settings.consumptionWindow)
        transactions[id]?.refund?.due = due
        schedule.add(.refundDecision(id), at: due)
    }

    private func refundable(_ customer: String, _ selector: String?) throws(StoreError) -> StoredTransaction {
        let transaction = try transaction(of: customer, selector)
        guard transaction.payload.inAppOwnershipType == .purchased else {
            throw StoreError(.impossibleTransition, "only the purchaser can have a refund")
        }
        guard transaction.payload.revocationDate == nil else {
            throw StoreError(.alreadyRefunded, "\(transaction.payload.transactionId) is refunded already")
        }
        return transaction
    }

    mutating func approveRefund(
        _ customer: String, _ selector: String?, reason: RevocationReason?, percentage: Int32?, at now: Date
    ) throws(StoreError) -> Subject {
        let transaction = try refundable(customer, selector)
        guard (1...100_000).contains(percentage ?? 100_000) else {
            throw StoreError(.invalidArgument, "percentage must be 1 to 100000, in thousandths of a percent")
        }
        var share = percentage
        // By default the developer's preference applies.
        if percentage == nil, transaction.refund?.state == .requested, transaction.refund?.preference == .grantProrated
        {
            share = remaining(of: transaction, at: now)
        }
        refund(transaction, reason: reason ?? transaction.refund.reason, percentage: share, at: now)
        return Subject(customer: customer, transaction: transaction.payload.transactionId)
    }

    /// Refunds a transaction, in full if `percentage` is nil. A prorated refund of everything is a full one.
    package mutating func refund(
        _ transaction: StoredTransaction, reason: RevocationReason, percentage: Int32?, at now: Date
    ) {
        if let items = transaction.refund?.items { return refund(items, of: transaction, at: now) }
        let id = transaction.payload.transactionId
        let percentage = percentage ?? 100_000
        transactions[id]?.refund = .init(
            state: .granted, requested: transaction.refund?.requested, reason: transaction.refund?.reason, decided: now)
        change(id) {
            $0.revocationDate = now
            $0.revocationReason = reason
            $0.revocationType = percentage == 100_000 ? .refundFull : .refundProrated
            $0.revocationPercentage = percentage
        }
        if let subscription = subscriptions[transaction.payload.originalTransactionId], subscription.current == id,
            !cancelPaidAheadPeriod(subscription.id, at: now)
        {
            subscriptions[subscription.id]?.stop()
        }
        if let refunded = transactions[id] { announce(.refund, about: refunded, at: now) }
        revokeShares(of: id, reason: reason, at: now)
    }

    mutating func declineRefund(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let transaction = try transaction(of: customer, selector)
        guard transaction.refund?.state == .requested else {
            throw StoreError(
                .impossibleTransition, "there is no pending refund request for \(transaction.payload.transactionId)")
        }
        decline(transaction, at: now)
        return Subject(customer: customer, transaction: transaction.payload.transactionId)
    }

    mutating func decline(_ transaction: StoredTransaction, at now: Date) {
        let id = transaction.payload.transactionId
        transactions[id]?.refund?.state = .declined
        transactions[id]?.refund?.decided = now
        // If a refund is granted later, it covers the whole transaction.
        transactions[id]?.refund?.items = nil
        announce(.refundDeclined, about: transaction, at: now)
    }

    mutating func reverseRefund(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let transaction = try transaction(of: customer, selector)
        let id = transaction.payload.transactionId
        let refund = transaction.refund
        guard refund?.state != .requested else {
            throw StoreError(.impossibleTransition, "a refund of \(id) is being decided")
        }
        // A refund of items can be reversed even if a later request was declined.
        let isRefunded = refund?.state == .granted && transaction.payload.revocationDate != nil
        guard isRefunded || refund?.refundedItems != nil else {
            throw StoreError(.impossibleTransition, "\(id) is not refunded")
        }
        reinstateItems(of: transaction)
        transactions[id]?.refund?.state = .reversed
        change(id) {
            $0.revocationDate = nil
            $0.revocationReason = nil
            $0.revocationType = nil
            $0.revocationPercentage = nil
        }
        restoreCancelledPeriod(transaction, at: now)
        if let subscription = subscriptions[transaction.payload.originalTransactionId], subscription.current == id {
            if let expires = transaction.payload.expiresDate, expires > now {
                // A subscription that was migrated to Advanced Commerce has ended before its expiration date.
                if !subscription.isOver { scheduleRenewal(subscription.id, endingAt: expires, at: now) }
            } else {
                // As after every other end, the customer owes no payments.
                subscriptions[subscription.id]?.commitment = nil
                subscriptions[subscription.id]?.expirationIntent = subscription.expirationIntent ?? .customerCancelled
            }
        }
        if let reinstated = transactions[id] {
            announce(.refundReversed, about: reinstated, at: now)
            reinstateShares(reinstated, at: now)
        }
        return Subject(customer: customer, transaction: id)
    }

    /// Shares the purchase with the family again after a refund was reversed.
    private mutating func reinstateShares(_ transaction: StoredTransaction, at now: Date) {
        guard let subscription = subscriptions[transaction.payload.originalTransactionId] else {
            for member in customers[transaction.customer]?.family ?? [] {
                shareNonConsumable(transaction, with: member, at: now)
            }
            return
        }
        // The transaction may be the running period or one that was charged in advance.
        guard periods(of: subscription, at: now).contains(transaction.payload.transactionId) else { return }
        updateSharing(subscription.id, at: now)
    }

    /// Records the developer's answer to a consumption request. With automatic decisions, decides the refund.
    package mutating func answerConsumptionRequest(
        _ id: String, preference: RefundPreference?, consumption: Int32?, at now: Date
    ) {
        guard transactions[id]?.refund?.state == .requested else { return }
        transactions[id]?.refund?.preference = preference
        transactions[id]?.refund?.consumption = consumption
        if settings.refundDecision == .automatic { decideRefund(id, at: now) }
    }

    mutating func answer(
        _ customer: String, _ selector: String?, preference: RefundPreference?, percentage: Int32?, at now: Date
    ) throws(StoreError) -> Subject {
        let transaction = try transaction(of: customer, selector)
        let id = transaction.payload.transactionId
        guard transaction.refund?.state == .requested else {
            throw StoreError(.impossibleTransition, "there is no pending refund request for \(id)")
        }
        guard let requested = transaction.refund?.requested, now <= requested + settings.consumptionWindow else {
            throw StoreError(.impossibleTransition, "the time for an answer about \(id) is over")
        }
        guard (0...100_000).contains(percentage ?? 0) else {
            throw StoreError(.invalidArgument, "percentage must be 0 to 100000, in thousandths of a percent")
        }
        answerConsumptionRequest(id, preference: preference, consumption: percentage, at: now)
        return Subject(customer: customer, transaction: id)
    }

    /// Decides a refund request. The sandbox obeys certain customer notes first; otherwise the developer's preference
    /// decides, and without one the refund is granted in full.
    mutating func decideRefund(_ id: String, at now: Date) {
        guard let transaction = transactions[id], let request = transaction.refund, request.state == .requested,
            transaction.payload.revocationDate == nil
        else { return }
        // Other notes have no effect.
        let orders: [RefundPreference] = [.decline, .grantProrated]
        let order = isSandbox ? orders.first { $0.rawValue == request.note } : nil
        switch order ?? request.preference ?? .grantFull {
        case .decline: decline(transaction, at: now)
        case .grantProrated:
            refund(
                transaction, reason: transaction.refund.reason, percentage: remaining(of: transaction, at: now), at: now
            )
        default: refund(transaction, reason: transaction.refund.reason, percentage: nil, at: now)
        }
    }

    /// Returns the unused share of a purchase in thousandths of a percent. For a subscription it is the remaining time;
    /// for other products, the rest of the consumption that the developer reported, or half.
    package func remaining(of transaction: StoredTransaction, at now: Date) -> Int32 {
        guard transaction.isSubscription, let expires = transaction.payload.expiresDate else {
            return 100_000 - min(max(transaction.refund?.consumption ?? 50_000, 0), 99_999)
        }
        let length = expires.timeIntervalSince(transaction.payload.purchaseDate)
        guard length > 0 else { return 1 }
        let share = (expires.timeIntervalSince(now) / length * 100_000).rounded()
        return Int32(min(max(share, 1), 100_000))
    }
}

extension StoredTransaction.Refund? {
    fileprivate var reason: RevocationReason { self?.reason?.revocation ?? .other }
}

extension ConsumptionRequestReason {
    /// The revocation reason of the refund: an issue with the app, or another reason.
    var revocation: RevocationReason {
        switch self {
        case .fulfillmentIssue, .unsatisfiedWithPurchase: .issueWithApp
        default: .other
        }
    }
}
