extension RecoveryWindow {
    /// Leaves out what is before `limit`, which the App Store no longer keeps. What is left is read from its beginning.
    ///
    /// - Returns: Whether anything is left.
    package mutating func clip(to limit: Milliseconds) -> Bool {
        token = nil
        from = max(from, limit)
        return limit < until
    }
}

extension RecoveryRun {
    /// How many recoveries that are over are remembered.
    package static let maximumCount = 1000

    /// The same for all of a recovery.
    package mutating func clip(to limit: Milliseconds) { from = max(from, limit) }
}

extension UnverifiedItem {
    /// How many are remembered for each app in each environment. The mark does not hang on them: it goes by the stretches of
    /// time that they are in, and a history with such an item is asked for again.
    package static let maximumCount = 10_000

    /// How many more are remembered beside those that are.
    package static func room(beside count: Int) -> Int { max(0, maximumCount - count) }

    /// Whether an item is still missing when a recovery has ended.
    ///
    /// - Parameters:
    ///   - hasArrived: Whether the notification that it says it is has come and was believed.
    ///   - history: The transaction in whose history it was; nil for what was in the notification history.
    ///   - span: The time that it was read with.
    ///   - spans: The times that could not all be believed.
    package static func isMissing(
        hasArrived: Bool, history: String?, span: UnverifiedSpans.Span?, in spans: UnverifiedSpans
    ) -> Bool {
        if hasArrived { return false }
        if history != nil { return true }
        // Whatever it was: where its time was read again, everything there was believed.
        return span.map { spans.touches($0) } ?? false
    }
}

extension UnverifiedSpans {
    /// Whether a stretch has an instant in common with one of them.
    package func touches(_ span: Span) -> Bool {
        spans.contains { $0.from <= span.until && $0.until >= span.from }
    }
}
