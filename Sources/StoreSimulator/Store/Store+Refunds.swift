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
        let decides = settings.refunds == .automatic ? now.after(settings.consumptionWindow) : nil
        transactions[id]?.refund = .init(
            state: .requested, requested: now, due: decides, reason: reason ?? .unintendedPurchase, note: note,
            refundedItems: transaction.refund?.refundedItems)
        let isAsked =
            settings.asksAboutAllProducts || transaction.isSubscription || transaction.payload.type == .consumable
        if isAsked, let asked = transactions[id] {
            announce(.consumptionRequest, about: asked, reason: reason ?? .unintendedPurchase, at: now)
        }
        if let decides { schedule.add(.refundDecision(id), at: decides) }
        return Subject(customer: customer, transaction: id)
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
            throw StoreError(.invalidArgument, "a percentage is 1 to 100000 thousandths of a percent")
        }
        var share = percentage == 100_000 ? nil : percentage
        // Unless somebody says otherwise, as the developer's answer asks.
        if percentage == nil, transaction.refund?.state == .requested, transaction.refund?.preference == .grantProrated
        {
            share = remaining(of: transaction, at: now)
        }
        refund(transaction, reason: reason ?? transaction.refund.reason, percentage: share, at: now)
        return Subject(customer: customer, transaction: transaction.payload.transactionId)
    }

    /// Gives the money back, all of it if `percentage` is nil.
    package mutating func refund(
        _ transaction: StoredTransaction, reason: RevocationReason, percentage: Int32?, at now: Date
    ) {
        if let items = transaction.refund?.items { return refund(items, of: transaction, at: now) }
        let id = transaction.payload.transactionId
        transactions[id]?.refund = .init(
            state: .granted, requested: transaction.refund?.requested, reason: transaction.refund?.reason, decided: now)
        change(id) {
            $0.revocationDate = now
            $0.revocationReason = reason
            $0.revocationType = percentage == nil ? .refundFull : .refundProrated
            $0.revocationPercentage = percentage ?? 100_000
        }
        if let subscription = subscriptions[transaction.payload.originalTransactionId], subscription.current == id,
            !returnToRunningPeriod(subscription.id, at: now)
        {
            subscriptions[subscription.id]?.renewsAutomatically = false
            subscriptions[subscription.id]?.due = nil
            subscriptions[subscription.id]?.nextOffer = nil
            subscriptions[subscription.id]?.retryEnds = nil
            subscriptions[subscription.id]?.graceEnds = nil
        }
        if let refunded = transactions[id] { announce(.refund, about: refunded, at: now) }
        revokeShares(of: id, reason: reason, at: now)
    }

    mutating func declineRefund(_ customer: String, _ selector: String?, at now: Date) throws(StoreError) -> Subject {
        let transaction = try transaction(of: customer, selector)
        guard transaction.refund?.state == .requested else {
            throw StoreError(.impossibleTransition, "nobody asked for a refund of \(transaction.payload.transactionId)")
        }
        decline(transaction, at: now)
        return Subject(customer: customer, transaction: transaction.payload.transactionId)
    }

    mutating func decline(_ transaction: StoredTransaction, at now: Date) {
        let id = transaction.payload.transactionId
        transactions[id]?.refund?.state = .declined
        transactions[id]?.refund?.decided = now
        // A refund that is granted after all is one of the whole transaction.
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
        // Another one that was declined since changes nothing about a refund of items.
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
        returnToPeriod(transaction, at: now)
        if let subscription = subscriptions[transaction.payload.originalTransactionId], subscription.current == id {
            if let expires = transaction.payload.expiresDate, expires > now {
                // What goes on as an Advanced Commerce subscription has ended before its time.
                if !subscription.isOver { planRenewal(subscription.id, endingAt: expires, at: now) }
            } else if subscription.expirationIntent == nil {
                subscriptions[subscription.id]?.expirationIntent = .customerCancelled
            }
        }
        if let reinstated = transactions[id] {
            announce(.refundReversed, about: reinstated, at: now)
            shareAgain(reinstated, at: now)
        }
        return Subject(customer: customer, transaction: id)
    }

    /// The family regains what the refund took away.
    private mutating func shareAgain(_ transaction: StoredTransaction, at now: Date) {
        if let subscription = subscriptions[transaction.payload.originalTransactionId] {
            // The next period may be paid already.
            guard periods(of: subscription, at: now).contains(transaction.payload.transactionId) else { return }
            updateSharing(subscription.id, at: now)
        } else if let product = catalogue.product(transaction.payload.productId), product.isFamilyShareable,
            product.type == .nonConsumable
        {
            for member in customers[transaction.customer]?.family ?? [] {
                shareOnce(transaction, product, with: member, at: now)
            }
        }
    }

    /// The developer's answer to a consumption request.
    package mutating func answerConsumptionRequest(
        _ id: String, preference: RefundPreference?, consumption: Int32?, at now: Date
    ) {
        guard transactions[id]?.refund?.state == .requested else { return }
        transactions[id]?.refund?.preference = preference
        transactions[id]?.refund?.consumption = consumption
        if settings.refunds == .automatic { decideRefund(id, at: now) }
    }

    mutating func answer(
        _ customer: String, _ selector: String?, preference: RefundPreference?, percentage: Int32?, at now: Date
    ) throws(StoreError) -> Subject {
        let transaction = try transaction(of: customer, selector)
        let id = transaction.payload.transactionId
        guard transaction.refund?.state == .requested else {
            throw StoreError(.impossibleTransition, "nobody asked for a refund of \(id)")
        }
        guard (0...100_000).contains(percentage ?? 0) else {
            throw StoreError(.invalidArgument, "a percentage is 0 to 100000 thousandths of a percent")
        }
        answerConsumptionRequest(id, preference: preference, consumption: percentage, at: now)
        return Subject(customer: customer, transaction: id)
    }

    /// Decides as the sandbox does: what the customer wrote goes before what the developer prefers, and silence is consent.
    mutating func decideRefund(_ id: String, at now: Date) {
        guard let transaction = transactions[id], let request = transaction.refund, request.state == .requested,
            transaction.payload.revocationDate == nil
        else { return }
        // Any other text is no order.
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

    /// What share of a purchase is not used yet, in thousandths of a percent: of a subscription the time that is left, of
    /// anything else what the developer said, or half.
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
    /// What a refund says of its cause: whether the customer complained of the app, or anything else.
    var revocation: RevocationReason {
        switch self {
        case .fulfillmentIssue, .unsatisfiedWithPurchase: .issueWithApp
        default: .other
        }
    }
}
