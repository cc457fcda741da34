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

    /// Runs `body` while a kind of change of the file fails, as with a full disk.
    ///
    /// - Parameter change: The change and its table, as in `CREATE TRIGGER`: `UPDATE OF due ON grants`. A condition may
    ///   follow.
    func withFailing(_ change: String, _ body: () async throws -> Void) async throws {
        try await pool.write { db in
            try db.execute(
                sql: "CREATE TRIGGER failing BEFORE \(change) BEGIN SELECT RAISE(ABORT, 'failing'); END")
        }
        try await body()
        try await pool.write { try $0.execute(sql: "DROP TRIGGER failing") }
    }
}
