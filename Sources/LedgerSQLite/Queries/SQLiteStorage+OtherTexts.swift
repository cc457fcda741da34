package import Ledger
internal import Foundation
internal import GRDB

/// Reads different texts with the UUID of a stored notification. They may contain facts, so they are processed like
/// notifications; in the inbox and among the failures their row identifiers are negative.
extension SQLiteStorage {
    /// The rows of the inbox or of the failures as `waiting`, joined with their different text (`other_texts`), if
    /// there is one, and their notification (`n`).
    static func withNotification(_ table: String) -> String {
        """
        \(table) AS waiting LEFT JOIN other_texts ON other_texts.id = -waiting.id
            CROSS JOIN notifications AS n ON n.id = coalesce(other_texts.notification, waiting.id)
        """
    }

    package func otherTexts(of notification: Int64, limit: Int) async throws -> [StoredNotification] {
        try await read { try self.otherTexts(of: notification, limit: limit, $0) }
    }

    func otherTexts(of notification: Int64, limit: Int, _ db: Database) throws -> [StoredNotification] {
        try otherTexts("WHERE notification = ? ORDER BY id LIMIT ?", [.integer(notification), .init(limit)], db)
    }

    /// Returns the different texts of several notifications, at most `limit` in total.
    func otherTexts(
        ofAny notifications: [StoredNotification], limit: Int, _ db: Database
    ) throws -> [StoredNotification] {
        let ids = notifications.map { String($0.id) }.joined(separator: ", ")
        guard !ids.isEmpty else { return [] }
        return try otherTexts(
            "WHERE notification IN (\(ids)) ORDER BY notification, id LIMIT ?", [.init(limit)], isCached: false, db)
    }

    /// Returns the pending different texts.
    func waitingOtherTexts(after number: Int64, limit: Int, _ db: Database) throws -> [StoredNotification] {
        try otherTexts(
            """
            CROSS JOIN other_texts ON other_texts.id = -waiting.id
            WHERE waiting.id > ? AND waiting.id < 0 ORDER BY waiting.id LIMIT ?
            """, [.integer(number), .init(limit)], from: "inbox AS waiting", db)
    }

    /// Returns the different texts with these row identifiers, the highest first.
    func otherTexts(numbered numbers: some Sequence<Int64>, _ db: Database) throws -> [StoredNotification] {
        let ids = numbers.map { String($0.magnitude) }.joined(separator: ", ")
        return ids.isEmpty ? [] : try otherTexts("WHERE id IN (\(ids)) ORDER BY id", [], isCached: false, db)
    }

    /// Reads different texts.
    ///
    /// - Parameter sql: The part of the query after the table.
    private func otherTexts(
        _ sql: String, _ values: [SQLValue], from table: String = "other_texts", isCached: Bool = true, _ db: Database
    ) throws -> [StoredNotification] {
        let rows = try db.all(
            """
            SELECT -other_texts.id, notification, text, signed_date, other_texts.received_at, origin,
                EXISTS (SELECT 1 FROM inbox WHERE inbox.id = -other_texts.id),
                (SELECT code FROM failures WHERE failures.id = -other_texts.id)
            FROM \(table) \(sql)
            """, values, isCached: isCached
        ) { OtherText($0) }
        let known = try notifications(numbered: Set(rows.compactMap(\.notification)), db)
        let notifications = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
        return rows.compactMap { row in
            guard let id = row.id, var stored = row.notification.flatMap({ notifications[$0] }) else { return nil }
            (stored.id, stored.failure) = (id, row.failure)
            stored.text = row.text.flatMap { headers.unpack($0) } ?? ""
            (stored.signedDate, stored.receivedAt, stored.origin) = (row.signedDate, row.receivedAt, row.origin)
            stored.state = row.isWaiting ? .pending : stored.failure == nil ? .processed : .failed
            return stored
        }
    }
}

/// A row of `other_texts`, without its notification.
private struct OtherText {
    let id: Int64?
    let notification: Int64?
    let text: Data?
    let signedDate: Milliseconds
    let receivedAt: Milliseconds
    let origin: Origin
    let isWaiting: Bool
    let failure: String?

    init(_ row: SQLStatement) {
        (id, notification, text) = (row.number(0), row.number(1), row.blob(2))
        (signedDate, receivedAt) = (row.number(3) ?? 0, row.number(4) ?? 0)
        origin = row.number(5).flatMap(Origin.init) ?? .imported
        (isWaiting, failure) = (row.number(6) == 1, row.text(7))
    }
}
