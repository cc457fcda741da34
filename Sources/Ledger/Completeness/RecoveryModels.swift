package import Foundation

/// From when until when nothing that the App Store signed for a scope is missing. The notification history is how that is
/// known: every page of it was read, and everything on them believed.
package struct CompletenessMark: Sendable, Hashable {
    package var scope: Int64
    /// The beginning of the stretch.
    package var since: Milliseconds
    /// The end of the stretch: before the first notification that was read and could not be believed.
    package var until: Milliseconds
    /// When the history was read.
    package var checkedAt: Milliseconds
    /// Up to where the history was read, whether or not everything could be believed.
    package var readUntil: Milliseconds
    /// The signing date of the newest notification on the pages; nil while there was none. The App Store's clock has shown
    /// it, whatever the server's says: up to there the history has certainly been read.
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

    /// Whether anything is in the stretch.
    package var isEmpty: Bool { until < since }

    /// As much of it as holds if the clock says `now`. One that showed more when the history was read was wrong then, or is
    /// now: only what the App Store's own dates prove is left.
    package func holding(at now: Milliseconds) -> CompletenessMark {
        guard now + RecoveryPlan.settling < checkedAt else { return self }
        var mark = self
        mark.readUntil = min(readUntil, signedUntil ?? since - 1)
        mark.until = min(until, mark.readUntil)
        return mark
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
    /// When the newest notification that was found and believed was signed.
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
    /// When the newest of those that can be believed was signed.
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

/// Something in an answer of the App Store that cannot be believed. It is missing in the ledger.
package struct UnverifiedItem: Sendable, Hashable {
    /// The beginning of the SHA-256 of its text, or of the identifier that it says it has.
    package var digest: Data
    /// The notification that it says it is, which nobody has proved; nil where it says nothing.
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

/// The same as it is remembered, until it was asked for again and believed.
package struct MissingItem: Sendable, Hashable {
    /// The notification that it says it is.
    package var claimedUUID: String?
    /// The transaction whose history held it; nil for what was in the notification history.
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

/// What is missing in a scope, by name, as far as there is room.
package struct MissingNames: Sendable, Hashable {
    /// How many of each are named.
    package static let most = 20

    /// What could not be believed, the last first.
    package var items: [MissingItem] = []
    /// The times whose notifications could not all be believed.
    package var spans: [UnverifiedSpans.Span] = []
    /// Transactions whose history the App Store does not tell.
    package var histories: [HistoryRequest] = []

    package init() {}
}

/// What is known to be missing in a scope, or not yet in its place.
package struct MissingCounts: Sendable, Hashable {
    package var openWindows = 0
    /// What was in the App Store's answers and cannot be believed.
    package var unverified = 0
    /// Times whose notifications could not all be believed.
    package var unverifiedSpans = 0
    /// Notifications that were kept and whose inside cannot be believed.
    package var failedNotifications = 0
    /// Notifications that are kept and wait to be folded.
    package var backlog = 0
    /// Transactions whose history is still to be asked for.
    package var historyRequests = 0
    /// Those among them that were asked for in vain, and will be again.
    package var putAside = 0
    /// Those that the App Store will never answer.
    package var failedHistoryRequests = 0

    package init() {}

    /// Whether anything of it is among ``MissingNames``.
    package var haveNames: Bool { unverified + unverifiedSpans + putAside + failedHistoryRequests > 0 }
}
