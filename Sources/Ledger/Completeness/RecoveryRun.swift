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

    private static let prefix = "rec_"

    /// The identifier in the API.
    package var name: String { "\(Self.prefix)\(id)" }

    /// Returns the number in a ``name``; nil if it is none.
    package static func id(of name: String) -> Int64? {
        name.hasPrefix(prefix) ? Int64(name.dropFirst(prefix.count)) : nil
    }
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
