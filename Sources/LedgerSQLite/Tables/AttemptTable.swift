package import Ledger
internal import Foundation
internal import GRDB

/// The attempts of deliveries.
enum AttemptTable {
    static let schema = [
        """
        CREATE TABLE attempts (
            delivery INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, ms INTEGER NOT NULL, status INTEGER,
            error TEXT, answer BLOB NOT NULL, PRIMARY KEY (delivery, number)) WITHOUT ROWID
        """,
        // Numbers of events rise, so a new one goes to the end.
        "CREATE INDEX deliveries_by_event ON deliveries (event)",
        // They go with the delivery, whatever removes it. Numbers of deliveries are used again.
        """
        CREATE TRIGGER attempts_of_removed AFTER DELETE ON deliveries BEGIN
            DELETE FROM attempts WHERE delivery = old.id;
        END
        """,
    ]

    /// Keeps what an attempt was signed for, so that its headers can be made again.
    static let timestamps = ["ALTER TABLE attempts ADD COLUMN timestamp INTEGER"]

    static func insert(_ attempt: DeliveryAttempt, of delivery: Int64, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO attempts (delivery, number, at, ms, status, error, answer, timestamp) VALUES (?, (
                SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE delivery = ?), ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(delivery), .integer(delivery), .integer(attempt.at), .integer(attempt.milliseconds),
                .init(attempt.status.map { Int64($0) }), .init(attempt.error), .blob(attempt.answer),
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

    package func deliveries(ofEvent number: Int64, limit: Int) async throws -> [WebhookDelivery] {
        try await read { db in
            try db.all(
                "SELECT \(WebhookTables.reading) WHERE deliveries.event = ? ORDER BY deliveries.id DESC LIMIT ?",
                [.integer(number), .init(limit)]
            ) { WebhookTables.delivery($0) }
        }
    }

    package func attempts(of delivery: Int64, limit: Int) async throws -> [DeliveryAttempt] {
        try await read { db in
            try db.all(
                "SELECT at, ms, status, error, answer, timestamp FROM attempts WHERE delivery = ? ORDER BY number LIMIT ?",
                [.integer(delivery), .init(limit)]
            ) { row in
                DeliveryAttempt(
                    at: row.number(0) ?? 0, milliseconds: row.number(1) ?? 0, status: row.number(2).map { Int($0) },
                    error: row.text(3), answer: row.blob(4) ?? Data(), timestamp: row.number(5))
            }
        }
    }
}
