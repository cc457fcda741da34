/// A pass over all subscriptions and purchases of a scope that finds those that look out of date.
package struct HistoryPass: Sendable, Hashable {
    package var scope: Int64
    /// The last purchase that was checked.
    package var cursor: String
    /// Every purchase whose history was not requested since is out of date: the notification history has a gap.
    package var staleBefore: Milliseconds?
    package var startedAt: Milliseconds
    package var finishedAt: Milliseconds?

    package init(
        scope: Int64, cursor: String = "", staleBefore: Milliseconds? = nil, startedAt: Milliseconds,
        finishedAt: Milliseconds? = nil
    ) {
        self.scope = scope
        self.cursor = cursor
        self.staleBefore = staleBefore
        self.startedAt = startedAt
        self.finishedAt = finishedAt
    }
}

extension HistoryPass {
    /// The time between the end of a pass and the start of the next one, in milliseconds.
    private static let interval: Milliseconds = 86_400_000
    /// The longest time that a notification delays a pass, in milliseconds. One that waits for longer cannot be processed
    /// now, for example because its sector of the disk is unreadable.
    private static let longestDelay: Milliseconds = 3_600_000

    /// Whether the pass is finished and the next one is due. A pass that ended in the future ended while the clock was
    /// ahead.
    package func isDueAgain(at now: Milliseconds) -> Bool {
        finishedAt.map { $0 + Self.interval <= now || $0 > now } ?? false
    }

    /// Returns since when a notification must have waited so that the pass begins only after it is processed; nil if the
    /// pass waits for none. A pass that fills a gap waits before its first purchase: it has to find the purchases that
    /// first appear in the recovered notifications. One that cannot be processed delays it for an hour at most.
    ///
    /// - Parameter readAt: When the notification history was last read to its end; nil if it never was.
    package func awaitedArrivals(
        historyReadAt readAt: Milliseconds?, at now: Milliseconds
    ) -> ClosedRange<Milliseconds>? {
        guard staleBefore != nil, cursor.isEmpty else { return nil }
        // The clock may have been ahead.
        let (first, last) = (now - Self.longestDelay, min(readAt ?? startedAt, now))
        return first <= last ? first...last : nil
    }

    /// Returns the pass that an import begins if a purchase in it may lack changes from before `limit`
    /// (``LineageSummary/mayLackChanges(before:at:)``): nothing tells what changed since the creation of the export.
    ///
    /// - Parameters:
    ///   - known: The present pass; nil if there is none.
    ///   - since: The beginning of the notification history that the ledger has read.
    /// - Returns: Nil if the ledger has read nothing, because then the first reading begins the pass, or if an earlier
    ///   part of the import began it.
    package static func overImported(
        in scope: Int64, after known: HistoryPass?, readSince since: Milliseconds?, at now: Milliseconds
    ) -> (pass: HistoryPass, limit: Milliseconds)? {
        guard let since = since ?? known?.staleBefore else { return nil }
        // The clock may have been ahead.
        let limit = min(since, now)
        var pass = HistoryPass(scope: scope, staleBefore: limit, startedAt: now)
        if let known, known.finishedAt == nil, let staleBefore = known.staleBefore {
            if known.cursor.isEmpty, staleBefore >= limit { return nil }
            pass.staleBefore = max(staleBefore, limit)
        }
        return (pass, limit)
    }
}
