internal import GRDB
package import Ledger

extension SQLiteStorage {
    /// The number of events that are read at once, and the number of events in one transaction.
    private static let (replayReadBatch, replayWriteBatch) = (1000, 100)
    /// The maximum number of events that one call reads; the caller continues after them.
    private static let maximumReplayEvents = 200_000

    package func replay(
        _ range: ReplayRange, to target: FanOutTarget, at now: Milliseconds
    ) async throws -> ReplayOutcome {
        try await forEachBatch(range, for: target) { batch, maximum in
            try await self.writeBatch { try Self.replay(batch, of: range, making: maximum, to: target, at: now, $0) }
        }
    }

    package func countReplay(_ range: ReplayRange, to target: FanOutTarget) async throws -> ReplayOutcome {
        try await forEachBatch(range, for: target) { batch, maximum in
            let plan = DeliveryPlan.count(batch, of: range, making: maximum, to: target)
            return (plan.made, plan.last)
        }
    }

    /// Reads the events of a range that an endpoint subscribes to.
    ///
    /// - Parameter take: Processes some of the events, up to a number of deliveries. Returns the number of deliveries,
    ///   and the last processed event.
    private func forEachBatch(
        _ range: ReplayRange, for target: FanOutTarget,
        _ take: @Sendable ([WebhookTables.Candidate], _ maximum: Int) async throws -> (made: Int, last: Int64?)
    ) async throws -> ReplayOutcome {
        var outcome = ReplayOutcome(deliveries: 0, last: nil)
        let start = range.from.subtractingReportingOverflow(ReplayRange.clockTolerance)
        var position = max(range.after, try await read { try Self.firstEvent(from: start, $0) - 1 })
        var eventsRead = 0
        while true {
            let after = position
            let page = try await read { try Self.replayCandidates(range, after: after, target, $0) }
            for batch in page.wanted.batches(of: Self.replayWriteBatch) {
                let (made, last) = try await take(Array(batch), range.limit - outcome.deliveries)
                outcome.deliveries += made
                guard outcome.deliveries < range.limit else {
                    outcome.last = last
                    return outcome
                }
            }
            guard let last = page.last else { return outcome }
            position = last
            eventsRead += Self.replayReadBatch
            guard eventsRead < Self.maximumReplayEvents else {
                outcome.last = position
                return outcome
            }
        }
    }

    /// Returns some of the events of a range that an endpoint subscribes to.
    ///
    /// - Returns: The events, and the cursor to continue after; nil if the range is complete.
    private static func replayCandidates(
        _ range: ReplayRange, after position: Int64, _ target: FanOutTarget, _ db: Database
    ) throws -> (wanted: [WebhookTables.Candidate], last: Int64?) {
        let candidates = try db.all(
            "SELECT \(WebhookTables.Candidate.reading) WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            [.integer(position), .integer(range.through), .init(replayReadBatch)]
        ) { WebhookTables.Candidate($0) }
        let end = range.to.addingReportingOverflow(ReplayRange.clockTolerance)
        // All of them: some events may have been created while the clock was ahead, and later ones then have earlier
        // dates.
        let isOver =
            candidates.count < replayReadBatch
            || (!end.overflow && candidates.allSatisfy { $0.createdAt > end.partialValue })
        let wanted = candidates.filter { range.contains($0, for: target) }
        return (wanted, isOver ? nil : candidates.last?.number)
    }

    /// Sends events again, with the repetitions of ``DeliveryPlan``.
    ///
    /// - Returns: The number of deliveries, and the last processed event.
    private static func replay(
        _ candidates: [WebhookTables.Candidate], of range: ReplayRange, making maximum: Int, to target: FanOutTarget,
        at now: Milliseconds, _ db: Database
    ) throws -> (made: Int, last: Int64?) {
        guard let endpoint = try fanOutState(of: target.endpoint, at: now, db) else { return (0, nil) }
        var lanes = DeliveryLanes(to: target.endpoint, at: now, db)
        let plan = try DeliveryPlan.replay(
            candidates, of: range, making: maximum, to: target, from: endpoint.begin, through: endpoint.cursor,
            newer: { try DeliveryLanes.newer(than: $0, db) }, isWaiting: { try lanes.isWaiting($0) })
        for delivery in plan.deliveries { try lanes.add(delivery) }
        try lanes.retryNow()
        try lanes.release(isLast: false)
        return (plan.made, plan.last)
    }

    /// Returns the row identifier of the first event that was created at an instant or later, by binary search.
    private static func firstEvent(from: (partialValue: Int64, overflow: Bool), _ db: Database) throws -> Int64 {
        guard !from.overflow else { return 0 }
        var (low, high) =
            try db.first("SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) FROM events", []) { row in
                // In a damaged ledger, identifiers may be at the limits of integers.
                (max(row.number(0) ?? 0, 0), min(row.number(1) ?? 0, Int64.max - 1) + 1)
            } ?? (0, 1)
        while low < high {
            let middle = low + (high - low) / 2
            let found = try db.number(
                "SELECT created_at FROM events WHERE seq >= ? ORDER BY seq LIMIT 1", [.integer(middle)])
            if let found, found < from.partialValue {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
