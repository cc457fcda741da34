internal import Foundation
internal import GRDB
internal import Ledger

/// A signed text of the ledger.
struct RawText: Sendable {
    /// The ``InboxText/code`` of a notification's text, or the row identifier of a signed fact.
    var id: Int64
    var scope: Int64
    /// The kind of signed fact; nil for a notification.
    var kind: SignedFact.Kind?
    /// The name in error messages.
    var name: String
    /// Nil if it is corrupt.
    var text: String?
}

extension SQLiteStorage {
    /// Returns the largest row identifier of a notification.
    package func lastNotification() async throws -> Int64 {
        try await read { db in try db.number("SELECT max(id) FROM notifications", []) ?? 0 }
    }

    /// Returns the processed texts of notifications after a row identifier: for each notification its text, then
    /// different texts with its UUID. Pending and failed texts are omitted one by one.
    ///
    /// - Returns: The texts, and the last notification that was read; nil if there are no more.
    func processedTexts(after id: Int64, limit: Int) async throws -> (texts: [RawText], last: Int64?) {
        try await read { db in
            let found = try db.all(
                """
                SELECT id, scope, NULL, text, uuid, EXISTS (SELECT 1 FROM inbox WHERE inbox.id = notifications.id)
                    OR EXISTS (SELECT 1 FROM failures WHERE failures.id = notifications.id)
                FROM notifications WHERE id > ? ORDER BY id LIMIT ?
                """, [.integer(id), .init(limit)]
            ) { row in
                (
                    text: try self.rawText(row, name: "notification \(StoredUUID.text(row.value(4)))"),
                    isProcessed: row.number(5) == 0
                )
            }
            let texts = try found.flatMap { try ($0.isProcessed ? [$0.text] : []) + self.otherTexts(of: $0.text, db) }
            return (texts: texts, last: found.last?.text.id)
        }
    }

    private func otherTexts(of text: RawText, _ db: Database) throws -> [RawText] {
        try db.all(
            """
            SELECT -id, ?, NULL, text FROM other_texts WHERE notification = ?
                AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.id = -other_texts.id)
                AND NOT EXISTS (SELECT 1 FROM failures WHERE failures.id = -other_texts.id)
            """, [.integer(text.scope), .integer(text.id)]
        ) { try rawText($0, name: text.name) }
    }

    /// Returns the signed facts after a row identifier.
    func signedFactTexts(after id: Int64, limit: Int) async throws -> [RawText] {
        try await readAll(
            "SELECT id, scope, kind, text, original_id FROM statements WHERE id > ? ORDER BY id LIMIT ?",
            [.integer(id), .init(limit)]
        ) { try self.rawText($0, name: "signed fact about \($0.text(4) ?? "")") }
    }

    private func rawText(_ row: SQLStatement, name: String) throws -> RawText {
        guard let id = row.number(0) else { throw StorageError(.damaged, "\(name) in \(path) is damaged") }
        return RawText(
            id: id, scope: row.number(1) ?? 0, kind: row.number(2).flatMap(SignedFact.Kind.init), name: name,
            text: row.blob(3).flatMap { headers.unpack($0) })
    }
}
