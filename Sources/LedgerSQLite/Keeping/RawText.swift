internal import Ledger
internal import Foundation
internal import GRDB

/// A signed text of the ledger, as it was received.
struct RawText: Sendable {
    /// The number; of a notification's other text, a negative one.
    var id: Int64
    /// Where the reading goes on.
    var row: Int64
    var scope: Int64
    /// What it is; nil for a notification.
    var kind: Statement.Kind?
    /// What it is called when something is wrong with it.
    var name: String
    var packed: Data
    /// Nil where it is damaged.
    var text: String?
}

extension SQLiteStorage {
    /// The largest number of a notification.
    package func lastNotification() async throws -> Int64 {
        try await read { db in try db.first("SELECT max(id) FROM notifications", []) { $0.number(0) } ?? 0 }
    }

    /// The notifications that are folded, after the one with this number, each followed by its other texts.
    func foldedTexts(after id: Int64, limit: Int) async throws -> [RawText] {
        try await read { db in
            let texts = try db.all(
                """
                SELECT id, scope, NULL, text, uuid FROM notifications WHERE id > ?
                    AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.id = notifications.id)
                    AND NOT EXISTS (SELECT 1 FROM failures WHERE failures.id = notifications.id)
                ORDER BY id LIMIT ?
                """, [.integer(id), .init(limit)]
            ) { try self.rawText($0, name: "notification \(StoredUUID.text($0.value(4)))") }
            return try texts.flatMap { try [$0] + self.otherTexts(of: $0, db) }
        }
    }

    private func otherTexts(of text: RawText, _ db: Database) throws -> [RawText] {
        try db.all(
            """
            SELECT -id, ?, NULL, text FROM other_texts WHERE notification = ?
                AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.id = -other_texts.id)
                AND NOT EXISTS (SELECT 1 FROM failures WHERE failures.id = -other_texts.id)
            """, [.integer(text.scope), .integer(text.id)]
        ) { row in
            var other = try rawText(row, name: text.name)
            other.row = text.row
            return other
        }
    }

    /// What came without a notification, after the one with this number.
    func statementTexts(after id: Int64, limit: Int) async throws -> [RawText] {
        try await read { db in
            try db.all(
                "SELECT id, scope, kind, text, original_id FROM statements WHERE id > ? ORDER BY id LIMIT ?",
                [.integer(id), .init(limit)]
            ) { try self.rawText($0, name: "statement about \($0.text(4) ?? "")") }
        }
    }

    private func rawText(_ row: SQLStatement, name: String) throws -> RawText {
        guard let id = row.number(0) else { throw StorageError(.damaged, "\(name) in \(path) is damaged") }
        let packed = row.blob(3) ?? Data()
        return RawText(
            id: id, row: id, scope: row.number(1) ?? 0, kind: row.number(2).flatMap(Statement.Kind.init), name: name,
            packed: packed, text: headers.unpack(packed))
    }
}
