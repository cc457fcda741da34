internal import Foundation
internal import GRDB

/// The events that happened, in order. They are written in the transaction that makes them happen, so none is lost and none
/// is told that did not happen. Deliveries to endpoints are made of them later.
enum OutboxTable {
    static let schema = [
        """
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope INTEGER NOT NULL, type TEXT NOT NULL,
            original_id TEXT, customer TEXT, notification INTEGER, occurred_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL, data TEXT)
        """
    ]

    static func add(_ event: LedgerEvent, _ db: Database) throws {
        let customer =
            try event.customer
            ?? event.originalTransactionId.flatMap { try SQLiteStorage.owners(of: $0, in: event.scope, db).first }
        try db.run(
            """
            INSERT OR IGNORE INTO events
                (id, scope, type, original_id, customer, notification, occurred_at, created_at, data)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(event.id), .integer(event.scope), .text(event.type.rawValue), .init(event.originalTransactionId),
                .init(customer), .init(event.notification), .integer(event.occurredAt), .integer(event.createdAt),
                .init(event.data),
            ])
    }
}
