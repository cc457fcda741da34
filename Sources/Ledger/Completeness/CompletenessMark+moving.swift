extension CompletenessMark {
    /// Returns the mark with its end before the first unverified span.
    package func ending(before spans: UnverifiedSpans) -> CompletenessMark {
        var mark = self
        mark.until = min(readUntil, spans.first.map { $0.from - 1 } ?? .max)
        return mark
    }
}

/// What changes when a recovery is finished.
package struct RecoveryEnd: Sendable, Hashable {
    /// The mark; nil if there is none.
    package var mark: CompletenessMark?
    /// The unverified spans that can still be read again.
    package var spans: UnverifiedSpans
    /// The pass over all purchases that begins, because the notification history cannot fill a gap; nil if there is no
    /// gap.
    package var pass: HistoryPass?
}

extension RecoveryRun {
    /// Decides what changes when the recovery is finished. If it does not move the mark, the mark ends where
    /// notifications are still unverified.
    ///
    /// The interval of the mark continues where it ended. After a gap that the history cannot fill, a new interval
    /// begins. A mark in the future was set by a wrong clock, so the end may also move back. But the mark stays if the
    /// App Store refused all of the time as too old: then the clock is wrong now.
    ///
    /// - Parameters:
    ///   - known: The present mark; nil if there is none.
    ///   - spans: The present unverified spans.
    ///   - windows: What was read.
    ///   - readUntil: The end of the time that was read completely.
    ///   - limit: The App Store no longer keeps notifications before this instant.
    package func end(
        from known: CompletenessMark?, _ spans: UnverifiedSpans, reading windows: [UnverifiedSpans.ReadWindow],
        until readUntil: Milliseconds, limit: Milliseconds, at now: Milliseconds
    ) -> RecoveryEnd {
        var spans = spans
        spans.apply(windows)
        let isTooOld = known.map { from >= until && until < $0.readUntil } ?? false
        guard movesMark, !isTooOld else { return RecoveryEnd(mark: known?.ending(before: spans), spans: spans) }
        let isBeyond = known.map { $0.readUntil < from } ?? false
        var since = isBeyond ? from : min(known?.since ?? from, from)
        let lastExpired = spans.removeExpired(before: isBeyond ? max(limit, from) : limit)
        if let lastExpired { since = max(since, lastExpired + 1) }
        // A date ahead of the clock proves no more than the clock does.
        let signed = [signedUntil, known?.signedUntil.map { min($0, until) }].compactMap(\.self).max()
        let mark = CompletenessMark(
            scope: scope, since: since, until: readUntil, checkedAt: now, readUntil: readUntil, signedUntil: signed)
        let leavesGap = isBeyond || lastExpired != nil
        return RecoveryEnd(
            mark: mark.ending(before: spans), spans: spans,
            pass: leavesGap ? HistoryPass(scope: scope, staleBefore: now, startedAt: now) : nil)
    }
}

extension UnverifiedSpans {
    /// A window of the notification history that was read.
    package struct ReadWindow: Sendable, Hashable {
        package var span: Span
        /// Whether every notification in it was verified.
        package var isClean: Bool
        /// Whether the window was read for all notification types. A filtered window proves nothing about the other
        /// types.
        package var isWhole: Bool
    }

    /// Updates the spans with the results of a recovery's windows.
    package mutating func apply(_ windows: [ReadWindow]) {
        for window in windows where window.isWhole && window.isClean { remove(window.span) }
        for window in windows where !window.isClean { insert(window.span) }
    }
}

extension UnverifiedSpans.ReadWindow {
    /// Creates the window of a recovery; nil if it proves nothing, because only undelivered notifications were read
    /// or nothing is left of it.
    package init?(
        from: Milliseconds, until: Milliseconds, unverified: Int64, isWhole: Bool, onlyFailures: Bool
    ) {
        guard !onlyFailures, from < until else { return nil }
        self.init(span: .init(from: from, until: until), isClean: unverified == 0, isWhole: isWhole)
    }
}
