package import Foundation

/// A signed item in a response of the App Store that could not be verified, so the ledger lacks it.
package struct UnverifiedItem: Sendable, Hashable {
    /// A prefix of the SHA-256 of its text, or of the identifier that it claims to have.
    package var digest: Data
    /// The `notificationUUID` in the unverified text; nil if there is none.
    package var claimedUUID: String?
    package var code: String
    package var message: String

    package init(digest: Data, claimedUUID: String? = nil, code: String, message: String) {
        self.digest = digest
        self.claimedUUID = claimedUUID
        self.code = code
        self.message = message
    }
}

extension UnverifiedItem {
    /// How many items are stored for each app and environment. The mark does not depend on them: it depends on the
    /// unverified spans, and a history with such an item is requested again.
    package static let maximumCount = 10_000

    /// How many more items can be stored beside `count` others.
    package static func room(beside count: Int) -> Int { max(0, maximumCount - count) }

    /// Whether an item is still missing after a recovery.
    ///
    /// - Parameters:
    ///   - hasArrived: Whether the notification that the item claims to be has arrived and was verified.
    ///   - history: The transaction whose history contained the item; nil for the notification history.
    ///   - span: The time that was read when the item was found.
    ///   - spans: The unverified spans.
    package static func isMissing(
        hasArrived: Bool, history: String?, span: UnverifiedSpans.Span?, in spans: UnverifiedSpans
    ) -> Bool {
        if hasArrived { return false }
        if history != nil { return true }
        // The item is resolved if its time was read again and everything there was verified.
        return span.map { spans.touches($0) } ?? false
    }
}

extension UnverifiedSpans {
    /// Whether a span shares an instant with one of these.
    fileprivate func touches(_ span: Span) -> Bool {
        spans.contains { $0.from <= span.until && $0.until >= span.from }
    }
}

/// An unverified item as it is stored, until a later response contains it verified.
package struct StoredUnverifiedItem: Sendable, Hashable {
    /// The `notificationUUID` in the unverified text.
    package var claimedUUID: String?
    /// The transaction whose history contained the item; nil for the notification history.
    package var history: String?
    package var code: String
    package var message: String
    package var noticedAt: Milliseconds

    package init(
        claimedUUID: String? = nil, history: String? = nil, code: String, message: String, noticedAt: Milliseconds
    ) {
        self.claimedUUID = claimedUUID
        self.history = history
        self.code = code
        self.message = message
        self.noticedAt = noticedAt
    }
}

/// The items that are missing in a scope, up to a limit.
package struct MissingItems: Sendable, Hashable {
    /// The maximum number of each kind.
    package static let maximumCount = 20

    /// The items that could not be verified, the newest first.
    package var unverifiedItems: [StoredUnverifiedItem] = []
    /// The times with unverified notifications.
    package var unverifiedSpans: [UnverifiedSpans.Span] = []
    /// The failed requests for a transaction's history: those that will be tried again first, then those that were
    /// added last, then by the transaction's identifier.
    package var historyRequests: [HistoryRequest] = []

    package init() {}
}

/// The numbers of items that are missing in a scope or not yet processed.
package struct MissingCounts: Sendable, Hashable {
    package var openWindows = 0
    /// Items in the App Store's responses that could not be verified.
    package var unverified = 0
    /// Times with unverified notifications.
    package var unverifiedSpans = 0
    /// Stored notifications whose signed parts could not be verified.
    package var failedNotifications = 0
    /// Stored notifications that are not processed yet.
    package var backlog = 0
    /// Transactions whose history is still to be requested.
    package var historyRequests = 0
    /// The history requests that failed and will be tried again.
    package var retryingHistoryRequests = 0
    /// The history requests that the App Store will never answer.
    package var failedHistoryRequests = 0
    /// Whether a pass over all purchases is not finished that fills a gap of the notification history.
    package var isFillingGap = false

    package init() {}

    /// Whether ``MissingItems`` has entries.
    package var hasItems: Bool { unverified + unverifiedSpans + retryingHistoryRequests + failedHistoryRequests > 0 }
}
