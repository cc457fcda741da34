package import Foundation

/// The interval in which no signed notification of a scope is missing. Recovery proves it: it has read and verified
/// every page of the notification history in the interval.
package struct CompletenessMark: Sendable, Hashable {
    package var scope: Int64
    /// The beginning of the interval.
    package var since: Milliseconds
    /// The end of the interval: before the first notification that could not be verified.
    package var until: Milliseconds
    /// When the history was read.
    package var checkedAt: Milliseconds
    /// The end of the history that was read, verified or not.
    package var readUntil: Milliseconds
    /// The signing date of the newest notification that was read; nil if there was none. The date comes from the App
    /// Store's clock, so the history was certainly read up to there, even if the server's clock was wrong.
    package var signedUntil: Milliseconds?

    package init(
        scope: Int64, since: Milliseconds, until: Milliseconds, checkedAt: Milliseconds,
        readUntil: Milliseconds? = nil, signedUntil: Milliseconds? = nil
    ) {
        self.scope = scope
        self.since = since
        self.until = until
        self.checkedAt = checkedAt
        self.readUntil = readUntil ?? until
        self.signedUntil = signedUntil
    }

    /// Whether the interval is empty.
    package var isEmpty: Bool { until < since }

    /// Returns the part of the mark that is valid if the clock shows `now`. If the clock showed a later time when the
    /// history was read, one of the two is wrong, so only the App Store's own dates count.
    package func validPart(at now: Milliseconds) -> CompletenessMark {
        guard now + RecoveryPlan.historyDelay < checkedAt else { return self }
        var mark = self
        mark.readUntil = min(readUntil, signedUntil ?? since - 1)
        mark.until = min(until, mark.readUntil)
        return mark
    }
}

/// One recovery: a plan for reading the notification history, and its progress.
package struct RecoveryRun: Sendable, Hashable {
    /// Why the recovery was started.
    package enum Cause: String, Sendable, Hashable { case start, schedule, outage, request }

    package enum State: String, Sendable, Hashable {
        /// The recovery waits or is running. It continues after a crash.
        case open
        case done
        /// The App Store refuses the requests.
        case failed
    }

    package var id: Int64
    package var scope: Int64
    package var cause: Cause
    package var from: Milliseconds
    package var until: Milliseconds
    /// The notification types to read; empty for all.
    package var filters: [NotificationFilter]
    /// Whether the completeness mark moves at the end.
    package var movesMark: Bool
    package var state: State
    package var createdAt: Milliseconds
    package var finishedAt: Milliseconds?
    /// The last error.
    package var failure: String?
    package var counts: RecoveryCounts
    package var windows: Int
    package var openWindows: Int
    /// The signing date of the newest verified notification.
    package var signedUntil: Milliseconds?

    package init(
        id: Int64, scope: Int64, cause: Cause, from: Milliseconds, until: Milliseconds, filters: [NotificationFilter],
        movesMark: Bool, state: State, createdAt: Milliseconds, finishedAt: Milliseconds? = nil, failure: String? = nil,
        counts: RecoveryCounts, windows: Int, openWindows: Int, signedUntil: Milliseconds? = nil
    ) {
        self.id = id
        self.scope = scope
        self.cause = cause
        self.from = from
        self.until = until
        self.filters = filters
        self.movesMark = movesMark
        self.state = state
        self.createdAt = createdAt
        self.finishedAt = finishedAt
        self.failure = failure
        self.counts = counts
        self.windows = windows
        self.openWindows = openWindows
        self.signedUntil = signedUntil
    }

    /// The identifier in the API.
    package var name: String { "rec_\(id)" }
}

/// The numbers of pages and notifications that a recovery has read.
package struct RecoveryCounts: Sendable, Hashable {
    package var pages = 0
    /// The notifications on the pages.
    package var found = 0
    /// The notifications that the ledger did not have.
    package var new = 0
    package var duplicates = 0
    /// The notifications that could not be verified.
    package var failed = 0

    package init(pages: Int = 0, found: Int = 0, new: Int = 0, duplicates: Int = 0, failed: Int = 0) {
        self.pages = pages
        self.found = found
        self.new = new
        self.duplicates = duplicates
        self.failed = failed
    }
}

/// A part of the time of a recovery, read page by page. Both ends are included.
package struct RecoveryWindow: Sendable, Hashable {
    package var id: Int64 = 0
    package var recovery: Int64 = 0
    /// Windows of one stage are read in parallel; stages are read one after the other.
    package var stage: Int
    package var from: Milliseconds
    package var until: Milliseconds
    /// The only notification type to read; nil for all.
    package var filter: NotificationFilter?
    /// Whether to read only notifications that the App Store could not deliver. This is an optimization and proves
    /// nothing: an acknowledged notification may have been lost since.
    package var onlyFailures: Bool
    /// The pagination token of the next page; nil for the first.
    package var token: String?

    package init(
        stage: Int, from: Milliseconds, until: Milliseconds, filter: NotificationFilter? = nil,
        onlyFailures: Bool = false
    ) {
        self.stage = stage
        self.from = from
        self.until = until
        self.filter = filter
        self.onlyFailures = onlyFailures
    }
}

/// The result of reading a page, after its contents were stored.
package struct PageOutcome: Sendable {
    /// The pagination token of the next page.
    package var next: String?
    package var isLast: Bool
    package var counts: RecoveryCounts
    package var unverified: [UnverifiedItem]
    /// The signing date of the newest verified notification on the page.
    package var signedUntil: Milliseconds?

    package init(
        next: String? = nil, isLast: Bool, counts: RecoveryCounts, unverified: [UnverifiedItem],
        signedUntil: Milliseconds? = nil
    ) {
        self.next = next
        self.isLast = isLast
        self.counts = counts
        self.unverified = unverified
        self.signedUntil = signedUntil
    }
}

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
