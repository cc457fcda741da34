package import AppStoreModels
package import Foundation

// Renewals are charged before the period begins, at a time that the seed determines. Some are charged late.

extension Store {
    /// Returns the transaction of the running period. While the current transaction's period has not begun, this is the
    /// one before it.
    package func period(of subscription: Subscription, at now: Date) -> StoredTransaction? {
        guard let current = transactions[subscription.current] else { return nil }
        guard current.payload.purchaseDate > now, let before = subscription.beforeCharge,
            let running = transactions[before.current], isRunning(running.payload, at: now)
        else { return current }
        return running
    }

    /// Returns the transaction of the running period, followed by the one of a period charged in advance, if there is
    /// one.
    func periods(of subscription: Subscription, at now: Date) -> [String] {
        let running = period(of: subscription, at: now)?.payload.transactionId ?? subscription.current
        return running == subscription.current ? [running] : [running, subscription.current]
    }

    private func isRunning(_ payload: JWSTransactionDecodedPayload, at now: Date) -> Bool {
        payload.revocationDate == nil && payload.isUpgraded != true && payload.expiresDate.map { $0 > now } ?? false
    }

    /// Whether the next period was charged but has not begun.
    package func isPaidAhead(_ subscription: Subscription, at now: Date) -> Bool {
        transactions[subscription.current].map { $0.payload.purchaseDate > now } ?? false
    }

    /// Schedules the renewal of a subscription whose period ends at `expires`.
    mutating func scheduleRenewal(_ id: String, endingAt expires: Date, at now: Date) {
        guard let subscription = subscriptions[id] else { return }
        let start = transactions[subscription.current]?.payload.purchaseDate ?? now
        setDue(id, chargeDate(of: subscription, from: start, to: expires, at: now))
    }

    /// Returns when the renewal after the period from `start` to `expires` is charged.
    func chargeDate(of subscription: Subscription, from start: Date, to expires: Date, at now: Date) -> Date {
        // Advanced Commerce requests may change the price until the period ends.
        guard settings.maximumRenewalLeadTime > 0, subscription.advancedCommerce == nil else { return expires }
        let longest = min(
            settings.rate.shortened(settings.maximumRenewalLeadTime), expires.timeIntervalSince(start) / 2)
        // Charge at least a tenth of the longest lead before the end, so that the charge stays in advance for a while.
        let lead = longest * (0.1 + 0.9 * seededFraction(subscription.id, expires))
        let date = (expires - lead).wholeMilliseconds
        // A period must not be renewed before it begins.
        return date > max(now, start) ? date : expires
    }

    /// Returns the delay of the renewal at `expires`, in seconds. If the settings allow delays, a quarter of the
    /// renewals are late.
    func lateness(of subscription: Subscription, from start: Date, to expires: Date) -> TimeInterval {
        guard settings.maximumRenewalDelay > 0, subscription.advancedCommerce == nil else { return 0 }
        let fraction = seededFraction("late " + subscription.id, expires)
        guard fraction < 0.25 else { return 0 }
        return min(settings.maximumRenewalDelay, expires.timeIntervalSince(start) / 2) * fraction * 4
    }

    /// Returns a number in 0..<1 that depends only on the seed, `name` and `date`, not on other commands.
    func seededFraction(_ name: String, _ date: Date) -> Double {
        // FNV-1a over the name.
        var word = seed ^ 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { word = (word ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return (word ^ UInt64(bitPattern: date.millisecondsSince1970 ?? 0)).mixed.fraction
    }

    /// Whether the next period can be charged in the current state.
    func canCharge(_ subscription: Subscription) -> Bool {
        guard subscription.renewsAutomatically || subscription.isCommitted,
            subscription.pendingIncrease?.isAccepted ?? true, renewalProduct(of: subscription) != nil,
            isBelowRenewalCap(subscription)
        else { return false }
        return !isFailing(subscription)
    }

    /// Whether the subscription has renewed less often than ``StoreSettings/renewalCap`` allows.
    func isBelowRenewalCap(_ subscription: Subscription) -> Bool {
        settings.renewalCap.map { subscription.renewals < $0 } ?? true
    }

    /// Cancels the period that was charged in advance. The running period continues to its end and does not renew.
    ///
    /// - Returns: False, without any change, if the current period has begun.
    mutating func cancelPaidAheadPeriod(_ id: String, at now: Date) -> Bool {
        guard var subscription = subscriptions[id], isPaidAhead(subscription, at: now),
            let before = subscription.beforeCharge, let running = transactions[before.current]?.payload
        else { return false }
        // The increase that the cancelled period would have cost is still to come. One that was announced since stays.
        let since = subscription.priceProduct == before.priceProduct ? subscription.priceIncrease : nil
        subscription.priceIncrease = since ?? before.priceIncrease
        subscription.current = before.current
        subscription.renewalProduct = running.productId
        subscription.price = before.price
        subscription.priceProduct = before.priceProduct
        subscription.offer = before.offer
        subscription.renewals = before.renewals
        subscription.beforeCharge = nil
        subscription.plan = before.plan
        subscription.commitment = before.commitment
        // The customer owes no more periods of the commitment. If renewal is turned on again, another one begins.
        if let commitment = before.commitment {
            subscription.commitment?.totalPeriods = commitment.periodNumber
            subscription.commitment?.ends = running.expiresDate ?? commitment.ends
        }
        subscription.nextOffer = nil
        subscription.renewsAutomatically = false
        subscription.due = nil
        subscriptions[id] = subscription
        // Family members who could not share the cancelled period still have the running one.
        updateShares(of: id, at: now)
        if subscription.owner == nil, isRunning(running, at: now), let expires = running.expiresDate {
            setDue(id, expires)
        }
        return true
    }

    /// Restores a period that was cancelled before it began, because its refund was reversed.
    mutating func restoreCancelledPeriod(_ transaction: StoredTransaction, at now: Date) {
        guard var subscription = subscriptions[transaction.payload.originalTransactionId],
            subscription.current != transaction.payload.transactionId,
            let current = transactions[subscription.current]?.payload,
            current.expiresDate == transaction.payload.purchaseDate
        else { return }
        let isOver = transaction.payload.expiresDate.map { $0 <= now } ?? false
        // A restored period that has ended already does not pay for a later renewal that is in billing retry.
        guard subscription.retryEnds == nil || !isOver else { return }
        let before = Subscription.BeforeCharge(subscription)
        subscription.beforeCharge = transaction.payload.purchaseDate > now ? before : nil
        subscription.current = transaction.payload.transactionId
        subscription.renewalProduct = transaction.payload.productId
        subscription.renewals &+= 1
        subscription.offer = offer(of: transaction.payload, after: subscription)
        if let expires = transaction.payload.expiresDate { subscription.commitment?.ends = expires }
        if !isOver {
            // The restored period is paid.
            subscription.clearFailedRenewal()
            subscription.wasCancelledInGrace = false
        }
        subscriptions[subscription.id] = subscription
        updateShares(of: subscription.id, at: now)
    }

    /// Returns the offer of a restored period, which counts as one of the offer's periods.
    private func offer(
        of payload: JWSTransactionDecodedPayload, after subscription: Subscription
    ) -> Subscription.RunningOffer? {
        guard let type = payload.offerType else { return nil }
        if let before = subscription.offer, before.offer.type == type,
            before.offer.identifier == payload.offerIdentifier
        {
            return .init(offer: before.offer, periodsBegun: before.periodsBegun &+ 1)
        }
        return payload.offerIdentifier.flatMap { catalogue.product(payload.productId)?.offer($0, type: type) }
            .map { .init(offer: $0, periodsBegun: 1) }
    }
}

extension Subscription {
    /// The state of a subscription before its next period was charged.
    package struct BeforeCharge: Sendable, Codable, Hashable {
        package var current: String
        package var price: Int64
        package var priceProduct: String
        package var priceIncrease: PriceIncrease?
        package var offer: RunningOffer?
        package var plan: BillingPlanType?
        package var commitment: Commitment?
        package var renewals: Int

        init(_ subscription: Subscription) {
            current = subscription.current
            price = subscription.price
            priceProduct = subscription.priceProduct
            priceIncrease = subscription.priceIncrease
            offer = subscription.offer
            plan = subscription.plan
            commitment = subscription.commitment
            renewals = subscription.renewals
        }
    }
}
