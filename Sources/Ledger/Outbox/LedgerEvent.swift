package import AppStoreModels
internal import Foundation

/// Something that happened to a customer's purchases: what a webhook tells.
package struct LedgerEvent: Sendable, Hashable {
    /// The identifier, the same in every delivery.
    package var id: String
    package var scope: Int64
    package var type: EventType
    package var originalTransactionID: String?
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

    /// How many newer ones are said again after a late one, at most.
    package static let maximumRepeats = 100

    package init(
        id: String, scope: Int64, type: EventType, originalTransactionID: String? = nil, customer: String? = nil,
        notification: Int64? = nil, occurredAt: Milliseconds, createdAt: Milliseconds, data: String? = nil
    ) {
        self.id = id
        self.scope = scope
        self.type = type
        self.originalTransactionID = originalTransactionID
        self.customer = customer
        self.notification = notification
        self.occurredAt = occurredAt
        self.createdAt = createdAt
        self.data = data
    }
}

extension LedgerEvent {
    /// What every identifier begins with. After it comes that of the notification, if there is one.
    package static let prefix = "evt_"

    /// The event of a notification that is kept under a number.
    package init(_ notification: FoldedNotification, number: Int64) {
        self.init(
            id: Self.prefix + notification.uuid, scope: notification.scope,
            type: EventType(notification.type, notification.subtype),
            originalTransactionID: notification.originalTransactionID, notification: number,
            occurredAt: notification.signedDate, createdAt: notification.foldedAt)
    }
}

/// The name of what happened: a noun, a dot, a verb in the past.
package struct EventType: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The event of a notification. A type or subtype that is new to this version is told by its own name.
    package init(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) {
        let kind = NotificationKind.closest(to: type, subtype)
        self.init(rawValue: kind?.event ?? "notification.\(type.rawValue.lowercased())")
    }

    /// A purchase went from one customer to another.
    package static let purchaseTransferred = Self(rawValue: "purchase.transferred")
    /// A purchase was linked to a customer.
    package static let purchaseLinked = Self(rawValue: "purchase.linked")
    /// The team gave a customer an entitlement.
    package static let grantCreated = Self(rawValue: "grant.created")
    /// The team took it back.
    package static let grantRevoked = Self(rawValue: "grant.revoked")
    /// It ended by itself.
    package static let grantExpired = Self(rawValue: "grant.expired")
    /// Somebody asked for a delivery, to see whether it arrives. Only that one endpoint is told.
    package static let webhookTest = Self(rawValue: "webhook.test")

    /// A subscription began another period.
    package static let subscriptionRenewed = Self(.didRenew, nil)

    /// Every event that this version makes of a notification that it knows.
    package static let all: [String] = Set(NotificationKind.all.map(\.event))
        .union(own.map(\.rawValue)).sorted()

    /// Those that no notification tells of.
    private static let own = [purchaseTransferred, purchaseLinked, grantCreated, grantRevoked, grantExpired]
}
