import CounterfoilServer
import GRDB

@testable import LedgerSQLite
@testable import Ledger

extension World {
    /// The ledger of the running server.
    var sqlite: SQLiteStorage {
        get throws {
            guard let storage = try server.core.storage as? SQLiteStorage else {
                throw StorageError(.failed, "another storage")
            }
            return storage
        }
    }

    /// The number of stored requests with an idempotency key.
    func storedRequests() async throws -> Int? {
        try await sqlite.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM requests") }
    }

    /// Deletes the stored requests, as if the server had crashed before it stored an answer.
    func deleteStoredRequests() async throws {
        try await sqlite.pool.write { db in try db.execute(sql: "DELETE FROM requests") }
    }
}
