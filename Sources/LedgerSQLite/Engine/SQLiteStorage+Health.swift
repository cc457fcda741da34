internal import GRDB
internal import Ledger

extension SQLiteStorage: HealthStorage {
    package var logBytes: Int? { files.logBytes }

    /// Writes the present value of a number in the file header. This goes through the log and to the disk like every
    /// commit.
    package func checkWritable() async throws {
        try await writeUncounted { db in try db.execute(sql: "PRAGMA user_version = 0") }
    }
}
