internal import AppStoreModels
package import Foundation

// Renewals are charged before they begin, at a moment that the seed spreads, or sometimes late.

extension Store {
    /// The transaction whose period runs: not the current one while that is only paid ahead.
    package func period(of subscription: Subscription, at now: Date) -> StoredTransaction? {
        guard let current = transactions[subscription.current] else { return nil }
        guard current.payload.purchaseDate > now, let before = subscription.beforeCharge.first,
            let running = transactions[before.current], isRunning(running.payload, at: now)
        else { return current }
        return running
    }

    /// The transactions of the period that runs and of the one that is paid ahead, in this order; only the first where
    /// nothing is paid ahead.
    func periods(of subscription: Subscription, at now: Date) -> [String] {
        let running = period(of: subscription, at: now)?.payload.transactionId ?? subscription.current
        return running == subscription.current ? [running] : [running, subscription.current]
    }

    private func isRunning(_ payload: JWSTransactionDecodedPayload, at now: Date) -> Bool {
        payload.revocationDate == nil && payload.isUpgraded != true && payload.expiresDate.map { $0 > now } ?? false
    }

    /// Whether the next period is paid, and has not begun.
    package func isPaidAhead(_ subscription: Subscription, at now: Date) -> Bool {
        transactions[subscription.current].map { $0.payload.purchaseDate > now } ?? false
    }

    /// Plans the renewal of a subscription whose period ends at `expires`.
    mutating func planRenewal(_ id: String, endingAt expires: Date, at now: Date) {
        guard let subscription = subscriptions[id] else { return }
        let start = transactions[subscription.current]?.payload.purchaseDate ?? now
        setDue(id, chargeDate(of: subscription, from: start, to: expires, at: now))
    }

    /// When the renewal is charged that follows the period from `start` to `expires`.
    func chargeDate(of subscription: Subscription, from start: Date, to expires: Date, at now: Date) -> Date {
        // Advanced Commerce requests may still change what a period costs.
        guard settings.renewalLead > 0, subscription.advancedCommerce == nil else { return expires }
        let longest = min(settings.rate.shortened(settings.renewalLead), expires.timeIntervalSince(start) / 2)
        // The last tenth is left free: what is charged ahead is so for a while.
        let lead = longest * (0.1 + 0.9 * chance(subscription.id, expires))
        let date = (expires - lead).wholeMilliseconds
        // What has not begun ends no sooner than it begins.
        return date > max(now, start) ? date : expires
    }

    /// How late the renewal at `expires` comes, in seconds; a quarter of them do where that is allowed.
    func lateness(of subscription: Subscription, from start: Date, to expires: Date) -> TimeInterval {
        guard settings.renewalDelay > 0, subscription.advancedCommerce == nil else { return 0 }
        let chance = chance("late " + subscription.id, expires)
        guard chance < 0.25 else { return 0 }
        return min(settings.renewalDelay, expires.timeIntervalSince(start) / 2) * chance * 4
    }

    /// A number from 0 to below 1 that depends on the seed and on nothing that others do.
    func chance(_ name: String, _ date: Date) -> Double {
        // FNV-1a over the name, then SplitMix64's finish.
        var word = seed ^ 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { word = (word ^ UInt64(byte)) &* 0x100_0000_01B3 }
        word ^= UInt64(bitPattern: date.millisecondsSince1970 ?? 0)
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((word ^ (word >> 31)) >> 11) * 0x1p-53
    }

    /// Whether the next period can be charged as things are.
    func canCharge(_ subscription: Subscription) -> Bool {
        guard subscription.renewsAutomatically || subscription.isCommitted,
            subscription.pendingIncrease?.isAccepted ?? true, renewalProduct(of: subscription) != nil,
            settings.renewalCap.map({ subscription.renewals < $0 }) ?? true
        else { return false }
        return !isFailing(subscription)
    }

    /// Takes back the period that was paid ahead: the one before it runs to its end, and nothing follows.
    ///
    /// - Returns: False, and nothing has changed, where the current period has begun.
    mutating func returnToRunningPeriod(_ id: String, at now: Date) -> Bool {
        guard var subscription = subscriptions[id], isPaidAhead(subscription, at: now),
            let before = subscription.beforeCharge.first, let running = transactions[before.current]?.payload
        else { return false }
        subscription.current = before.current
        subscription.renewalProduct = running.productId
        subscription.price = before.price
        subscription.priceProduct = before.priceProduct
        subscription.offer = before.offer
        subscription.renewals = before.renewals
        subscription.beforeCharge = []
        subscription.commitment = nil
        subscription.priceIncrease = nil
        subscription.nextOffer = nil
        subscription.renewsAutomatically = false
        subscription.due = nil
        subscriptions[id] = subscription
        // Family members who could not share what was paid ahead are still in the period that runs.
        spread(nil, from: id, at: now)
        if subscription.owner == nil, isRunning(running, at: now), let expires = running.expiresDate {
            setDue(id, expires)
        }
        return true
    }

    /// Puts a period that was taken back before it began in its place again.
    mutating func returnToPeriod(_ transaction: StoredTransaction, at now: Date) {
        guard var subscription = subscriptions[transaction.payload.originalTransactionId],
            subscription.current != transaction.payload.transactionId,
            let current = transactions[subscription.current]?.payload,
            current.expiresDate == transaction.payload.purchaseDate
        else { return }
        let isOver = transaction.payload.expiresDate.map { $0 <= now } ?? false
        // What is over by now does not settle what is still tried to be charged.
        guard subscription.retryEnds == nil || !isOver else { return }
        let before = Subscription.BeforeCharge(subscription)
        subscription.beforeCharge = transaction.payload.purchaseDate > now ? [before] : []
        subscription.current = transaction.payload.transactionId
        subscription.renewalProduct = transaction.payload.productId
        subscription.renewals += 1
        if !isOver {
            // The customer has paid for it after all.
            subscription.expirationIntent = nil
            subscription.retryEnds = nil
            subscription.graceEnds = nil
            subscription.wasCancelledInGrace = false
            subscription.recovery = nil
        }
        subscriptions[subscription.id] = subscription
        spread(nil, from: subscription.id, at: now)
    }
}

extension Subscription {
    /// What a subscription was before its next period was charged.
    package struct BeforeCharge: Sendable, Codable, Hashable {
        package var current: String
        package var price: Int64
        package var priceProduct: String
        package var offer: RunningOffer?
        package var renewals: Int

        init(_ subscription: Subscription) {
            current = subscription.current
            price = subscription.price
            priceProduct = subscription.priceProduct
            offer = subscription.offer
            renewals = subscription.renewals
        }
    }
}
