extension NotificationKind {
    /// Every pair of type and subtype in Apple's documentation, in the order of a purchase's life cycle. The App Store
    /// sends no others.
    package static let all = [
        beginnings, changes, offers, renewals, ends, refunds, extensions, others, advancedCommerce,
    ].flatMap(\.self)

    private static let beginnings: [NotificationKind] = [
        .init(
            .subscribed, .initialBuy, event: "subscription.started", compatible: [.initialPurchase],
            "Subscribed to {product}[ until {expiry}][ for {price}]."),
        // In the compatible vocabulary, a returning customer continues the same subscription.
        .init(
            .subscribed, .resubscribe, event: "subscription.restarted", compatible: [.renewal],
            "Subscribed again to {product}[ until {expiry}][ for {price}]."),
        .init(
            .oneTimeCharge, content: .oneTimePurchase, event: "purchase.made", compatible: [.nonRenewingPurchase],
            "Bought {product}[ ({quantity} times)][ for {price}]."),
    ]

    private static let changes: [NotificationKind] = [
        .init(
            .didChangeRenewalPref, .upgrade, event: "subscription.upgraded", compatible: [.productChange, .renewal],
            "Upgraded to {product}[ until {expiry}][ for {price}]."),
        .init(
            .didChangeRenewalPref, .downgrade, event: "subscription.downgrade_scheduled", compatible: [.productChange],
            "Will change to {nextProduct}[ on {end}]."),
        .init(
            .didChangeRenewalPref, event: "subscription.change_cancelled", compatible: [.productChange],
            "Took back the change: {product} stays."),
        .init(
            .didChangeRenewalStatus, .autoRenewDisabled, event: "subscription.cancelled", compatible: [.cancellation],
            "Cancelled: {product} ends[ on {end}]."),
        .init(
            .didChangeRenewalStatus, .autoRenewEnabled, event: "subscription.uncancelled",
            compatible: [.uncancellation], "Changed their mind: {product} will renew again[ into {otherProduct}]."),
        .init(
            .didChangeRenewalStatus, event: "subscription.renewal_changed", compatible: [.cancellation],
            "Turned the renewal of {product} on or off."),
    ]

    // Only an upgrade begins immediately. Otherwise the transaction is the current one, to which the offer does not apply.
    private static let offers: [NotificationKind] = [
        offer(nil, "Redeemed an offer for {product}."),
        offer(.upgrade, "Redeemed an offer for {product}[ until {expiry}][ for {price}]."),
        offer(.downgrade, "Redeemed an offer and will change to {nextProduct}[ on {end}]."),
    ]

    private static func offer(_ subtype: NotificationSubtype?, _ sentence: String) -> NotificationKind {
        .init(
            .offerRedeemed, subtype, event: "subscription.offer_redeemed", compatible: [.productChange, .renewal],
            sentence)
    }

    private static let renewals: [NotificationKind] = [
        .init(
            .didRenew, event: "subscription.renewed", compatible: [.renewal],
            "Renewed[ until {expiry}][ for {price}]."),
        .init(
            .didRenew, .billingRecovery, event: "subscription.recovered", compatible: [.renewal],
            "Paid after all: {product} renewed[ until {expiry}][ for {price}]."),
        .init(
            .didFailToRenew, .gracePeriod, event: "subscription.grace_period_started",
            compatible: [.billingIssue, .cancellation],
            "The renewal of {product} could not be charged; access goes on[ until {graceExpiry}]."),
        // Without a grace period access ends now. Receivers that wait for EXPIRATION must not wait until the retries
        // end, up to two months later.
        .init(
            .didFailToRenew, event: "subscription.billing_failed",
            compatible: [.billingIssue, .cancellation, .expiration],
            "The renewal of {product} could not be charged; the App Store tries again."),
        .init(
            .gracePeriodExpired, event: "subscription.grace_period_expired", compatible: [.expiration],
            "The billing grace period of {product} ended without payment."),
    ]

    private static let ends: [NotificationKind] = [
        expired(.voluntary, "{product} expired: {payer} had cancelled."),
        expired(.billingRetry, "{product} expired: it was not paid for."),
        expired(.priceIncrease, "{product} expired: {payer} did not agree to the higher price."),
        expired(.productNotForSale, "{product} expired: it was no longer for sale."),
        expired(nil, "{product} expired."),
        .init(
            .priceIncrease, .pending, event: "subscription.price_increase_pending",
            "Was asked to agree to a higher price of {product}."),
        .init(
            .priceIncrease, .accepted, event: "subscription.price_increase_accepted",
            "The higher price of {product} will be charged: {payer} agreed, or did not have to."),
    ]

    private static func expired(_ subtype: NotificationSubtype?, _ sentence: String) -> NotificationKind {
        .init(.expired, subtype, event: "subscription.expired", compatible: [.expiration], sentence)
    }

    private static let refunds: [NotificationKind] = [
        .init(.consumptionRequest, content: .purchase, event: "refund.requested", "Asked for a refund of {product}."),
        .init(
            .refund, content: .purchase, event: "purchase.refunded", compatible: [.cancellation, .expiration],
            "Refunded[ {refundedPart}]: {product}[ on {revocation}][, the period until {expiry}]."),
        .init(
            .refundDeclined, content: .purchase, event: "refund.declined", "A refund of {product} was declined."),
        .init(
            .refundReversed, content: .purchase, event: "refund.reversed", compatible: [.refundReversed],
            "The refund of {product} was reversed."),
        .init(
            .revoke, content: .purchase, event: "purchase.revoked", compatible: [.cancellation, .expiration],
            "Lost {product}[ on {revocation}]: {lossCause} ended."),
    ]

    private static let extensions: [NotificationKind] = [
        .init(
            .renewalExtended, event: "subscription.extended", compatible: [.subscriptionExtended],
            "The current period of {product} was extended[ until {expiry}]."),
        .init(
            .renewalExtension, .failure, event: "subscription.extension_failed",
            "The current period of {product} could not be extended."),
        .init(
            .renewalExtension, .summary, content: .summary, event: "app.extension_summarized",
            "The extension for all subscribers of {product} has ended."),
    ]

    private static let others: [NotificationKind] = [
        .init(.test, content: .app, event: "app.test", compatible: [.test]),
        .init(
            .rescindConsent, content: .appTransaction, event: "customer.consent_rescinded",
            "A parent or guardian withdrew consent for the app."),
        .init(
            .externalPurchaseToken, .created, content: .externalPurchaseToken, event: "external_purchase.token_created"),
        .init(
            .externalPurchaseToken, .activeTokenReminder, content: .externalPurchaseToken,
            event: "external_purchase.token_active"),
        .init(
            .externalPurchaseToken, .unreported, content: .externalPurchaseToken,
            event: "external_purchase.token_unreported"),
    ]

    private static let advancedCommerce: [NotificationKind] = [
        .init(.metadataUpdate, event: "subscription.metadata_changed", "The description of {product} changed."),
        // Another subscription with another original transaction replaces the one that the receiver knows.
        .init(
            .migration, event: "subscription.migrated", compatible: [.initialPurchase, .expiration],
            "The subscription to {product} moved to Advanced Commerce."),
        .init(.priceChange, event: "subscription.price_changed", "The price of {product} changed."),
    ]

    /// The meaning of a type without a subtype, or with an unknown one. Only for types that Apple always sends with a
    /// subtype; other types have a row without one.
    static let withoutSubtype: [NotificationKind] = [
        .init(
            .subscribed, event: "subscription.started", compatible: [.initialPurchase],
            "Subscribed to {product}[ until {expiry}][ for {price}]."),
        .init(
            .priceIncrease, event: "subscription.price_increase_pending",
            "A higher price of {product} was announced."),
        .init(
            .renewalExtension, event: "subscription.extension_failed",
            "The current period of {product} could not be extended."),
        .init(
            .externalPurchaseToken, content: .externalPurchaseToken, event: "external_purchase.token_unreported"),
    ]
}
