/// What a recovery that is over makes of the mark.
package struct MarkMove: Sendable, Hashable {
    package var mark: CompletenessMark
    /// Where not everything could be believed, without what nobody can read any more.
    package var spans: UnverifiedSpans
    /// Whether something is missing that the notification history no longer has: then everybody is asked about.
    package var leavesGap: Bool
}

extension CompletenessMark {
    /// How a recovery moves the mark.
    ///
    /// The stretch goes on where it ended. Where there is a gap that the history cannot fill, a new one begins. What lies
    /// ahead of now was noted by a clock that was wrong, so the end may also move back.
    ///
    /// - Parameters:
    ///   - known: The mark before; nil if there was none.
    ///   - run: The recovery: from when it read, and what it met.
    ///   - until: Up to when everything was read.
    ///   - limit: What is older the App Store no longer keeps.
    ///   - spans: Where not everything could be believed, by all that was read.
    package static func moved(
        from known: CompletenessMark?, by run: RecoveryRun, until: Milliseconds, limit: Milliseconds,
        spans: UnverifiedSpans, at now: Milliseconds
    ) -> MarkMove {
        var spans = spans
        let isBeyond = known.map { $0.readUntil < run.from } ?? false
        var since = isBeyond ? run.from : min(known?.since ?? run.from, run.from)
        let gone = spans.forget(before: isBeyond ? max(limit, run.from) : limit)
        if let gone { since = max(since, gone + 1) }
        // A date ahead of the clock proves no more than the clock does.
        let signed = [run.signedUntil, known?.signedUntil.map { min($0, run.until) }].compactMap(\.self).max()
        let mark = CompletenessMark(
            scope: run.scope, since: since, until: until, checkedAt: now, readUntil: until, signedUntil: signed)
        return MarkMove(mark: mark.ending(before: spans), spans: spans, leavesGap: isBeyond || gone != nil)
    }

    /// The mark before the first stretch with something that could not be believed.
    package func ending(before spans: UnverifiedSpans) -> CompletenessMark {
        var mark = self
        mark.until = min(readUntil, spans.first.map { $0.from - 1 } ?? .max)
        return mark
    }
}

extension UnverifiedSpans {
    /// A window of the notification history that was read.
    package struct ReadWindow: Sendable, Hashable {
        package var span: Span
        /// Whether everything in it could be believed.
        package var isClean: Bool
        /// Whether it was for all kinds. One that was only for some proves nothing for the others.
        package var isWhole: Bool

        package init(span: Span, isClean: Bool, isWhole: Bool) {
            self.span = span
            self.isClean = isClean
            self.isWhole = isWhole
        }
    }

    /// What the windows of a recovery have shown.
    package mutating func apply(_ windows: [ReadWindow]) {
        for window in windows where window.isWhole && window.isClean { remove(window.span) }
        for window in windows where !window.isClean { insert(window.span) }
    }
}
