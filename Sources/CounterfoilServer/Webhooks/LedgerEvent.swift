package import AppStoreModels
internal import Foundation

/// Something that happened to a customer's purchases: what a webhook tells.
package struct LedgerEvent: Sendable, Hashable {
    /// The identifier, the same in every delivery.
    package var id: String
    package var scope: Int64
    package var type: EventType
    package var originalTransactionId: String?
    /// The customer, where the event itself names one; else the owner of the purchase.
    package var customer: String?
    /// The number of the notification that tells of it.
    package var notification: Int64?
    /// When it happened.
    package var occurredAt: Milliseconds
    /// When the server learned of it.
    package var createdAt: Milliseconds
    /// Members of its own, as a JSON object.
    package var data: String?
    /// Whether a newer one of the same purchase was known before it.
    package var isLate = false
}

extension LedgerEvent {
    /// What every identifier begins with. After it comes that of the notification, if there is one.
    static let prefix = "evt_"

    /// The event of a notification that is kept under a number.
    init(_ notification: FoldedNotification, number: Int64) {
        self.init(
            id: Self.prefix + notification.uuid, scope: notification.scope,
            type: EventType(notification.type, notification.subtype),
            originalTransactionId: notification.originalTransactionId, notification: number,
            occurredAt: notification.signedDate, createdAt: notification.foldedAt)
    }
}

/// The name of what happened: a noun, a dot, a verb in the past.
package struct EventType: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The event of a notification. A type or subtype that is new to this version is told by its own name.
    package init(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) {
        let name = [type.rawValue, subtype?.rawValue].compactMap(\.self).joined(separator: "/")
        let word = Self.names[name] ?? Self.names[type.rawValue] ?? "notification.\(type.rawValue.lowercased())"
        self.init(rawValue: word)
    }

    /// A purchase went from one customer to another.
    package static let purchaseTransferred = Self(rawValue: "purchase.transferred")
    /// A purchase was linked to a customer.
    package static let purchaseLinked = Self(rawValue: "purchase.linked")
    /// Somebody asked for a delivery, to see whether it arrives. Only that one endpoint is told.
    package static let webhookTest = Self(rawValue: "webhook.test")

    /// A subscription began another period.
    package static let subscriptionRenewed = Self(rawValue: "subscription.renewed")

    /// Every event that this version makes of a notification that it knows.
    package static let all: [String] = (Set(names.values).union(["purchase.transferred", "purchase.linked"])).sorted()

    private static let names = [
        "SUBSCRIBED": "subscription.started",
        "SUBSCRIBED/RESUBSCRIBE": "subscription.restarted",
        "DID_RENEW": "subscription.renewed",
        "DID_RENEW/BILLING_RECOVERY": "subscription.recovered",
        "DID_FAIL_TO_RENEW": "subscription.billing_failed",
        "DID_FAIL_TO_RENEW/GRACE_PERIOD": "subscription.grace_period_started",
        "GRACE_PERIOD_EXPIRED": "subscription.grace_period_expired",
        "EXPIRED": "subscription.expired",
        "DID_CHANGE_RENEWAL_STATUS": "subscription.renewal_changed",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED": "subscription.cancelled",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED": "subscription.uncancelled",
        "DID_CHANGE_RENEWAL_PREF": "subscription.change_cancelled",
        "DID_CHANGE_RENEWAL_PREF/UPGRADE": "subscription.upgraded",
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE": "subscription.downgrade_scheduled",
        "OFFER_REDEEMED": "subscription.offer_redeemed",
        "PRICE_INCREASE": "subscription.price_increase_pending",
        "PRICE_INCREASE/ACCEPTED": "subscription.price_increase_accepted",
        "PRICE_CHANGE": "subscription.price_changed",
        "RENEWAL_EXTENDED": "subscription.extended",
        "RENEWAL_EXTENSION": "subscription.extension_failed",
        "RENEWAL_EXTENSION/SUMMARY": "app.extension_summarized",
        "METADATA_UPDATE": "subscription.metadata_changed",
        "MIGRATION": "subscription.migrated",
        "ONE_TIME_CHARGE": "purchase.made",
        "REFUND": "purchase.refunded",
        "REFUND_DECLINED": "refund.declined",
        "REFUND_REVERSED": "refund.reversed",
        "REVOKE": "purchase.revoked",
        "CONSUMPTION_REQUEST": "refund.requested",
        "RESCIND_CONSENT": "customer.consent_rescinded",
        "EXTERNAL_PURCHASE_TOKEN": "external_purchase.token_unreported",
        "EXTERNAL_PURCHASE_TOKEN/CREATED": "external_purchase.token_created",
        "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER": "external_purchase.token_active",
        "TEST": "app.test",
    ]
}
