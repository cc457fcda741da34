package import AppStoreModels
internal import Foundation

/// Something that happened to a customer's purchases. Webhooks and the feed publish events.
package struct LedgerEvent: Sendable, Hashable {
    /// The identifier, the same in every delivery.
    package var id: String
    package var scope: Int64
    package var type: EventType
    package var originalTransactionID: String?
    /// The customer, if the event itself or its Apple account names one; otherwise the owner of the purchase counts.
    package var customer: String?
    /// The customer; nil if the event has none or the customer was erased.
    package var namedCustomer: String? { customer.flatMap { Erasure.isStandIn($0) ? nil : $0 } }
    /// The row identifier of the notification that the event comes from.
    package var notification: Int64?
    /// The product that the notification is about; nil without one, and for the events of earlier versions.
    package var productID: String?
    /// When it happened.
    package var occurredAt: Milliseconds
    /// When the server learned of it.
    package var createdAt: Milliseconds
    /// Additional members, as a JSON object.
    package var data: String?
    /// Whether a newer event of the same purchase was known before this one.
    package var isLate = false

    /// The maximum number of newer events that are sent again after a late one.
    package static let maximumResentEvents = 100

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
    /// The prefix of every identifier. The UUID of the notification follows, if there is one.
    package static let prefix = "evt_"
}

/// The type of an event: a noun, a dot, a verb in the past tense.
package struct EventType: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Returns the type for a notification. A type or subtype that this version does not know keeps its own name.
    package init(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) {
        let kind = NotificationKind.closest(to: type, subtype)
        self.init(rawValue: kind?.event ?? "notification.\(type.rawValue.lowercased())")
    }

    /// A purchase moved from one customer to another.
    package static let purchaseTransferred = Self(rawValue: "purchase.transferred")
    /// A purchase was linked to a customer.
    package static let purchaseLinked = Self(rawValue: "purchase.linked")
    /// The team created a grant.
    package static let grantCreated = Self(rawValue: "grant.created")
    /// The team revoked a grant.
    package static let grantRevoked = Self(rawValue: "grant.revoked")
    /// A grant expired.
    package static let grantExpired = Self(rawValue: "grant.expired")
    /// A test delivery was requested. Only the endpoint in the request gets this event.
    package static let webhookTest = Self(rawValue: "webhook.test")

    /// A subscription began another period.
    package static let subscriptionRenewed = Self(.didRenew, nil)

    /// Every event type of this version.
    package static let all: [String] = Set(NotificationKind.all.map(\.event))
        .union(own.map(\.rawValue)).sorted()

    /// The types that do not come from a notification.
    private static let own = [purchaseTransferred, purchaseLinked, grantCreated, grantRevoked, grantExpired]
}
