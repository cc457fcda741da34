internal import AppStoreModels

/// An event in the words that the field knows. One event of ours can be several of these, or none; docs/webhooks.md has the
/// table.
enum CompatibleEvent: String, Sendable, Hashable {
    case test = "TEST"
    case initialPurchase = "INITIAL_PURCHASE"
    case renewal = "RENEWAL"
    case cancellation = "CANCELLATION"
    case uncancellation = "UNCANCELLATION"
    case nonRenewingPurchase = "NON_RENEWING_PURCHASE"
    case billingIssue = "BILLING_ISSUE"
    case productChange = "PRODUCT_CHANGE"
    case expiration = "EXPIRATION"
    case subscriptionExtended = "SUBSCRIPTION_EXTENDED"
    case transfer = "TRANSFER"
    case refundReversed = "REFUND_REVERSED"

    /// What an event of ours is called.
    static func events(of type: EventType) -> [CompatibleEvent] { table[type.rawValue] ?? [] }

    /// Every event of ours that has a name here.
    static let table: [String: [CompatibleEvent]] = [
        "app.test": [.test],
        "webhook.test": [.test],
        "subscription.started": [.initialPurchase],
        // Whoever comes back goes on with the same subscription.
        "subscription.restarted": [.renewal],
        "subscription.renewed": [.renewal],
        "subscription.recovered": [.renewal],
        "subscription.cancelled": [.cancellation],
        "subscription.renewal_changed": [.cancellation],
        "subscription.uncancelled": [.uncancellation],
        "subscription.upgraded": [.productChange, .renewal],
        "subscription.downgrade_scheduled": [.productChange],
        "subscription.change_cancelled": [.productChange],
        "subscription.offer_redeemed": [.productChange, .renewal],
        "subscription.grace_period_started": [.billingIssue, .cancellation],
        // There is no grace: access ends, and whoever waits for EXPIRATION must not wait for two months.
        "subscription.billing_failed": [.billingIssue, .cancellation, .expiration],
        "subscription.grace_period_expired": [.expiration],
        "subscription.expired": [.expiration],
        "subscription.extended": [.subscriptionExtended],
        "purchase.made": [.nonRenewingPurchase],
        "purchase.refunded": [.cancellation, .expiration],
        "purchase.revoked": [.cancellation, .expiration],
        "refund.reversed": [.refundReversed],
        "purchase.transferred": [.transfer],
    ]

    /// Whether what happened is what the word means: the table knows the type of the event only.
    func applies(to told: ToldEvent) -> Bool {
        let subtype = told.parts?.payload.subtype
        let transaction = told.parts?.transaction
        let isSubscription = transaction?.type == .autoRenewableSubscription
        switch (told.event.type.rawValue, self) {
        // An offer for the present product takes effect with the next renewal, which is told then.
        case ("subscription.offer_redeemed", .productChange): return subtype == .upgrade || subtype == .downgrade
        case ("subscription.offer_redeemed", .renewal): return subtype == .upgrade
        case ("purchase.refunded", .cancellation): return !isSubscription || wasCurrent(transaction)
        case ("purchase.refunded", .expiration): return isSubscription && wasCurrent(transaction)
        case ("purchase.revoked", .cancellation): return !isSubscription
        case ("purchase.revoked", .expiration): return isSubscription
        case ("subscription.renewal_changed", _): return told.parts?.renewal?.autoRenewStatus == .off
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
