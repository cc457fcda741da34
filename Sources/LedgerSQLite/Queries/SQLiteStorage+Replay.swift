package import Ledger
internal import Foundation
internal import GRDB

extension SQLiteStorage {
    /// How many events are looked at in one go, and how many deliveries are made in one transaction.
    private static let (replayReading, replayWriting) = (1000, 100)
    /// How many events one replay looks at; who asks goes on from there.
    private static let longestReplay = 200_000
    /// The numbers of events rise with the instants at which they were learned, but for the moment that work on several
    /// takes.
    private static let replaySlack: Milliseconds = 600_000

    package func replay(
        _ range: ReplayRange, to target: FanOutTarget, at now: Milliseconds
    ) async throws -> ReplayOutcome {
        try await goThrough(range, for: target) { piece, most in
            try await self.writePiece { try Self.replay(piece, of: range, making: most, to: target, at: now, $0) }
        }
    }

    package func countReplay(_ range: ReplayRange, to target: FanOutTarget) async throws -> ReplayOutcome {
        try await goThrough(range, for: target) { piece, most in
            var made = 0
            for candidate in piece {
                made += target.deliveries(candidate.type, candidate.scope)
                if made >= most { return (made, candidate.number) }
            }
            return (made, piece.last?.number)
        }
    }

    /// Goes through the events of a range that an endpoint takes.
    ///
    /// - Parameter take: Takes some of them, up to so many deliveries. Returns how many it made, and the last event of them.
    private func goThrough(
        _ range: ReplayRange, for target: FanOutTarget,
        _ take: @Sendable ([WebhookTables.Candidate], _ most: Int) async throws -> (made: Int, last: Int64?)
    ) async throws -> ReplayOutcome {
        var outcome = ReplayOutcome(deliveries: 0, last: nil)
        let start = range.from.subtractingReportingOverflow(Self.replaySlack)
        var position = max(range.after, try await read { try Self.firstEvent(from: start, $0) - 1 })
        var looked = 0
        while true {
            let after = position
            let part = try await read { try Self.replayPart(range, after: after, target, $0) }
            var wanted = part.wanted[...]
            while !wanted.isEmpty {
                let piece = Array(wanted.prefix(Self.replayWriting))
                wanted = wanted.dropFirst(piece.count)
                let (made, last) = try await take(piece, range.limit - outcome.deliveries)
                outcome.deliveries += made
                guard outcome.deliveries < range.limit else {
                    outcome.last = last
                    return outcome
                }
            }
            guard let last = part.last else { return outcome }
            position = last
            looked += Self.replayReading
            guard looked < Self.longestReplay else {
                outcome.last = position
                return outcome
            }
        }
    }

    /// Some of the events of a range that an endpoint takes.
    ///
    /// - Returns: Them, and the event after which it goes on; nil when the range is over.
    private static func replayPart(
        _ range: ReplayRange, after position: Int64, _ target: FanOutTarget, _ db: Database
    ) throws -> (wanted: [WebhookTables.Candidate], last: Int64?) {
        let candidates = try db.all(
            "SELECT \(WebhookTables.Candidate.reading) WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            [.integer(position), .integer(range.through), .init(replayReading)]
        ) { WebhookTables.Candidate($0) }
        let end = range.to.addingReportingOverflow(replaySlack)
        // All of them: some may have been learned while the clock was ahead, and what follows those is older again.
        let isOver =
            candidates.count < replayReading
            || (!end.overflow && candidates.allSatisfy { $0.createdAt > end.partialValue })
        let wanted = candidates.filter { range.contains($0) && target.deliveries($0.type, $0.scope) > 0 }
        return (wanted, isOver ? nil : candidates.last?.number)
    }

    /// Sends events again. What is newer about their purchases, was told and is not sent again anyway follows, so that what
    /// a receiver ends with is not what was true then.
    ///
    /// - Returns: How many deliveries were made of them, and the last event that was.
    private static func replay(
        _ candidates: [WebhookTables.Candidate], of range: ReplayRange, making most: Int, to target: FanOutTarget,
        at now: Milliseconds, _ db: Database
    ) throws -> (made: Int, last: Int64?) {
        guard let endpoint = try place(of: target.endpoint, at: now, db) else { return (0, nil) }
        var lanes = DeliveryLanes(target, begin: endpoint.begin, at: now, db)
        var (made, last): (Int, Int64?) = (0, nil)
        for candidate in candidates {
            made += try lanes.add(candidate)
            last = candidate.number
            try lanes.addRepeats(after: candidate) { $0.number <= endpoint.cursor && !range.contains($0) }
            if made >= most { break }
        }
        try lanes.retryNow()
        try lanes.release(isLast: false)
        return (made, last)
    }

    /// The number of the first event that was learned of at an instant or later, found by halving.
    private static func firstEvent(from: (partialValue: Int64, overflow: Bool), _ db: Database) throws -> Int64 {
        guard !from.overflow else { return 0 }
        var (low, high) =
            try db.first("SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) FROM events", []) { row in
                (row.number(0) ?? 0, (row.number(1) ?? 0) + 1)
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

extension ReplayRange {
    fileprivate func contains(_ candidate: WebhookTables.Candidate) -> Bool {
        candidate.number > after && candidate.number <= through && from <= candidate.createdAt
            && (candidate.createdAt < to || to == .max)
    }
}
