internal import AppStoreModels
package import Foundation

/// From when until when nothing that the App Store signed for a scope is missing. The notification history is how that is
/// known: every page of it was read.
package struct CompletenessMark: Sendable, Hashable {
    package var scope: Int64
    /// The beginning of the stretch.
    package var since: Milliseconds
    /// The end of the stretch.
    package var until: Milliseconds
    /// When the history was read.
    package var checkedAt: Milliseconds

    package init(scope: Int64, since: Milliseconds, until: Milliseconds, checkedAt: Milliseconds) {
        self.scope = scope
        self.since = since
        self.until = until
        self.checkedAt = checkedAt
    }
}

/// One reading of the notification history, from its plan to its end.
package struct RecoveryRun: Sendable, Hashable {
    /// Why it is done.
    package enum Cause: String, Sendable, Hashable { case start, schedule, outage, request }

    package enum State: String, Sendable, Hashable {
        /// It waits or is under way. After a crash it goes on.
        case open
        case done
        /// The App Store refuses it.
        case failed
    }

    package var id: Int64
    package var scope: Int64
    package var cause: Cause
    package var from: Milliseconds
    package var until: Milliseconds
    /// Which kinds; empty for all.
    package var filters: [NotificationFilter]
    /// Whether the mark moves when it is done.
    package var movesMark: Bool
    package var state: State
    package var createdAt: Milliseconds
    package var finishedAt: Milliseconds?
    /// What went wrong last.
    package var failure: String?
    package var counts: RecoveryCounts
    package var windows: Int
    package var openWindows: Int

    /// Its name in the API.
    package var name: String { "rec_\(id)" }
}

/// What a recovery has come across.
package struct RecoveryCounts: Sendable, Hashable {
    package var pages = 0
    /// Notifications on those pages.
    package var found = 0
    /// Those that the ledger did not have.
    package var new = 0
    package var duplicates = 0
    /// Those that cannot be believed.
    package var failed = 0

    package init(pages: Int = 0, found: Int = 0, new: Int = 0, duplicates: Int = 0, failed: Int = 0) {
        self.pages = pages
        self.found = found
        self.new = new
        self.duplicates = duplicates
        self.failed = failed
    }
}

/// A part of the time of a recovery, read page by page. Both ends belong to it.
package struct RecoveryWindow: Sendable, Hashable {
    package var id: Int64 = 0
    package var recovery: Int64 = 0
    /// Windows of one stage are read at the same time, stages one after the other.
    package var stage: Int
    package var from: Milliseconds
    package var until: Milliseconds
    /// Only this kind; nil for all.
    package var filter: NotificationFilter?
    /// Only what the App Store could not deliver. A hint, never proof: what was acknowledged may have been lost since.
    package var onlyFailures: Bool
    /// Where the next page begins; nil for the first.
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

/// A page that was read: all that can be kept of it is on disk.
package struct PageOutcome: Sendable {
    /// Where the next page begins.
    package var next: String?
    package var isLast: Bool
    package var counts: RecoveryCounts
    package var unverified: [UnverifiedItem]
}

/// Something in an answer of the App Store that cannot be believed. It is missing in the ledger.
package struct UnverifiedItem: Sendable, Hashable {
    /// The beginning of the SHA-256 of its text.
    package var digest: Data
    /// The notification that it says it is, which nobody has proved; nil where it says nothing.
    package var claimedUUID: String?
    package var code: String
    package var message: String
}

/// What is known to be missing in a scope, or not yet in its place.
package struct MissingCounts: Sendable, Hashable {
    package var openWindows = 0
    /// Notifications of the history that cannot be believed.
    package var unverified = 0
    /// Notifications that were kept and whose inside cannot be believed.
    package var failedNotifications = 0
    /// Notifications that are kept and wait to be folded.
    package var backlog = 0
    /// Transactions whose history is still to be asked for.
    package var errands = 0
    /// Those that the App Store will never answer.
    package var failedErrands = 0

    package init() {}
}
