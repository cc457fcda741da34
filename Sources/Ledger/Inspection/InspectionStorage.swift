internal import AppStoreModels
package import Entitlements
internal import Foundation

/// Reads the history of customers and notifications, for people.
package protocol InspectionStorage: Sendable {
    /// Returns the timeline of a customer, newest first: the notifications about purchases while the customer owned
    /// them, and about Apple accounts while they were the customer's (``AccountOwnership``), changes of ownership, the
    /// original purchases of the app, and changes of grants. If different texts with one UUID are about an Apple
    /// account, the latest of their signing dates counts.
    ///
    /// - Parameter position: The cursor: the result begins after it and has nothing later than its date.
    func timeline(
        of customer: String, in scope: Int64, after position: TimelinePosition, limit: Int
    ) async throws -> [TimelineItem]

    /// Whether a notification is in a customer's timeline.
    func isNotification(_ id: Int64, inTimelineOf customer: String, in scope: Int64) async throws -> Bool

    /// Returns notifications, the newest (by row identifier) first. A filter for pending or failed notifications also
    /// returns different texts with the same UUIDs, after all others.
    func notifications(_ filter: InboxFilter, before id: Int64, limit: Int) async throws -> InboxPage

    /// Returns the events of notifications, by row identifier. A notification has one since it was first processed,
    /// unless it was imported.
    func events(ofNotifications ids: [Int64]) async throws -> [Int64: LedgerEvent]

    /// Returns the notification with this UUID.
    func notification(_ uuid: String) async throws -> StoredNotification?

    /// Returns different texts with the notification's UUID, the earliest (by row identifier) first.
    func otherTexts(of notification: Int64, limit: Int) async throws -> [StoredNotification]

    /// Returns the notifications, including different texts, that failed with an error code, by their
    /// ``InboxText/code`` in ascending order.
    func failedNotifications(code: String, in scopes: [Int64], limit: Int) async throws -> [Int64]

    /// Adds notifications, failed or processed, to the inbox again, in batches of one transaction each. A notification
    /// that is already in the inbox is there once, with the time of its first addition.
    ///
    /// - Parameter notifications: Their ``InboxText/code``.
    func reprocess(_ notifications: [Int64], at now: Milliseconds) async throws

    /// Returns the texts that contain the facts, in the order of `wanted`. Receipts are omitted, because they have no
    /// signature of their own. Texts with the same UUID are returned together: one of them contains the fact. There are
    /// at most ``FactSelection/maximumOtherTexts`` different texts, those of the earliest notifications first.
    ///
    /// - Parameter notifications: Whether to return notifications too, or only signed facts.
    func sources(of wanted: [FactSelection], notifications: Bool, in scope: Int64) async throws -> [FactText]
}

/// The facts of a purchase whose texts are requested.
package struct FactSelection: Sendable, Hashable {
    package var originalTransactionID: String
    /// The transaction identifiers; nil for all.
    package var transactions: Set<String>?
    /// Whether the renewal info is requested.
    package var renewal: Bool

    /// The maximum number of different texts with a known UUID. Only Apple can sign one, and no such case is known.
    package static let maximumOtherTexts = 100

    package init(_ originalTransactionID: String, transactions: Set<String>? = nil, renewal: Bool = true) {
        self.originalTransactionID = originalTransactionID
        self.transactions = transactions
        self.renewal = renewal
    }
}

extension InspectionStorage {
    /// Returns the notification with a UUID in upper or lower case, because the App Store's spelling may be either.
    package func notification(named text: String) async throws -> StoredNotification? {
        if let stored = try await notification(text) { return stored }
        guard let uuid = UUID(text: text)?.text, !uuid.isExactly(text) else { return nil }
        return try await notification(uuid)
    }
}

extension StoredNotification {
    /// Whether the notification has this UUID, in upper or lower case.
    package func isNamed(_ text: String) -> Bool {
        uuid.isExactly(text) || UUID(text: uuid).map { $0 == UUID(text: text) } ?? false
    }
}

/// A text that contains a fact of a purchase.
package struct FactText: Sendable, Hashable {
    package var originalTransactionID: String
    package var source: StoredSource

    package init(_ originalTransactionID: String, _ source: StoredSource) {
        (self.originalTransactionID, self.source) = (originalTransactionID, source)
    }
}

/// A position in a timeline: ordered by date, then by number, then by the bytes of the name.
package struct TimelinePosition: Sendable, Hashable, Comparable {
    package var date: Milliseconds
    package var number: Int64
    package var name: String

    package init(date: Milliseconds, number: Int64 = .max, name: String = "") {
        self.date = date
        self.number = number
        self.name = name
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.date, left.number, ExactText(left.name)) < (right.date, right.number, ExactText(right.name))
    }
}

/// An entry of a customer's timeline.
package struct TimelineItem: Sendable {
    package enum Kind: Sendable {
        /// A notification of the App Store.
        case notification(StoredNotification)
        /// The customer got or lost a purchase.
        case change(Ownership.Change)
        /// The customer first got the app.
        case originalPurchase(OriginalPurchaseFact)
        /// The team created or revoked a grant, or the grant expired.
        case grant(GrantChange)
    }

    /// A change of a grant.
    package struct GrantChange: Sendable {
        package enum Kind: String, Sendable { case created, revoked, expired }

        package var kind: Kind
        package var grant: Grant
    }

    package var position: TimelinePosition
    /// Empty if the entry is not about an in-app purchase.
    package var originalTransactionID: String
    package var kind: Kind

    package init(position: TimelinePosition, originalTransactionID: String, kind: Kind) {
        self.position = position
        self.originalTransactionID = originalTransactionID
        self.kind = kind
    }
}

/// A filter for notifications. Nil properties match everything.
package struct InboxFilter: Sendable {
    package var scopes: [Int64]
    package var type: String?
    package var subtype: String?
    package var state: StoredNotification.State?
    /// The subscription or purchase that they are about.
    package var originalTransactionID: String?
    /// The earliest arrival.
    package var from: Milliseconds?
    /// The end of the arrivals, excluded.
    package var to: Milliseconds?

    package init(scopes: [Int64]) { self.scopes = scopes }
}

extension InboxFilter {
    /// Whether a notification matches the filter, apart from `originalTransactionID`.
    package func accepts(_ stored: StoredNotification) -> Bool {
        (type.map { $0.isExactly(stored.type) } ?? true)
            && (subtype.map { stored.subtype?.isExactly($0) ?? false } ?? true)
            && (state.map { $0 == stored.state } ?? true) && (from.map { stored.receivedAt >= $0 } ?? true)
            && (to.map { stored.receivedAt < $0 } ?? true)
    }
}

/// A page of notifications.
package struct InboxPage: Sendable {
    package var items: [StoredNotification]
    /// The cursor of the next page; nil if there are no more. A page may have few or no items although more follow,
    /// because the number of rows that are read is limited.
    package var next: Int64?

    package init(items: [StoredNotification], next: Int64? = nil) {
        self.items = items
        self.next = next
    }
}

/// The stored text that contains a fact.
package enum StoredSource: Sendable, Hashable {
    /// The notification that contained the fact.
    case notification(StoredNotification, holding: StoredSignedFact.Kind)
    /// A text that was received without a notification.
    case signedFact(StoredSignedFact)

    /// The UUID of the notification; nil for a signed fact.
    package var notification: String? { if case .notification(let stored, _) = self { stored.uuid } else { nil } }

    /// Whether the text is corrupt.
    package var isDamaged: Bool {
        switch self {
        case .notification(let stored, _): stored.isDamaged
        case .signedFact(let stored): stored.isDamaged
        }
    }
}

/// A stored signed fact: the text of a fact that was received without a notification.
package struct StoredSignedFact: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case transaction, renewal }

    package var kind: Kind
    package var origin: Origin
    package var receivedAt: Milliseconds
    /// Empty if the text is corrupt.
    package var text: String

    /// Whether the text is corrupt, so that it cannot be verified.
    package var isDamaged: Bool { text.isEmpty }

    package init(kind: Kind, origin: Origin, receivedAt: Milliseconds, text: String) {
        self.kind = kind
        self.origin = origin
        self.receivedAt = receivedAt
        self.text = text
    }
}
