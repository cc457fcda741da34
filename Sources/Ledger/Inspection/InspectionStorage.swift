internal import AppStoreModels
package import Entitlements
internal import Foundation

/// Reads what happened, for people.
package protocol InspectionStorage: Sendable {
    /// What happened to a customer, newest first: what the App Store told of a purchase while it was theirs, and when it came
    /// to them or went from them.
    ///
    /// - Parameter place: Where to go on: what comes after it. What is later than its date is not among the answers.
    func timeline(
        of customer: String, in scope: Int64, after place: TimelinePlace, limit: Int
    ) async throws -> [TimelineItem]

    /// Whether a notification is in a customer's timeline.
    func isNotification(_ id: Int64, inTimelineOf customer: String, in scope: Int64) async throws -> Bool

    /// Notifications, the last that was received first. Where those that wait or failed are looked for, what else was signed
    /// under their identifiers is among them, after all others.
    func notifications(_ filter: InboxFilter, before id: Int64, limit: Int) async throws -> NotificationPage

    /// The notification with this identifier.
    func notification(_ uuid: String) async throws -> KeptNotification?

    /// What else was signed under a notification's identifier, the first that was received first.
    func otherTexts(of notification: Int64, limit: Int) async throws -> [KeptNotification]

    /// The numbers of notifications, other texts of them included, that failed with a code, the lowest first.
    func failedNotifications(code: String, in scopes: [Int64], limit: Int) async throws -> [Int64]

    /// Puts notifications into the inbox again, in pieces, each a transaction. What waits there already waits once.
    func reprocess(_ notifications: [Int64], at now: Milliseconds) async throws

    /// The texts that facts are from, in the order in which they are wanted. A receipt is none: what it says has no signature
    /// of its own. What was signed under one identifier comes together: the fact is from one of them. Of other texts there are
    /// ``WantedFacts/mostOtherTexts`` in all, those of the notification first that was received first.
    ///
    /// - Parameter notifications: Whether notifications are wanted, or only what came without one.
    func sources(of wanted: [WantedFacts], notifications: Bool, in scope: Int64) async throws -> [FactText]
}

/// The facts of a purchase whose texts are wanted.
package struct WantedFacts: Sendable, Hashable {
    package var originalTransactionID: String
    /// The transactions; nil for all.
    package var transactions: Set<String>?
    /// Whether the renewal info is one of them.
    package var renewal: Bool

    /// Only Apple signs another text under an identifier that is known; it is not known to have happened.
    package static let mostOtherTexts = 100

    package init(_ originalTransactionID: String, transactions: Set<String>? = nil, renewal: Bool = true) {
        self.originalTransactionID = originalTransactionID
        self.transactions = transactions
        self.renewal = renewal
    }
}

extension InspectionStorage {
    /// The notification with an identifier that somebody wrote: a UUID in either case, as the App Store did not have to
    /// write it in lower case either.
    package func notification(named text: String) async throws -> KeptNotification? {
        if let kept = try await notification(text) { return kept }
        guard let uuid = UUID(text: text)?.text, !uuid.isExactly(text) else { return nil }
        return try await notification(uuid)
    }
}

extension KeptNotification {
    /// Whether it has the identifier that somebody wrote.
    package func isNamed(_ text: String) -> Bool {
        uuid.isExactly(text) || UUID(text: uuid).map { $0 == UUID(text: text) } ?? false
    }
}

/// A text that a fact of a purchase is from.
package struct FactText: Sendable, Hashable {
    package var originalTransactionID: String
    package var source: KeptSource

    package init(_ originalTransactionID: String, _ source: KeptSource) {
        (self.originalTransactionID, self.source) = (originalTransactionID, source)
    }
}

/// A place in a timeline: what has the same date is in the order of the number, then of the name, by its bytes.
package struct TimelinePlace: Sendable, Hashable, Comparable {
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

/// Something that happened to a customer.
package struct TimelineItem: Sendable {
    package enum Kind: Sendable {
        /// What the App Store told.
        case notification(KeptNotification)
        /// It came to the customer, or went from them.
        case change(Ownership.Change)
        /// The customer first got the app.
        case originalPurchase(OriginalPurchaseFact)
        /// The team gave the customer an entitlement, or the customer lost it.
        case grant(GrantChange)
    }

    /// Something that happened to a grant.
    package struct GrantChange: Sendable {
        package enum Kind: String, Sendable { case created, revoked, expired }

        package var kind: Kind
        package var grant: Grant

        package init(kind: Kind, grant: Grant) {
            self.kind = kind
            self.grant = grant
        }
    }

    package var place: TimelinePlace
    /// Empty where it is about no purchase in the app.
    package var originalTransactionID: String
    package var kind: Kind

    package init(place: TimelinePlace, originalTransactionID: String, kind: Kind) {
        self.place = place
        self.originalTransactionID = originalTransactionID
        self.kind = kind
    }
}

/// Which notifications are looked for. Nil is any.
package struct InboxFilter: Sendable {
    package var scopes: [Int64]
    package var type: String?
    package var subtype: String?
    package var state: KeptNotification.State?
    /// The subscription or purchase that they are about.
    package var originalTransactionID: String?
    /// When they were received: not before.
    package var from: Milliseconds?
    /// Before.
    package var to: Milliseconds?

    package init(scopes: [Int64]) { self.scopes = scopes }
}

extension InboxFilter {
    /// Whether a notification is one of those that are looked for, whatever it is about.
    package func accepts(_ kept: KeptNotification) -> Bool {
        (type.map { $0.isExactly(kept.type) } ?? true)
            && (subtype.map { kept.subtype?.isExactly($0) ?? false } ?? true)
            && (state.map { $0 == kept.state } ?? true) && (from.map { kept.receivedAt >= $0 } ?? true)
            && (to.map { kept.receivedAt < $0 } ?? true)
    }
}

/// Some of the notifications that were looked for.
package struct NotificationPage: Sendable {
    package var items: [KeptNotification]
    /// Where the next page begins; nil when there is no more. There can be more after a page with few or no items: only so
    /// many are looked through at a time.
    package var next: Int64?

    package init(items: [KeptNotification], next: Int64? = nil) {
        self.items = items
        self.next = next
    }
}

/// The text that a fact is from.
package enum KeptSource: Sendable, Hashable {
    /// The notification that held it.
    case notification(KeptNotification, holding: KeptStatement.Kind)
    /// It came without a notification.
    case statement(KeptStatement)

    /// The identifier of the notification; nil for a statement.
    package var notification: String? { if case .notification(let kept, _) = self { kept.uuid } else { nil } }

    /// Whether its text is damaged.
    package var isDamaged: Bool {
        switch self {
        case .notification(let kept, _): kept.isDamaged
        case .statement(let kept): kept.isDamaged
        }
    }
}

/// A fact that came by itself, with its text.
package struct KeptStatement: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case transaction, renewal }

    package var kind: Kind
    package var origin: Origin
    package var receivedAt: Milliseconds
    /// Empty where it is damaged.
    package var text: String

    /// Whether the text cannot be read, so that nobody believes it.
    package var isDamaged: Bool { text.isEmpty }

    package init(kind: Kind, origin: Origin, receivedAt: Milliseconds, text: String) {
        self.kind = kind
        self.origin = origin
        self.receivedAt = receivedAt
        self.text = text
    }
}
