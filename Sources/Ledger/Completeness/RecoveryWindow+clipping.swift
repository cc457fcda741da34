extension RecoveryWindow {
    /// Drops the part before `limit`, which the App Store no longer keeps. The rest is read from its first page.
    ///
    /// - Returns: Whether anything is left.
    package mutating func clip(to limit: Milliseconds) -> Bool {
        token = nil
        from = max(from, limit)
        return limit < until
    }

    /// The steps by which the start moves while the App Store refuses it, an hour and a day.
    private static let steps: [Milliseconds] = [3_600_000, 86_400_000]

    /// Returns the start of the window after the App Store refused the present one as too far in the past.
    ///
    /// If the present start is within the App Store's retention by the server's clock, the App Store's clock is ahead
    /// by an unknown time: the server's clock is slow, or a simulator's clock is jumping. So the start moves in growing
    /// steps, and then to the end of the window. The result is after the end only if `limit` is.
    ///
    /// - Parameters:
    ///   - limit: The App Store no longer keeps notifications before this instant, by the server's clock.
    ///   - restarts: How often the window was restarted before.
    package func start(refusedWith limit: Milliseconds, restarts: Int) -> Milliseconds {
        if restarts == 0, limit > from { return limit }
        guard Self.steps.indices.contains(restarts) else { return max(limit, until) }
        return max(limit, min(from + Self.steps[restarts], until))
    }
}

extension RecoveryRun {
    /// How many finished recoveries are stored for each app and environment.
    package static let maximumCount = 1000

    /// Drops the part of the recovery before `limit`.
    package mutating func clip(to limit: Milliseconds) { from = max(from, limit) }

    /// Returns the recoveries of a scope that are deleted when one of them finishes: those that ``maximumCount`` others
    /// followed until then. An open one stays.
    package static func expired(_ runs: [(id: Int64, isOpen: Bool)], atEndOf recovery: Int64) -> [Int64] {
        runs.filter { $0.id <= recovery }.sorted { $0.id > $1.id }.dropFirst(maximumCount).filter { !$0.isOpen }
            .map(\.id)
    }
}
