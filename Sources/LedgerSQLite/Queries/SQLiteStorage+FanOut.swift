internal import GRDB
package import Ledger

extension SQLiteStorage {
    package func status(for endpoints: [Int64]) async throws -> FanOutStatus? {
        try await read { db in
            guard try Self.hasNewEvents(for: endpoints, db) else { return nil }
            return try Self.status(db)
        }
    }

    static func status(_ db: Database) throws -> FanOutStatus {
        let (oldest, newest) =
            try db.first(
                "SELECT (SELECT min(id) FROM inbox WHERE id > 0), (SELECT coalesce(max(id), 0) FROM notifications)", []
            ) { ($0.number(0), $0.number(1) ?? 0) } ?? (nil, 0)
        let recoveries = try db.numbers("SELECT id FROM recoveries WHERE \(RecoveryTables.isOpen)", [])
        return FanOutStatus(oldestWaiting: oldest, newest: newest, recoveries: Set(recoveries))
    }

    private static func hasNewEvents(for endpoints: [Int64], _ db: Database) throws -> Bool {
        try endpoints.contains { endpoint in
            try db.exists(
                """
                SELECT 1 FROM webhook_endpoints WHERE id = ? AND disabled_reason IS NULL
                    AND cursor < (SELECT max(seq) FROM events)
                """, [.integer(endpoint)])
        }
    }

    package func fanOut(
        to endpoints: [Int64], by target: @escaping @Sendable (WebhookEndpoint) -> FanOutTarget?,
        within gate: FanOutLimit, limit: Int, at now: Milliseconds
    ) async throws -> FanOutProgress {
        var progress = FanOutProgress.done
        for endpoint in endpoints {
            let batch = try await writeBatch { db in
                guard let state = try Self.fanOutState(of: endpoint, at: now, db), state.endpoint.disabled == nil,
                    let target = target(state.endpoint)
                else { return FanOutProgress.done }
                return try Self.fanOut(to: target, state, within: gate, limit, at: now, db)
            }
            progress = max(progress, batch)
        }
        return progress
    }

    private static func fanOut(
        to target: FanOutTarget, _ state: FanOutState, within gate: FanOutLimit, _ limit: Int, at now: Milliseconds,
        _ db: Database
    ) throws -> FanOutProgress {
        let candidates = try db.all(
            "SELECT \(WebhookTables.Candidate.reading) WHERE seq > ? ORDER BY seq LIMIT ?",
            [.integer(state.cursor), .init(limit)]
        ) { WebhookTables.Candidate($0) }
        var lanes = DeliveryLanes(to: target.endpoint, at: now, db)
        let (plan, progress) = try DeliveryPlan.fanOut(
            candidates, to: target, from: state.begin, limit: limit, holds: { try holds($0, gate, db) },
            newer: { try DeliveryLanes.newer(than: $0, db) }, isWaiting: { try lanes.isWaiting($0) })
        for delivery in plan.deliveries { try lanes.add(delivery) }
        try lanes.release(isLast: progress != .more)
        if let last = plan.last {
            try db.run(
                "UPDATE webhook_endpoints SET cursor = ? WHERE id = ?", [.integer(last), .integer(target.endpoint)])
        }
        return progress
    }

    package func releaseDeliveries(to endpoints: [Int64], limit: Int, at now: Milliseconds) async throws -> Bool {
        for endpoint in endpoints {
            let count = try await writeBatch {
                try DeliveryLanes(to: endpoint, at: now, $0).makeProvisionalDue(limit: limit)
            }
            if count == limit { return true }
        }
        return false
    }

    static func holds(
        _ candidate: WebhookTables.Candidate, _ gate: FanOutLimit, _ db: Database
    ) throws -> Bool {
        try gate.holds(eventOf: candidate.notification) { notification in
            try db.number("SELECT origin FROM notifications WHERE id = ?", [.integer(notification)])
                .flatMap(Origin.init)
        }
    }

    /// An endpoint with its cursor, and the instant from which on events are for it.
    typealias FanOutState = (endpoint: WebhookEndpoint, cursor: Int64, begin: Milliseconds)

    static func fanOutState(of endpoint: Int64, at now: Milliseconds, _ db: Database) throws -> FanOutState? {
        try db.first("SELECT * FROM webhook_endpoints WHERE id = ?", [.integer(endpoint)]) { row in
            (
                WebhookTables.endpoint(row), row.number(7) ?? 0,
                WebhookEndpoint.beginning(row.number(9) ?? 0, at: now)
            )
        }
    }

    package func record(
        _ outcomes: [DeliveryOutcome], disableAfter: Milliseconds, at now: Milliseconds
    ) async throws -> [Int64: DisableReason] {
        try await write { db in
            var disabled: [Int64: DisableReason] = [:]
            for outcome in outcomes {
                try WebhookTables.record(outcome, at: now, db)
                if let reason = try Self.updateHealth(after: outcome, disableAfter: disableAfter, at: now, db) {
                    disabled[outcome.endpoint] = reason
                }
            }
            return disabled
        }
    }

    /// Updates the health of an endpoint; returns the reason if it was disabled.
    private static func updateHealth(
        after outcome: DeliveryOutcome, disableAfter: Milliseconds, at now: Milliseconds, _ db: Database
    ) throws -> DisableReason? {
        let before = try db.first(
            "SELECT failing_since, failed_at, disabled_reason FROM webhook_endpoints WHERE id = ?",
            [.integer(outcome.endpoint)]
        ) { row in
            EndpointHealth(
                failingSince: row.number(0), failedAt: row.number(1),
                disabled: row.text(2).map { DisableReason(rawValue: $0) ?? .requested })
        }
        guard let before else { return nil }
        let after = before.after(outcome, disableAfter: disableAfter, at: now)
        if after != before {
            try db.run(
                "UPDATE webhook_endpoints SET failing_since = ?, failed_at = ? WHERE id = ?",
                [.init(after.failingSince), .init(after.failedAt), .integer(outcome.endpoint)])
        }
        guard let reason = after.disabled, before.disabled == nil else { return nil }
        try db.run(
            "UPDATE webhook_endpoints SET disabled_reason = ?, disabled_since = ? WHERE id = ?",
            [.text(reason.rawValue), .integer(now), .integer(outcome.endpoint)])
        return reason
    }

    package func addWebhookTest(_ event: LedgerEvent, to endpoint: Int64) async throws -> WebhookDelivery? {
        try await write { db in
            // A delivery to a removed endpoint would never be sent or deleted.
            guard try db.exists("SELECT 1 FROM webhook_endpoints WHERE id = ?", [.integer(endpoint)]) else {
                return nil
            }
            try OutboxTable.add(event, db)
            let candidate = try db.first(
                "SELECT \(WebhookTables.Candidate.reading) WHERE id = ? AND notification IS NULL", [.text(event.id)]
            ) { WebhookTables.Candidate($0) }
            guard let candidate else { return nil }
            var lanes = DeliveryLanes(to: endpoint, at: event.createdAt, db)
            let number = try lanes.add(.init(candidate, variant: 0))
            try lanes.release(isLast: true)
            return try db.first("SELECT \(WebhookTables.reading) WHERE deliveries.id = ?", [.integer(number)]) {
                WebhookTables.delivery($0)
            }
        }
    }
}
