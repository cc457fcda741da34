package import Ledger
package import AppStoreModels

extension CompatibleEvent {
    /// What an event of ours is called.
    package static func events(of type: EventType) -> [CompatibleEvent] { table[type] ?? [] }

    private static let table: [EventType: [CompatibleEvent]] = {
        var table: [EventType: [CompatibleEvent]] = [.webhookTest: [.test], .purchaseTransferred: [.transfer]]
        // Kinds that have an event in common have these in common, too.
        for kind in NotificationKind.all { table[EventType(rawValue: kind.event)] = kind.compatible }
        return table
    }()

    /// Whether what happened is what the word means: the table knows the type of the event only.
    func applies(to context: EventContext) -> Bool {
        let subtype = context.parts?.payload.subtype
        let transaction = context.parts?.transaction
        let isSubscription = transaction?.type == .autoRenewableSubscription
        switch (context.event.type.rawValue, self) {
        // An offer for the present product takes effect with the next renewal, which is told then.
        case ("subscription.offer_redeemed", .productChange): return subtype == .upgrade || subtype == .downgrade
        case ("subscription.offer_redeemed", .renewal): return subtype == .upgrade
        case ("purchase.refunded", .cancellation): return !isSubscription || wasCurrent(transaction)
        case ("purchase.refunded", .expiration): return isSubscription && wasCurrent(transaction)
        case ("purchase.revoked", .cancellation): return !isSubscription
        case ("purchase.revoked", .expiration): return isSubscription
        case ("subscription.renewal_changed", _): return context.parts?.renewal?.autoRenewStatus == .off
        default: return true
        }
    }

    /// Whether the period that was taken back had not ended then.
    private func wasCurrent(_ transaction: JWSTransactionDecodedPayload?) -> Bool {
        guard let transaction, let revoked = transaction.revocationDate, let expires = transaction.expiresDate else {
            return true
        }
        return revoked < expires
    }
}
