package import AppStoreModels

/// A kind of notification, as the notification history can be asked for it: a type with exactly this subtype, or with none.
package struct NotificationFilter: Sendable, Hashable {
    package var type: NotificationTypeV2
    package var subtype: NotificationSubtype?

    package init(_ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil) {
        self.type = type
        self.subtype = subtype
    }

    /// `EXPIRED.VOLUNTARY`, or the type alone.
    package var name: String { type.rawValue + (subtype.map { "." + $0.rawValue } ?? "") }

    /// Those that change access: what is asked for first after a long outage.
    package static let urgent: [NotificationFilter] = [
        .didRenew, .expired, .refund, .revoke, .subscribed,
    ].flatMap(all(of:))

    /// A type with each of its subtypes. The App Store answers for a mere type only what has no subtype.
    package static func all(of type: NotificationTypeV2) -> [NotificationFilter] { known.filter { $0.type == type } }

    /// What a text such as `EXPIRED` or `EXPIRED.VOLUNTARY` means; empty for what the App Store does not know.
    package static func named(_ text: String) -> [NotificationFilter] {
        known.filter { $0.name == text || $0.type.rawValue == text }
    }

    /// The filter whose ``name`` is exactly this.
    package init?(name: String) {
        guard let known = Self.known.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Every pair that is documented: the App Store refuses all others.
    package static let known: [NotificationFilter] = [
        .init(.subscribed, .initialBuy), .init(.subscribed, .resubscribe), .init(.oneTimeCharge),
        .init(.didChangeRenewalPref), .init(.didChangeRenewalPref, .upgrade), .init(.didChangeRenewalPref, .downgrade),
        .init(.didChangeRenewalStatus), .init(.didChangeRenewalStatus, .autoRenewDisabled),
        .init(.didChangeRenewalStatus, .autoRenewEnabled),
        .init(.offerRedeemed), .init(.offerRedeemed, .upgrade), .init(.offerRedeemed, .downgrade),
        .init(.didRenew), .init(.didRenew, .billingRecovery),
        .init(.didFailToRenew), .init(.didFailToRenew, .gracePeriod), .init(.gracePeriodExpired),
        .init(.expired), .init(.expired, .voluntary), .init(.expired, .billingRetry), .init(.expired, .priceIncrease),
        .init(.expired, .productNotForSale),
        .init(.priceIncrease, .pending), .init(.priceIncrease, .accepted),
        .init(.consumptionRequest), .init(.refund), .init(.refundDeclined), .init(.refundReversed), .init(.revoke),
        .init(.renewalExtended), .init(.renewalExtension, .summary), .init(.renewalExtension, .failure),
        .init(.test), .init(.rescindConsent),
        .init(.externalPurchaseToken, .created), .init(.externalPurchaseToken, .activeTokenReminder),
        .init(.externalPurchaseToken, .unreported),
        .init(.metadataUpdate), .init(.migration), .init(.priceChange),
    ]
}
