package import AppStoreModels
package import Ledger

extension CompatibleEvent {
    /// Returns the events of the compatible format that represent an event type. Empty if none does.
    package static func events(of type: EventType) -> [CompatibleEvent] { table[type] ?? [] }

    private static let table: [EventType: [CompatibleEvent]] = {
        var table: [EventType: [CompatibleEvent]] = [
            .webhookTest: [.test], .purchaseTransferred: [.transfer], .purchaseLinked: [.transfer],
        ]
        // Notification kinds with the same event type have the same compatible events.
        for kind in NotificationKind.all { table[EventType(rawValue: kind.event)] = kind.compatible }
        return table
    }()

    /// Whether this compatible event matches the details of an event. The table considers only the event type.
    func applies(to context: EventContext) -> Bool {
        let subtype = context.parts?.payload.subtype
        let isSubscription = context.parts?.transaction?.type == .autoRenewableSubscription
        switch (context.event.type.rawValue, self) {
        // An offer for the current product takes effect with the next renewal, which has its own event.
        case ("subscription.offer_redeemed", .productChange): return subtype == .upgrade || subtype == .downgrade
        case ("subscription.offer_redeemed", .renewal): return subtype == .upgrade
        case ("purchase.refunded", .cancellation): return context.isEndedByRefund
        case ("purchase.refunded", .expiration): return isSubscription && context.isEndedByRefund
        case ("refund.reversed", _): return context.isRestoredByReversal
        case ("purchase.revoked", .cancellation): return !isSubscription
        case ("purchase.revoked", .expiration): return isSubscription && !context.continues
        // A subtype that this version does not know may leave the customer access, as GRACE_PERIOD does.
        case ("subscription.billing_failed", .expiration): return subtype == nil
        case ("subscription.migrated", .expiration): return context.migratedFrom != nil && context.previous != nil
        case ("subscription.renewal_changed", _): return context.parts?.renewal?.autoRenewStatus == .off
        default: return true
        }
    }
}

extension EventContext {
    /// Whether the App Store signed that the subscription goes on: the notification is about an earlier period, or
    /// about one of two paid periods.
    fileprivate var continues: Bool {
        let status = parts?.payload.data?.status
        return status == .active || status == .billingGracePeriod
    }

    /// Whether a refund ended what the customer had. True if the transaction is not known.
    fileprivate var isEndedByRefund: Bool {
        guard let transaction = parts?.transaction else { return true }
        // Without a date, only some items of an Advanced Commerce purchase were refunded.
        guard let revoked = transaction.revocationDate, !continues else { return false }
        guard let expires = transaction.expiresDate, expires <= revoked else { return true }
        // The end of the period was reported before. After a failed payment, access may have gone on in a grace period.
        let intent = parts?.renewal?.expirationIntent
        return intent == nil || intent == .billingError
    }

    /// Whether the reversal of a refund gives the customer something. The refund of an earlier period, or of one beside
    /// another paid period, had not ended access, and a period that is over does not begin again.
    fileprivate var isRestoredByReversal: Bool {
        guard let transaction = parts?.transaction, let renewal = parts?.renewal else { return true }
        return continues && transaction.expiresDate == renewal.renewalDate ?? transaction.expiresDate
    }
}
