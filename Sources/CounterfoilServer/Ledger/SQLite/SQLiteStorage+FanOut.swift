internal import Foundation
internal import GRDB

extension SQLiteStorage {
    package func fanOut(to targets: [FanOutTarget], limit: Int, at now: Milliseconds) async throws -> Bool {
        guard try await read({ try Self.hasNews(for: targets, $0) }) else { return false }
        return try await write { db in
            try WebhookTables.prune(at: now, db)
            var hasMore = false
            for target in targets { hasMore = try Self.fanOut(to: target, limit: limit, at: now, db) || hasMore }
            return hasMore
        }
    }

    private static func hasNews(for targets: [FanOutTarget], _ db: Database) throws -> Bool {
        let select = try db.cachedStatement(
            sql: """
                SELECT 1 FROM webhook_endpoints WHERE id = ? AND disabled_reason IS NULL
                    AND cursor < (SELECT max(seq) FROM events)
                """)
        return try targets.contains { try Row.fetchOne(select, arguments: [$0.endpoint]) != nil }
    }

    private static func fanOut(
        to target: FanOutTarget, limit: Int, at now: Milliseconds, _ db: Database
    ) throws -> Bool {
        let endpoint = try Row.fetchOne(
            db, sql: "SELECT cursor FROM webhook_endpoints WHERE id = ? AND disabled_reason IS NULL",
            arguments: [target.endpoint])
        guard let cursor = endpoint?.number(0) else { return false }
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT \(WebhookTables.Candidate.reading) WHERE seq > ? ORDER BY seq LIMIT ?"),
            arguments: [cursor, limit])
        guard let last = rows.last?.number(0) else { return false }
        for candidate in rows.compactMap(WebhookTables.Candidate.init) {
            _ = try WebhookTables.enqueue(candidate, to: target, at: now, db)
        }
        try db.execute(
            sql: "UPDATE webhook_endpoints SET cursor = ? WHERE id = ?", arguments: [last, target.endpoint])
        return rows.count == limit
    }

    package func record(
        _ outcomes: [DeliveryOutcome], patience: Milliseconds, at now: Milliseconds
    ) async throws -> [Int64: DisableReason] {
        try await write { db in
            var disabled: [Int64: DisableReason] = [:]
            for outcome in outcomes {
                try WebhookTables.record(outcome, at: now, db)
                if let reason = try Self.judge(outcome, patience: patience, at: now, db) {
                    disabled[outcome.endpoint] = reason
                }
            }
            return disabled
        }
    }

    /// Notes how an endpoint does; gives the reason if it was switched off for it.
    private static func judge(
        _ outcome: DeliveryOutcome, patience: Milliseconds, at now: Milliseconds, _ db: Database
    ) throws -> DisableReason? {
        let endpoint = outcome.endpoint
        switch outcome.result {
        case .discarded: return nil
        case .delivered:
            try db.cachedStatement(
                sql: "UPDATE webhook_endpoints SET failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL"
            ).execute(arguments: [endpoint])
            return nil
        case .again, .failed:
            guard !outcome.isOurFault else { return nil }
            try db.cachedStatement(
                sql: "UPDATE webhook_endpoints SET failing_since = ? WHERE id = ? AND failing_since IS NULL"
            ).execute(arguments: [now, endpoint])
            let reason = outcome.isGone ? DisableReason.gone : .failing
            try db.cachedStatement(
                sql: """
                    UPDATE webhook_endpoints SET disabled_reason = ?, disabled_since = ?
                    WHERE id = ? AND disabled_reason IS NULL AND (? OR failing_since <= ?)
                    """
            ).execute(arguments: [reason.rawValue, now, endpoint, outcome.isGone, now - patience])
            return db.changesCount > 0 ? reason : nil
        }
    }

    package func replay(
        _ range: ReplayRange, to target: FanOutTarget, at now: Milliseconds
    ) async throws -> ReplayOutcome {
        try await write { db in
            // The numbers of events rise with the instants at which they were learned, but for the moment that work on
            // several takes.
            let slack: Milliseconds = 600_000
            let start = try Self.firstEvent(from: range.from.subtractingReportingOverflow(slack), db) - 1
            let rows = try Row.fetchCursor(
                db, sql: "SELECT \(WebhookTables.Candidate.reading) WHERE seq > ? AND seq <= ? ORDER BY seq",
                arguments: [max(start, range.after), range.through])
            let end = range.to.addingReportingOverflow(slack)
            var outcome = ReplayOutcome(deliveries: 0, last: nil)
            while let row = try rows.next() {
                let createdAt = row.number(5) ?? 0
                if !end.overflow, createdAt > end.partialValue { break }
                guard range.from <= createdAt, createdAt < range.to || range.to == .max,
                    let candidate = WebhookTables.Candidate(row)
                else { continue }
                outcome.deliveries += try WebhookTables.enqueue(candidate, to: target, at: now, db)
                if outcome.deliveries >= range.limit {
                    outcome.last = candidate.number
                    break
                }
            }
            return outcome
        }
    }

    /// The number of the first event that was learned of at an instant or later, found by halving.
    private static func firstEvent(from: (partialValue: Int64, overflow: Bool), _ db: Database) throws -> Int64 {
        guard !from.overflow else { return 0 }
        let bounds = try Row.fetchOne(db, sql: "SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) FROM events")
        var (low, high) = (bounds?.number(0) ?? 0, (bounds?.number(1) ?? 0) + 1)
        let select = try db.cachedStatement(sql: "SELECT created_at FROM events WHERE seq >= ? ORDER BY seq LIMIT 1")
        while low < high {
            let middle = low + (high - low) / 2
            if let found = try Row.fetchOne(select, arguments: [middle])?.number(0), found < from.partialValue {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    package func addWebhookTest(_ event: LedgerEvent, to endpoint: Int64) async throws -> WebhookDelivery? {
        try await write { db in
            try OutboxTable.add(event, db)
            let row = try Row.fetchOne(
                db, sql: "SELECT \(WebhookTables.Candidate.reading) WHERE id = ? AND notification IS NULL",
                arguments: [event.id])
            guard let candidate = row.flatMap(WebhookTables.Candidate.init) else { return nil }
            try WebhookTables.enqueue(candidate, variant: 0, to: endpoint, at: event.createdAt, db)
            return try Row.fetchOne(
                db, sql: "SELECT \(WebhookTables.reading) WHERE deliveries.id = ?", arguments: [db.lastInsertedRowID]
            ).map { WebhookTables.delivery($0) }
        }
    }
}
