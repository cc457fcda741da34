internal import GRDB
package import Ledger

extension SQLiteStorage: DeliveryInspectionStorage {
    package func webhookActivity(since: Milliseconds, limit: Int) async throws -> [Int64: WebhookActivity] {
        func ended(_ state: WebhookDelivery.State) -> String {
            """
            (SELECT count(*) FROM (
                SELECT 1 FROM deliveries INDEXED BY deliveries_by_end
                WHERE endpoint = endpoints.id AND state = \(state.rawValue) AND ended_at >= ?1 LIMIT ?2))
            """
        }
        let waiting = """
            FROM deliveries INDEXED BY deliveries_by_state
            WHERE endpoint = endpoints.id AND \(WebhookTables.isPending)
            """
        let sql = """
            SELECT endpoints.id, \(ended(.delivered)), \(ended(.failed)), \(ended(.discarded)),
                (SELECT count(*) FROM (SELECT 1 \(waiting) LIMIT ?2)),
                (SELECT created_at \(waiting) ORDER BY deliveries.id LIMIT 1),
                (SELECT coalesce(max(seq), 0) FROM events) - cursor
            FROM webhook_endpoints AS endpoints
            """
        return try await read { db in
            try db.dictionary(sql, [.integer(since), .init(limit)]) { row in
                var activity = WebhookActivity()
                activity.delivered = row.count(1)
                activity.failed = row.count(2)
                activity.discarded = row.count(3)
                activity.pending = row.count(4)
                activity.oldest = row.number(5)
                activity.eventsBehind = max(0, row.number(6) ?? 0)
                return (row.number(0) ?? 0, activity)
            }
        }
    }

    package func deliveries(
        of endpoint: Int64, matching filter: DeliveryFilter, before id: Int64, limit: Int, scanLimit: Int
    ) async throws -> DeliveryList {
        try await read { db in
            let (conditions, values) = filter.conditions
            var (found, ends): ([WebhookDelivery], [Int64]) = ([], [])
            for state in filter.states {
                let place: [SQLValue] = [.integer(endpoint), .integer(state.rawValue), .integer(id)]
                let end = try db.number(
                    """
                    SELECT id FROM deliveries INDEXED BY deliveries_by_state
                    WHERE endpoint = ? AND state = ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ?
                    """, place + [.init(scanLimit - 1)])
                if let end { ends.append(end) }
                found += try db.all(
                    """
                    SELECT \(WebhookTables.reading)
                    WHERE endpoint = ? AND state = ? AND deliveries.id < ? AND deliveries.id >= ?\(conditions)
                    ORDER BY deliveries.id DESC LIMIT ?
                    """, place + [.integer(end ?? .min)] + values + [.init(limit + 1)]
                ) { WebhookTables.delivery($0) }
            }
            return DeliveryList(found: found, ends: ends, limit: limit)
        }
    }
}

extension DeliveryFilter {
    /// The SQL conditions on the event, with their values.
    fileprivate var conditions: (sql: String, values: [SQLValue]) {
        var (sql, values): (String, [SQLValue]) = ("", [])
        if let eventType {
            sql += " AND events.type = ?"
            values.append(.text(eventType.rawValue))
        }
        if let customer {
            sql += " AND events.customer = ? AND events.scope IN (\(customer.scopes.placeholders))"
            values.append(.text(customer.name))
            values += customer.scopes.map { .integer($0) }
        }
        if let scopes {
            sql += " AND events.scope IN (\(scopes.placeholders))"
            values += scopes.map { .integer($0) }
        }
        return (sql, values)
    }
}
