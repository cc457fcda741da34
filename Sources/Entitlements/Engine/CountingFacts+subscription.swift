internal import AppStoreModels
internal import Foundation

extension CountingFacts {
    typealias Periods = ArraySlice<Transaction>

    /// The period that decides how a subscription stands: the latest that no upgrade has ended.
    func currentPeriod(of periods: Periods) -> Transaction? {
        // Without what took its place the last one stands for the subscription, which has ended.
        guard var latest = periods.last(where: { !$0.isUpgraded }) else { return periods.last }
        if periods.count == 1 { return latest }
        if !begins(latest, after: periods) {
            latest = periods.last { !$0.isUpgraded && begins($0, after: periods) } ?? latest
        }
        let fact = facts.transactions[latest.index]
        if fact.purchaseDate > asOf {
            // Renewals may be signed a day ahead. What is paid for already runs until then.
            return periods.last { !$0.isUpgraded && !$0.isRevoked && isRunning($0) } ?? latest
        }
        if latest.isRevoked, fact.ownership != .purchased {
            // Who is taken back into a family in its grace period gets the old period again, from its beginning.
            return periods.last {
                !$0.isUpgraded && !$0.isRevoked && facts.transactions[$0.index].expiresDate == fact.expiresDate
            } ?? latest
        }
        return latest
    }

    /// Whether a period has begun or will: one that was paid ahead may be refunded, or have its place taken by an upgrade,
    /// before it begins.
    private func begins(_ period: Transaction, after periods: Periods) -> Bool {
        let fact = facts.transactions[period.index]
        if period.isRevoked, let date = fact.revocationDate, date < fact.purchaseDate { return false }
        // A renewal info that is no older names the period that counts. If that began earlier, it took this one's place.
        guard let renewal = renewal(of: fact.originalTransactionID), renewal.signedDate >= fact.signedDate,
            renewal.renewalDate != fact.expiresDate
        else { return true }
        return !periods.contains { other in
            let named = facts.transactions[other.index]
            return named.purchaseDate < fact.purchaseDate && named.reason == .purchase && !other.isUpgraded
                && named.productID == renewal.productID && named.expiresDate == renewal.renewalDate
        }
    }

    private func isRunning(_ period: Transaction) -> Bool {
        let fact = facts.transactions[period.index]
        return fact.purchaseDate <= asOf && fact.expiresDate.map { $0 > asOf } ?? false
    }

    /// How a subscription stands, by its current period and its renewal info.
    func subscription(_ current: Transaction, _ periods: Periods) -> SubscriptionState {
        let fact = facts.transactions[current.index]
        let renewal = renewal(of: fact.originalTransactionID).flatMap { $0.isAbout(fact) ? $0 : nil }
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
            eligibleWinBackOfferIDs: renewal?.eligibleWinBackOfferIDs ?? [], details: [], nextStep: .nothing)
        if current.isRevoked { state.takeBack(fact) }
        // What goes on under another key does not renew under this one.
        if current.isUpgraded { state.willRenew = false }
        state.accessUntil =
            status == .active ? fact.expiresDate : state.hasAccess ? renewal?.gracePeriodExpiresDate : nil
        state.details = state.details(isUpgraded: current.isUpgraded)
        state.nextStep = state.step(isUpgraded: current.isUpgraded)
        return state
    }

    /// The first that applies, from the top: revoked, active, in the grace period, in billing retry, expired.
    private func status(
        _ current: Transaction, _ fact: TransactionFact, _ renewal: RenewalFact?
    ) -> SubscriptionStatus {
        if current.isRevoked { return .revoked }
        if current.isUpgraded { return .expired }
        if let expires = fact.expiresDate, expires > asOf { return .active }
        guard let renewal else { return .expired }
        if let grace = renewal.gracePeriodExpiresDate, grace > asOf, renewal.isStillOwed { return .billingGracePeriod }
        return renewal.isInBillingRetry ? .billingRetry : .expired
    }

    private func group(of periods: Periods) -> String? {
        for period in periods.reversed() {
            if let group = facts.transactions[period.index].subscriptionGroupIdentifier { return group }
        }
        return nil
    }
}

extension RenewalFact {
    /// Whether it was signed with a period in mind, not with an earlier one. What it says of a failed payment or of a
    /// cancellation is over when the customer has bought again.
    func isAbout(_ fact: TransactionFact) -> Bool {
        if productID == fact.productID, renewalDate == fact.expiresDate { return true }
        // What is paid late in a grace period begins before the payment failed: the end tells which period was meant.
        let isOfEarlier = renewalDate.map { $0 <= fact.purchaseDate } ?? false
        return signedDate >= fact.purchaseDate && !isOfEarlier
    }

    /// Whether the App Store still means to be paid. There are reports of grace periods, after a trial, in which
    /// `isInBillingRetryPeriod` was false; who has cancelled or was given up will not renew.
    fileprivate var isStillOwed: Bool {
        isInBillingRetry || (willRenew && expirationIntent ?? .billingError == .billingError)
    }
}

extension SubscriptionState {
    fileprivate mutating func takeBack(_ fact: TransactionFact) {
        revocationDate = fact.revocationDate
        revocationReason = fact.revocationReason
        revocationType = fact.revocationType
    }

    fileprivate func details(isUpgraded: Bool) -> [StateDetail] {
        var details: [StateDetail] = []
        switch status {
        case .active, .billingGracePeriod: addAccess(&details)
        case .billingRetry: details.append(.billingRetry)
        case .revoked: details.append(.takenBack(revocationType, ownership))
        default:
            details.append(isUpgraded ? .upgraded : .expired)
            if !isUpgraded, let reason = StateDetail(expirationIntent) { details.append(reason) }
        }
        if let owner = StateDetail(ownership) { details.append(owner) }
        return details
    }

    private func addAccess(_ details: inout [StateDetail]) {
        if status == .billingGracePeriod { details.append(.inGracePeriod) }
        if offerType != nil {
            let isTrial = offerType == .introductory && offerDiscountType == .freeTrial
            details.append(isTrial ? .inTrial : .inOffer)
        }
        if willRenew == false {
            details.append(.willNotRenew)
        } else if let next = autoRenewProductID, next != productID {
            details.append(.willChangeProduct)
        }
        if priceIncreaseStatus == .pending { details.append(.priceConsentPending) }
    }

    fileprivate func step(isUpgraded: Bool) -> NextStep {
        if isUpgraded { return .nothing }
        // Who did not buy it cannot pay for it or change it, but can buy one.
        if ownership != .purchased { return hasAccess ? .nothing : .subscribe }
        if status == .billingGracePeriod || status == .billingRetry { return .fixPayment }
        guard hasAccess else { return eligibleWinBackOfferIDs.isEmpty ? .promotionalOffer : .winBackOffer }
        if willRenew == false { return .saveOffer }
        return priceIncreaseStatus == .pending ? .askPriceConsent : .nothing
    }
}

extension StateDetail {
    /// Refunded or revoked: the kind of revocation says, or else who had paid.
    static func takenBack(_ type: RevocationType?, _ ownership: InAppOwnershipType) -> StateDetail {
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
