internal import AppStoreModels

/// Which subtypes a type of notification has. The notification history refuses every other pair.
enum NotificationPairs {
    /// Whether such a notification can exist. Without a subtype the filter is about a type, whichever subtypes it has.
    static func areLegal(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> Bool {
        guard let subtypes = subtypes[type] else { return false }
        return subtype.map(subtypes.contains) ?? true
    }

    private static let subtypes: [NotificationTypeV2: [NotificationSubtype]] = [
        .subscribed: [.initialBuy, .resubscribe],
        .oneTimeCharge: [],
        .didChangeRenewalPref: [.upgrade, .downgrade],
        .didChangeRenewalStatus: [.autoRenewEnabled, .autoRenewDisabled],
        .offerRedeemed: [.upgrade, .downgrade],
        .didRenew: [.billingRecovery],
        .didFailToRenew: [.gracePeriod],
        .gracePeriodExpired: [],
        .expired: [.voluntary, .billingRetry, .priceIncrease, .productNotForSale],
        .priceIncrease: [.pending, .accepted],
        .consumptionRequest: [],
        .refund: [],
        .refundDeclined: [],
        .refundReversed: [],
        .revoke: [],
        .renewalExtended: [],
        .renewalExtension: [.summary, .failure],
        .test: [],
        .rescindConsent: [],
        .externalPurchaseToken: [.unreported, .created, .activeTokenReminder],
        .metadataUpdate: [],
        .migration: [],
        .priceChange: [],
    ]
}
