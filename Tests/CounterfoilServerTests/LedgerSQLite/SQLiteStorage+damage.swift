import GRDB

@testable import LedgerSQLite

extension SQLiteStorage {
    /// Changes the last byte of a stored notification's signature. If the byte is zero, the new one is 1.
    func damageNotification(_ condition: String) async throws {
        try await pool.write { db in
            try db.execute(
                sql: """
                    UPDATE notifications SET text = CAST(substr(text, 1, length(text) - 1)
                        || CASE substr(text, -1) WHEN x'00' THEN x'01' ELSE x'00' END AS BLOB) WHERE \(condition)
                    """)
        }
    }
}
