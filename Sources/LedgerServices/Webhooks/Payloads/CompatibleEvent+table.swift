package import Ledger
package import AppStoreModels

extension CompatibleEvent {
    /// Returns the events of the compatible format that represent an event type. Empty if none does.
    package static func events(of type: EventType) -> [CompatibleEvent] { table[type] ?? [] }

    private static let table: [EventType: [CompatibleEvent]] = {
        var table: [EventType: [CompatibleEvent]] = [.webhookTest: [.test], .purchaseTransferred: [.transfer]]
        // Notification kinds with the same event type have the same compatible events.
        for kind in NotificationKind.all { table[EventType(rawValue: kind.event)] = kind.compatible }
        return table
    }()

    /// Whether this compatible event matches the details of an event. The table considers only the event type.
    func applies(to context: EventContext) -> Bool {
        let subtype = context.parts?.payload.subtype
        let transaction = context.parts?.transaction
        let isSubscription = transaction?.type == .autoRenewableSubscription
        switch (context.event.type.rawValue, self) {
        // An offer for the current product takes effect with the next renewal, which has its own event.
        case ("subscription.offer_redeemed", .productChange): return subtype == .upgrade || subtype == .downgrade
        case ("subscription.offer_redeemed", .renewal): return subtype == .upgrade
        case ("purchase.refunded", .cancellation): return !isSubscription || wasCurrent(transaction)
        case ("purchase.refunded", .expiration): return isSubscription && wasCurrent(transaction)
        case ("purchase.revoked", .cancellation): return !isSubscription
        case ("purchase.revoked", .expiration): return isSubscription
        // A subtype that this version does not know may leave the customer access, as GRACE_PERIOD does.
        case ("subscription.billing_failed", .expiration): return subtype == nil
        case ("subscription.renewal_changed", _): return context.parts?.renewal?.autoRenewStatus == .off
        default: return true
        }
    }

    /// Whether the transaction was revoked before it expired. True if a date is missing.
    private func wasCurrent(_ transaction: JWSTransactionDecodedPayload?) -> Bool {
        guard let transaction, let revoked = transaction.revocationDate, let expires = transaction.expiresDate else {
            return true
        }
        return revoked < expires
    }
}
