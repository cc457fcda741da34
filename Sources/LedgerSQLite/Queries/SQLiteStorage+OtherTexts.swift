internal import GRDB
package import Ledger

/// Reads different texts with the UUID of a stored notification. They may contain facts, so they are processed like
/// notifications; in the inbox and among the failures `id` is their ``InboxText/code``.
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
        try otherTexts(
            "WHERE notification = ? ORDER BY other_texts.id LIMIT ?", [.integer(notification), .init(limit)], db)
    }

    /// Returns the different texts of several notifications, at most `limit` in total.
    func otherTexts(
        ofAny notifications: [StoredNotification], limit: Int, _ db: Database
    ) throws -> [StoredNotification] {
        let ids = notifications.map(\.id).sqlList
        guard !ids.isEmpty else { return [] }
        return try otherTexts(
            "WHERE notification IN (\(ids)) ORDER BY notification, other_texts.id LIMIT ?", [.init(limit)],
            isCached: false, db)
    }

    /// Returns the pending different texts.
    func waitingOtherTexts(after number: Int64, limit: Int, _ db: Database) throws -> [StoredNotification] {
        try otherTexts(
            "WHERE waiting.id > ? AND waiting.id < 0 ORDER BY waiting.id LIMIT ?", [.integer(number), .init(limit)],
            from: "inbox AS waiting CROSS JOIN other_texts ON other_texts.id = -waiting.id", db)
    }

    /// Returns the different texts with these row identifiers, the lowest first.
    func otherTexts(numbered numbers: [Int64], _ db: Database) throws -> [StoredNotification] {
        let ids = numbers.sqlList
        guard !ids.isEmpty else { return [] }
        return try otherTexts("WHERE other_texts.id IN (\(ids)) ORDER BY other_texts.id", [], isCached: false, db)
    }

    /// Reads different texts, each as its notification with the text and the dates of its own.
    ///
    /// - Parameter sql: The part of the query after the tables.
    private func otherTexts(
        _ sql: String, _ values: [SQLValue], from tables: String = "other_texts", isCached: Bool = true, _ db: Database
    ) throws -> [StoredNotification] {
        try db.all(
            """
            SELECT \(Self.notificationColumns(of: "other_texts", id: "-other_texts.id"))
            FROM \(tables) CROSS JOIN notifications ON notifications.id = notification \(sql)
            """, values, isCached: isCached
        ) { storedNotification($0) }
    }
}

extension InboxText {
    /// The table of the text.
    var table: String { otherText == nil ? "notifications" : "other_texts" }

    /// The row identifier in the table.
    var row: Int64 { otherText ?? code }
}
