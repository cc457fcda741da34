import GRDB

@testable import LedgerSQLite

extension SQLiteStorage {
    /// Gives the signature of a kept notification another last byte, whatever it was: one in 256 ends in zero.
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
