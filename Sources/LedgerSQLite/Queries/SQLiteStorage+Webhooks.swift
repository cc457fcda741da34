internal import GRDB
package import Ledger

extension SQLiteStorage: WebhookStorage {
    package func registerWebhooks(_ names: [String], at now: Milliseconds) async throws {
        try await write { db in
            for name in names {
                try db.run(
                    """
                    INSERT INTO webhook_endpoints (name, is_configured, cursor, created_at, begins_at)
                    VALUES (?, 1, (SELECT coalesce(max(seq), 0) FROM events), ?, ?)
                    ON CONFLICT (name) DO UPDATE SET is_configured = 1, definition = NULL
                    """, [.text(name), .integer(now), .integer(now)])
            }
        }
    }

    package func webhookEndpoints() async throws -> [WebhookEndpoint] {
        try await readAll("SELECT * FROM webhook_endpoints ORDER BY name", []) { WebhookTables.endpoint($0) }
    }

    package func addWebhook(
        _ definition: WebhookDefinition, replacesConfigured: Bool, at now: Milliseconds
    ) async throws -> WebhookEndpoint? {
        let stored = try definition.stored()
        return try await write { db in
            if replacesConfigured,
                let former = try db.number(
                    "SELECT id FROM webhook_endpoints WHERE name = ? AND is_configured = 1", [.text(definition.name)])
            {
                try WebhookTables.remove(former, db)
            }
            try db.run(
                """
                INSERT INTO webhook_endpoints (name, is_configured, definition, cursor, created_at, begins_at)
                VALUES (?, 0, ?, (SELECT coalesce(max(seq), 0) FROM events), ?, ?) ON CONFLICT (name) DO NOTHING
                """, [.text(definition.name), .text(stored), .integer(now), .integer(now)])
            return try db.first(
                """
                SELECT * FROM webhook_endpoints
                WHERE name = ? AND is_configured = 0 AND definition = ? AND created_at = ?
                """, [.text(definition.name), .text(stored), .integer(now)]
            ) { WebhookTables.endpoint($0) }
        }
    }

    package func changeWebhook(_ id: Int64, to definition: WebhookDefinition) async throws {
        let stored = try definition.stored()
        try await write { try Self.change(id, to: stored, $0) }
    }

    private static func change(_ id: Int64, to definition: String, _ db: Database) throws {
        try db.run(
            "UPDATE webhook_endpoints SET definition = ? WHERE id = ? AND is_configured = 0",
            [.text(definition), .integer(id)])
    }

    package func switchWebhook(
        _ id: Int64, _ disabled: WebhookEndpoint.Disabled?, discardingBacklog: Bool,
        changingTo definition: WebhookDefinition?, at now: Milliseconds
    ) async throws {
        let stored = try definition?.stored()
        try await write { db in
            if let stored { try Self.change(id, to: stored, db) }
            try db.run(
                """
                UPDATE webhook_endpoints SET disabled_reason = ?, disabled_since = ?, failing_since = NULL,
                    failed_at = NULL WHERE id = ?
                """, [.init(disabled?.reason.rawValue), .init(disabled?.since), .integer(id)])
            if discardingBacklog {
                try db.run(
                    """
                    UPDATE webhook_endpoints
                    SET cursor = (SELECT coalesce(max(seq), 0) FROM events), begins_at = ? WHERE id = ?
                    """, [.integer(now), .integer(id)])
                try WebhookJobs.add(.discard, to: id, db)
            } else if disabled == nil {
                try WebhookJobs.add(.resume, to: id, db)
            }
        }
    }

    package func resumeDeliveries(to endpoint: Int64, at now: Milliseconds) async throws {
        try await write { try WebhookJobs.add(.resume, to: endpoint, $0) }
    }

    package func removeWebhook(_ id: Int64) async throws {
        try await write { try WebhookTables.remove(id, $0) }
    }

    package func runWebhookJob(limit: Int, at now: Milliseconds) async throws -> Bool {
        try await writeBatch { try WebhookJobs.runBatch(limit: limit, at: now, $0) }
    }

    package func dueDeliveries(
        of endpoint: Int64, at now: Milliseconds, limit: Int
    ) async throws -> [WebhookDelivery] {
        try await read { db in
            var due: [WebhookDelivery] = []
            for times in LongestDelay.delivery.dueTimes(at: now) where due.count < limit {
                // Without provisional deliveries, and without those that a pending job discards.
                due += try db.all(
                    """
                    SELECT \(WebhookTables.reading) WHERE endpoint = ?1 AND due BETWEEN ?2 AND ?3
                        AND deliveries.id > coalesce((
                            SELECT through FROM webhook_chores
                            WHERE endpoint = ?1 AND kind = '\(WebhookJobs.Kind.discard.rawValue)'), 0)
                    ORDER BY due, deliveries.id LIMIT ?4
                    """,
                    [
                        .integer(endpoint), .integer(max(times.lowerBound, DeliveryLanes.provisional + 1)),
                        .integer(times.upperBound), .init(limit - due.count),
                    ]
                ) { WebhookTables.delivery($0) }
            }
            return due
        }
    }

    package func nextDelivery(to endpoints: [Int64], after now: Milliseconds) async throws -> Milliseconds? {
        try await read { db in
            try endpoints.compactMap { endpoint in
                try db.number(
                    "SELECT min(due) FROM deliveries WHERE endpoint = ? AND due > ?",
                    [.integer(endpoint), .integer(now)])
            }.min()
        }
    }

    package func event(_ number: Int64) async throws -> (event: LedgerEvent, notification: StoredNotification?)? {
        try await read { try self.events(numbered: [number], $0)[number] }
    }

    /// Returns events by row identifier, each with its notification.
    func events(
        numbered numbers: Set<Int64>, _ db: Database
    ) throws -> [Int64: (event: LedgerEvent, notification: StoredNotification?)] {
        let events = try db.dictionary(
            "SELECT \(OutboxTable.columns), seq FROM events WHERE seq IN (\(numbers.sqlList))", [], isCached: false
        ) { row in (row.number(11) ?? 0, OutboxTable.event(row)) }
        let storedNotifications = try notifications(numbered: Set(events.values.compactMap(\.notification)), db)
        let known = Dictionary(storedNotifications.map { ($0.id, $0) }) { first, _ in first }
        return events.mapValues { event in (event, event.notification.flatMap { known[$0] }) }
    }

    package func eventNumber(_ id: String) async throws -> Int64? {
        try await read { try OutboxTable.number(of: id, $0) }
    }

    package func webhookBacklog(without gone: [Int64]) async throws -> WebhookBacklog {
        // By endpoint, so that the deliveries of omitted endpoints are not read.
        let endpoints = "FROM webhook_endpoints WHERE id NOT IN (\(gone.sqlList))"
        return try await read { db in
            try db.first(
                """
                SELECT count(*), min(created_at),
                    (SELECT min((SELECT created_at FROM events WHERE seq > cursor ORDER BY seq LIMIT 1))
                        \(endpoints) AND disabled_reason IS NULL),
                    (SELECT count(*) \(endpoints) AND disabled_reason IS NOT NULL)
                FROM (SELECT created_at FROM deliveries
                    WHERE \(WebhookTables.isPending) AND endpoint IN (SELECT id \(endpoints))
                    LIMIT \(WebhookBacklog.limit))
                """, []
            ) { row in
                WebhookBacklog(
                    deliveries: row.count(0),
                    oldest: [row.number(1), row.number(2)].compactMap(\.self).min(),
                    disabledEndpoints: row.count(3))
            } ?? WebhookBacklog(deliveries: 0, oldest: nil, disabledEndpoints: 0)
        }
    }
}
