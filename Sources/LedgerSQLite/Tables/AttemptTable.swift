internal import Foundation
internal import GRDB
package import Ledger

/// The table of delivery attempts.
enum AttemptTable {
    static let schema = [
        """
        CREATE TABLE attempts (
            delivery INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, ms INTEGER NOT NULL, status INTEGER,
            error TEXT, answer BLOB NOT NULL, PRIMARY KEY (delivery, number)) WITHOUT ROWID
        """,
        // Row identifiers of events increase, so new entries go to the end of the index.
        "CREATE INDEX deliveries_by_event ON deliveries (event)",
        // Attempts are deleted with their delivery, whichever statement deletes it: SQLite reuses row identifiers of
        // deliveries.
        """
        CREATE TRIGGER attempts_of_removed AFTER DELETE ON deliveries BEGIN
            DELETE FROM attempts WHERE delivery = old.id;
        END
        """,
    ]

    /// Adds the signed timestamp of each attempt, so that its headers can be shown again.
    static let timestamps = ["ALTER TABLE attempts ADD COLUMN timestamp INTEGER"]

    /// The columns for ``attempt(_:from:)``.
    static let columns = "at, ms, status, error, answer, timestamp"

    /// Returns the attempt in the columns from `column` on; nil if there is none.
    static func attempt(_ row: SQLStatement, from column: Int32) -> DeliveryAttempt? {
        guard let at = row.number(column) else { return nil }
        return DeliveryAttempt(
            at: at, milliseconds: row.number(column + 1) ?? 0, status: row.number(column + 2).map { Int($0) },
            error: row.text(column + 3), response: row.blob(column + 4) ?? Data(), timestamp: row.number(column + 5))
    }

    static func insert(_ attempt: DeliveryAttempt, of delivery: Int64, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO attempts (delivery, number, at, ms, status, error, answer, timestamp) VALUES (?, (
                SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE delivery = ?), ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(delivery), .integer(delivery), .integer(attempt.at), .integer(attempt.milliseconds),
                .init(attempt.status), .init(attempt.error), .blob(attempt.response),
                .init(attempt.timestamp),
            ])
    }
}

extension SQLiteStorage: AttemptStorage {
    package func delivery(_ id: Int64, of endpoint: Int64) async throws -> WebhookDelivery? {
        try await read { db in
            try db.first(
                "SELECT \(WebhookTables.reading) WHERE deliveries.id = ? AND endpoint = ?",
                [.integer(id), .integer(endpoint)]
            ) { WebhookTables.delivery($0) }
        }
    }

    package func deliveries(ofEvent id: String, limit: Int, attempts: Int) async throws -> [AttemptedDelivery]? {
        try await read { db in
            for (event, value) in OutboxTable.rowIDQueries(for: id) {
                var (isKnown, found): (Bool, [AttemptedDelivery]) = (false, [])
                // An event without deliveries has one row, and so has a delivery without attempts.
                try db.each(
                    """
                    WITH found (number) AS (\(event))
                    SELECT \(WebhookTables.columns), \(AttemptTable.columns) FROM found
                    JOIN events ON events.seq = found.number
                    LEFT JOIN deliveries ON deliveries.id IN (
                        SELECT id FROM deliveries WHERE event = events.seq ORDER BY id DESC LIMIT ?)
                    LEFT JOIN attempts ON attempts.delivery = deliveries.id AND attempts.number <= ?
                    ORDER BY deliveries.id DESC, attempts.number
                    """, [value, .init(limit), .init(attempts)]
                ) { row in
                    isKnown = true
                    guard let id = row.number(0) else { return }
                    if found.last?.delivery.id != id { found.append(AttemptedDelivery(WebhookTables.delivery(row))) }
                    guard let attempt = AttemptTable.attempt(row, from: WebhookTables.columnCount) else { return }
                    found[found.count - 1].attempts.append(attempt)
                }
                if isKnown { return found }
            }
            return nil
        }
    }

    package func attempts(of delivery: Int64, limit: Int) async throws -> [DeliveryAttempt] {
        try await readAll(
            "SELECT \(AttemptTable.columns) FROM attempts WHERE delivery = ? ORDER BY number LIMIT ?",
            [.integer(delivery), .init(limit)]
        ) { AttemptTable.attempt($0, from: 0) }
    }
}
