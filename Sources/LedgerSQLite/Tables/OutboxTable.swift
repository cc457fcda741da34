internal import Foundation
internal import GRDB
internal import Ledger

/// The table of events, in order. An event is written in the transaction that causes it, so that none is lost, and none
/// is published for a change that was rolled back. Deliveries are created from the events later.
enum OutboxTable {
    static let schema = [
        """
        CREATE TABLE events (
            seq INTEGER PRIMARY KEY, id TEXT NOT NULL, scope INTEGER NOT NULL, type TEXT NOT NULL,
            original_id TEXT, customer TEXT, notification INTEGER, occurred_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL, data TEXT)
        """,
        // A notification creates one event, whose identifier derives from its UUID. The index uses the row identifier
        // of the notification, which increases with time, so that new entries are adjacent on the disk.
        "CREATE UNIQUE INDEX events_by_notification ON events (notification) WHERE notification IS NOT NULL",
        "CREATE UNIQUE INDEX own_events_by_id ON events (id) WHERE notification IS NULL",
    ]

    /// An index of the events about Apple accounts, in which an erasure replaces the name. No purchase leads to them.
    static let accountEvents = [
        """
        CREATE INDEX account_events_by_customer ON events (scope, customer)
        WHERE original_id IS NULL AND notification IS NOT NULL AND customer IS NOT NULL
        """
    ]

    /// The product of each event, for the list of notifications.
    static let products = ["ALTER TABLE events ADD COLUMN product TEXT"]

    /// The columns for ``event(_:)``.
    static let columns =
        "id, scope, type, original_id, customer, notification, occurred_at, created_at, data, is_late, product"

    static func event(_ row: SQLStatement) -> LedgerEvent {
        var event = LedgerEvent(
            id: row.text(0) ?? "", scope: row.number(1) ?? 0, type: EventType(rawValue: row.text(2) ?? ""),
            originalTransactionID: row.text(3), customer: row.text(4), notification: row.number(5),
            occurredAt: row.number(6) ?? 0, createdAt: row.number(7) ?? 0, data: row.text(8))
        event.isLate = row.number(9) == 1
        event.productID = row.text(10)
        return event
    }

    /// Returns the row identifier of the event with an identifier.
    static func number(of id: String, _ db: Database) throws -> Int64? {
        for (event, value) in rowIDQueries(for: id) {
            if let number = try db.number(event, [value]) { return number }
        }
        return nil
    }

    /// Returns the queries that find the row identifier of an event, to be tried in order, each with its value.
    static func rowIDQueries(for id: String) -> [(sql: String, value: SQLValue)] {
        let own = ("SELECT seq FROM events WHERE id = ? AND notification IS NULL", SQLValue.text(id))
        guard id.hasPrefix(LedgerEvent.prefix) else { return [own] }
        // Most events come from notifications.
        let notified = """
            SELECT seq FROM notifications JOIN events ON notification = notifications.id
            WHERE uuid = ? AND notification IS NOT NULL
            """
        return [(notified, StoredUUID.value(String(id.dropFirst(LedgerEvent.prefix.count)))), own]
    }

    /// Stores an event.
    ///
    /// - Parameter owner: The record from which the owner follows, if it was just read.
    static func add(_ event: LedgerEvent, owner: Lineage? = nil, _ db: Database) throws {
        let customer =
            if let customer = event.customer {
                customer as String?
            } else if let owner {
                try SQLiteStorage.owners(of: owner, in: event.scope, db).first
            } else {
                try event.originalTransactionID.flatMap { try SQLiteStorage.owners(of: $0, in: event.scope, db).first }
            }
        try db.run(
            """
            INSERT OR IGNORE INTO events
                (id, scope, type, original_id, customer, notification, occurred_at, created_at, data, is_late, product)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(event.id), .integer(event.scope), .text(event.type.rawValue), .init(event.originalTransactionID),
                .init(customer), .init(event.notification), .integer(event.occurredAt), .integer(event.createdAt),
                .init(event.data), event.isLate ? .integer(1) : .null, .init(event.productID),
            ])
    }
}
