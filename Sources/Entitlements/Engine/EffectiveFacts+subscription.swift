internal import AppStoreModels
internal import Foundation

extension EffectiveFacts {
    typealias Periods = ArraySlice<Transaction>

    /// Returns the period that determines the status of a subscription: the latest one that was not superseded.
    func currentPeriod(of periods: Periods) -> Transaction? {
        // If every period was superseded and the replacement is unknown, the last period stands for the ended
        // subscription.
        guard let latest = latestPeriod(of: periods) else { return periods.last }
        if periods.count == 1 { return latest }
        let fact = facts.transactions[latest.index]
        if fact.purchaseDate > asOf {
            // The App Store may sign a renewal up to a day before it begins. Until then, the paid period that is
            // running is current.
            let running = periods.indices.last {
                isRunning(periods[$0]) && !periods[$0].isSuperseded && !periods[$0].isRevoked
                    && !periods[$0].wasReplacedAhead && !wasReplaced($0, in: periods)
            }
            return running.map { periods[$0] } ?? latest
        }
        if latest.isRevoked, fact.ownership != .purchased {
            // A customer who rejoins a family during the grace period gets the old period again, from its beginning.
            return periods.last {
                !$0.isSuperseded && !$0.isRevoked && facts.transactions[$0.index].expiresDate == fact.expiresDate
            } ?? latest
        }
        return latest
    }

    /// Returns the latest period that was not superseded and has begun or will begin.
    private func latestPeriod(of periods: Periods) -> Transaction? {
        guard var latest = periods.lastIndex(where: { !$0.isSuperseded }) else { return nil }
        if periods.count == 1 { return periods[latest] }
        if !willBegin(latest, among: periods) {
            latest = periods.indices.last { !periods[$0].isSuperseded && willBegin($0, among: periods) } ?? latest
        }
        return periods[latest]
    }

    /// Returns the period that is paid for and has not begun, with its end; nil if there is none. Access continues in
    /// it after the current period, maybe by another product.
    func periodPaidAhead(among periods: Periods) -> (fact: TransactionFact, end: Date)? {
        // Nearly always every period has begun.
        guard let last = periods.last, facts.transactions[last.index].purchaseDate > asOf,
            let latest = latestPeriod(of: periods), !latest.isRevoked
        else { return nil }
        let fact = fact(latest)
        guard fact.purchaseDate > asOf, let end = fact.expiresDate else { return nil }
        return (fact, end)
    }

    /// Whether a period has begun or will begin. A period that was paid for in advance may be refunded, or replaced by
    /// an upgrade, before it begins.
    private func willBegin(_ position: Int, among periods: Periods) -> Bool {
        if neverBegins(periods[position]) { return false }
        let fact = fact(periods[position])
        // A renewal info that was signed at or after the transaction names the period that counts. If that period began
        // earlier, it replaced this one.
        guard let renewal = renewal(of: fact.originalTransactionID), renewal.signedDate >= fact.signedDate,
            renewal.renewalDate != fact.expiresDate
        else { return true }
        return !periods.contains { other in
            let named = facts.transactions[other.index]
            return named.purchaseDate < fact.purchaseDate && named.reason == .purchase && !other.isSuperseded
                && named.productID.isExactly(renewal.productID) && named.expiresDate == renewal.renewalDate
        }
    }

    /// Whether a period that was paid for in advance was refunded, revoked or replaced before it began.
    func neverBegins(_ period: Transaction) -> Bool {
        period.wasReplacedAhead || period.isRevoked && facts.transactions[period.index].wasRefundedAhead
    }

    /// Whether a purchase that has begun, such as an upgrade, replaced a running period.
    private func wasReplaced(_ position: Int, in periods: Periods) -> Bool {
        let begin = facts.transactions[periods[position].index].purchaseDate
        return periods[(position + 1)...].contains { later in
            let fact = facts.transactions[later.index]
            return fact.reason == .purchase && fact.purchaseDate > begin && fact.purchaseDate <= asOf
        }
    }

    /// Returns when another period replaced the one at a position before it was over, as an upgrade does; nil if no
    /// such period is known. Few transactions are signed again after their upgrade and say so themselves.
    func replacementDate(_ position: Int, in periods: Periods, _ current: Transaction) -> Date? {
        let period = fact(periods[position])
        let isRevoked = periods[position].isRevoked
        if periods[position].wasReplacedAhead {
            let replacement = periods[..<position].last { !$0.wasReplacedAhead }
            return isRevoked ? nil : replacement.map { fact($0).purchaseDate }
        }
        // It was paid for in advance, and the current period replaced it before it began, unless it was refunded.
        let began = fact(current).purchaseDate
        if period.purchaseDate > began { return isRevoked ? nil : began }
        // A period that never began, such as a renewal that this purchase replaced, is not the next one.
        let next = (position + 1..<periods.endIndex).first { !neverBegins(periods[$0]) }
        guard let next, let end = period.expiresDate else { return nil }
        let successor = fact(periods[next])
        // It was refunded before, so the customer bought again.
        if isRevoked, let date = period.revocationDate, date < successor.purchaseDate { return nil }
        // A renewal replaces nothing.
        return successor.reason != .renewal && successor.purchaseDate < end ? successor.purchaseDate : nil
    }

    private func isRunning(_ period: Transaction) -> Bool {
        let fact = facts.transactions[period.index]
        return fact.purchaseDate <= asOf && fact.expiresDate.map { $0 > asOf } ?? false
    }

    /// Returns the state of a subscription, from its current period and its renewal info.
    func subscription(_ current: Transaction, _ periods: Periods) -> SubscriptionState {
        let fact = facts.transactions[current.index]
        let renewal = renewal(of: fact.originalTransactionID).flatMap { $0.describes(fact) ? $0 : nil }
        let status = status(current, fact, renewal)
        var state = SubscriptionState(
            originalTransactionID: fact.originalTransactionID, transactionID: fact.transactionID,
            productID: fact.productID,
            subscriptionGroupIdentifier: fact.subscriptionGroupIdentifier ?? group(of: periods), status: status,
            hasAccess: status == .active || status == .billingGracePeriod, purchaseDate: fact.purchaseDate,
            expiresDate: fact.expiresDate, willRenew: renewal?.willRenew,
            autoRenewProductID: renewal?.autoRenewProductID, expirationIntent: renewal?.expirationIntent,
            isInBillingRetry: renewal?.isInBillingRetry ?? false,
            gracePeriodExpiresDate: renewal?.gracePeriodExpiresDate, ownership: fact.ownership,
            offerType: fact.offerType, offerIdentifier: fact.offerIdentifier,
            offerDiscountType: fact.offerDiscountType, priceIncreaseStatus: renewal?.priceIncreaseStatus,
            eligibleWinBackOfferIDs: renewal?.eligibleWinBackOfferIDs ?? [], details: [], nextStep: .noAction)
        state.formerGracePeriodEnd = renewal.flatMap { formerGracePeriodEnd(fact, $0) }
        if current.isRevoked { state.setRevocation(fact) }
        // A subscription that was replaced by one with another original transaction does not renew under the old one.
        if current.isSuperseded || status == .expired && renewal?.hasEnded == true { state.willRenew = false }
        state.accessUntil =
            status == .active
            ? periodPaidAhead(among: periods)?.end ?? fact.expiresDate
            : state.hasAccess ? renewal?.gracePeriodExpiresDate : nil
        state.details = state.details(isSuperseded: current.isSuperseded)
        state.nextStep = state.nextStep(isSuperseded: current.isSuperseded)
        return state
    }

    /// Returns the first status that applies: revoked, active, in the grace period, in billing retry, expired.
    private func status(
        _ current: Transaction, _ fact: TransactionFact, _ renewal: RenewalFact?
    ) -> SubscriptionStatus {
        if current.isRevoked { return .revoked }
        if current.isSuperseded { return .expired }
        if let expires = fact.expiresDate, expires > asOf { return .active }
        guard let renewal else { return .expired }
        if let grace = renewal.gracePeriodExpiresDate, grace > asOf, renewal.isAwaitingPayment {
            return .billingGracePeriod
        }
        return renewal.isInBillingRetry ? .billingRetry : .expired
    }

    /// Returns when the grace period after a period ended; nil if there was none, or if the renewal info in effect
    /// names it. If not, it had ended when that renewal info was signed.
    private func formerGracePeriodEnd(_ fact: TransactionFact, _ renewal: RenewalFact) -> Date? {
        guard renewal.gracePeriodExpiresDate == nil, let start = fact.expiresDate,
            renewal.isInBillingRetry || renewal.expirationIntent == .billingError
        else { return nil }
        return gracePeriodEnd(of: fact.originalTransactionID, from: start).map { min($0, renewal.signedDate) }
    }

    /// Returns the end of the grace period of a subscription that began with the end of a period; nil if none is known.
    private func gracePeriodEnd(of originalTransactionID: String, from start: Date) -> Date? {
        let earlier = facts.renewals.compactMap { $0.signedDate <= asOf ? $0.gracePeriod : nil }
        return (facts.gracePeriods + earlier).filter {
            $0.start == start && $0.originalTransactionID.isExactly(originalTransactionID)
        }.map(\.end).max()
    }

    /// Whether a subscription had ended when the customer bought its next period. A purchase in a grace period continues
    /// the access.
    func restarted(after fact: TransactionFact, by next: TransactionFact) -> Bool {
        guard next.reason == .purchase, let end = fact.expiresDate, next.purchaseDate >= end else { return false }
        return gracePeriodEnd(of: fact.originalTransactionID, from: end).map { $0 <= next.purchaseDate } ?? true
    }

    private func group(of periods: Periods) -> String? {
        periods.lazy.compactMap { facts.transactions[$0.index].subscriptionGroupIdentifier }.last
    }
}

extension RenewalFact {
    /// Whether the renewal info describes this period and not an earlier one. A failed payment or a cancellation in an
    /// earlier renewal info no longer matters once the customer has bought again.
    func describes(_ fact: TransactionFact) -> Bool {
        if productID.isExactly(fact.productID), renewalDate == fact.expiresDate { return true }
        // A period that was paid late, in a grace period, begins before the payment failed. Only its end identifies it.
        let isOfEarlier = renewalDate.map { $0 <= fact.purchaseDate } ?? false
        return signedDate >= fact.purchaseDate && !isOfEarlier
    }

    /// Whether the App Store is still trying to charge the customer. `isInBillingRetryPeriod` was reported to be false
    /// in some grace periods after a trial, so a subscription that will renew counts too, unless the renewal info names
    /// a reason other than the payment.
    fileprivate var isAwaitingPayment: Bool {
        isInBillingRetry || (willRenew && !hasEnded)
    }
}

extension SubscriptionState {
    fileprivate mutating func setRevocation(_ fact: TransactionFact) {
        revocationDate = fact.revocationDate
        revocationReason = fact.revocationReason
        revocationType = fact.revocationType
    }

    fileprivate func details(isSuperseded: Bool) -> [StateDetail] {
        var details: [StateDetail] = []
        switch status {
        case .active, .billingGracePeriod: addAccessDetails(&details)
        case .billingRetry: details.append(.billingRetry)
        case .revoked: details.append(.revocation(revocationType, ownership))
        default:
            details.append(isSuperseded ? .upgraded : .expired)
            if !isSuperseded, let reason = StateDetail(expirationIntent) { details.append(reason) }
        }
        if let owner = StateDetail(ownership) { details.append(owner) }
        return details
    }

    private func addAccessDetails(_ details: inout [StateDetail]) {
        if status == .billingGracePeriod { details.append(.inGracePeriod) }
        if offerType != nil {
            let isTrial = offerType == .introductory && offerDiscountType == .freeTrial
            details.append(isTrial ? .inTrial : .inOffer)
        }
        if willRenew == false {
            details.append(.willNotRenew)
        } else if let next = autoRenewProductID, !next.isExactly(productID) {
            details.append(.willChangeProduct)
        }
        if priceIncreaseStatus == .pending { details.append(.priceConsentPending) }
    }

    fileprivate func nextStep(isSuperseded: Bool) -> NextStep {
        if isSuperseded { return .noAction }
        // A family member or assignee cannot pay for this subscription or change it, but can buy one.
        if ownership != .purchased { return hasAccess ? .noAction : .subscribe }
        if status == .billingGracePeriod || status == .billingRetry { return .fixPayment }
        guard hasAccess else {
            if !eligibleWinBackOfferIDs.isEmpty { return .winBackOffer }
            // The App Store signs a reason when a subscription ends. Without one, it has probably charged the customer
            // for a renewal that is not known yet.
            return status == .expired && willRenew == true && expirationIntent == nil ? .noAction : .promotionalOffer
        }
        if willRenew == false { return .saveOffer }
        return priceIncreaseStatus == .pending ? .requestPriceConsent : .noAction
    }
}

extension StateDetail {
    /// Returns `.refunded` or `.revoked`, by the type of the revocation, or by the ownership if the type is absent.
    static func revocation(_ type: RevocationType?, _ ownership: InAppOwnershipType) -> StateDetail {
        switch type {
        case .refundFull?, .refundProrated?: .refunded
        case .familyRevoke?, .assignmentRevoke?: .revoked
        default: ownership == .purchased ? .refunded : .revoked
        }
    }

    init?(_ ownership: InAppOwnershipType) {
        switch ownership {
        case .familyShared: self = .familyShared
        case .assigned: self = .assigned
        default: return nil
        }
    }

    init?(_ intent: ExpirationIntent?) {
        switch intent {
        case .customerCancelled?: self = .cancelled
        case .billingError?: self = .billingError
        case .priceIncreaseNotAccepted?: self = .priceIncreaseNotAccepted
        case .productNotAvailable?: self = .productNotAvailable
        default: return nil
        }
    }
}
