internal import GRDB
internal import Ledger

/// The queue of jobs on an endpoint's deliveries, which follow a short transaction. An endpoint may have millions of
/// deliveries, and other writers must not wait until all of them are written.
enum WebhookJobs {
    enum Kind: String, CaseIterable {
        /// Delete the deliveries of a removed endpoint.
        case remove
        /// Discard the pending deliveries.
        case discard
        /// Make the deliveries that wait for their next attempt due.
        case resume
    }

    static let schema = [
        // The job still has to process the endpoint's deliveries after `position`, up to `through`.
        """
        CREATE TABLE webhook_chores (
            endpoint INTEGER NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL, through INTEGER NOT NULL,
            PRIMARY KEY (endpoint, kind)) WITHOUT ROWID
        """
    ]

    /// Adds a job for all present deliveries of an endpoint.
    ///
    /// The job ends with the endpoint's last pending delivery, which cannot be deleted before. SQLite reuses row
    /// identifiers: if the job ended with the last delivery of all endpoints, and that one was deleted with its
    /// endpoint, later deliveries could get smaller identifiers and would be discarded too.
    static func add(_ kind: Kind, to endpoint: Int64, _ db: Database) throws {
        try db.run(
            """
            INSERT OR REPLACE INTO webhook_chores (endpoint, kind, position, through)
            VALUES (?1, ?2, 0, (
                SELECT coalesce(max(id), 0) FROM deliveries INDEXED BY deliveries_by_state
                WHERE endpoint = ?1 AND \(WebhookTables.isPending)))
            """, [.integer(endpoint), .text(kind.rawValue)])
    }

    /// The number of deliveries between two checks of the time.
    private static let slice = 16
    /// The maximum duration of one transaction. In a large ledger each row may require a disk read, and other writers
    /// wait for all of them.
    private static let maximumDuration = Duration.milliseconds(10)

    /// Runs one batch of a job, with at most `limit` deliveries; returns false if there was no job. Even the last batch
    /// may make deliveries due.
    static func runBatch(limit: Int, at now: Milliseconds, _ db: Database) throws -> Bool {
        let begin = ContinuousClock.now
        for index in 0..<max(1, limit / slice) {
            guard try runSlice(limit: min(slice, limit), at: now, db) else { return index > 0 }
            guard begin.duration(to: .now) < maximumDuration else { break }
        }
        return true
    }

    /// The kinds of jobs that this version knows. Others stay in the table.
    private static let kinds = Kind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    private static func runSlice(limit: Int, at now: Milliseconds, _ db: Database) throws -> Bool {
        let job = try db.first(
            "SELECT endpoint, kind, position, through FROM webhook_chores WHERE kind IN (\(kinds)) LIMIT 1", []
        ) { row in
            row.text(1).flatMap(Kind.init).map { kind in
                (
                    endpoint: row.number(0) ?? 0, kind: kind, position: row.number(2) ?? 0,
                    through: row.number(3) ?? 0
                )
            }
        }
        guard let job else { return false }
        let position: Int64?
        switch job.kind {
        case .remove: position = try remove(job.endpoint, limit, db)
        case .discard, .resume:
            let rows = try pending(job.endpoint, after: job.position, through: job.through, limit, db)
            if job.kind == .discard { try discard(rows, of: job.endpoint, now, db) } else { try resume(rows, now, db) }
            position = rows.count < limit ? nil : rows.last?.id
        }
        let key: [SQLValue] = [.integer(job.endpoint), .text(job.kind.rawValue)]
        if let position {
            try db.run(
                "UPDATE webhook_chores SET position = ? WHERE endpoint = ? AND kind = ?", [.integer(position)] + key)
        } else {
            try db.run("DELETE FROM webhook_chores WHERE endpoint = ? AND kind = ?", key)
        }
        return true
    }

    /// Returns the position to continue from; nil if the job is done.
    private static func remove(_ endpoint: Int64, _ limit: Int, _ db: Database) throws -> Int64? {
        try db.run(
            """
            DELETE FROM deliveries WHERE id IN (
                SELECT id FROM deliveries INDEXED BY deliveries_by_state WHERE endpoint = ? ORDER BY state, id LIMIT ?)
            """, [.integer(endpoint), .init(limit)])
        return db.changesCount < limit ? nil : 0
    }

    private typealias Row = (id: Int64, lane: String, purchase: String?)

    private static func pending(
        _ endpoint: Int64, after position: Int64, through last: Int64, _ limit: Int, _ db: Database
    ) throws -> [Row] {
        try db.all(
            """
            SELECT id, lane, purchase FROM deliveries INDEXED BY deliveries_by_state
            WHERE endpoint = ? AND \(WebhookTables.isPending) AND id > ? AND id <= ? ORDER BY id LIMIT ?
            """, [.integer(endpoint), .integer(position), .integer(last), .init(limit)]
        ) { ($0.number(0) ?? 0, $0.text(1) ?? "", $0.text(2)) }
    }

    private static func discard(_ rows: [Row], of endpoint: Int64, _ now: Milliseconds, _ db: Database) throws {
        for row in rows {
            try db.run(
                """
                UPDATE deliveries SET state = ?, due = NULL, body = NULL, ended_at = ?, last_error = ?
                WHERE id = ?
                """,
                [
                    .integer(WebhookDelivery.State.discarded.rawValue), .integer(now),
                    .text(WebhookDelivery.discardedBacklog), .integer(row.id),
                ])
        }
        let lanes = DeliveryLanes(to: endpoint, at: now, db)
        for row in rows { try lanes.release(after: row.lane, row.purchase) }
    }

    private static func resume(_ rows: [Row], _ now: Milliseconds, _ db: Database) throws {
        for row in rows {
            try db.run("UPDATE deliveries SET due = ?1 WHERE id = ?2 AND due > ?1", [.integer(now), .integer(row.id)])
        }
    }
}
