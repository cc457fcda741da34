import CounterfoilServer
import GRDB
import LedgerServices
import TestSupport

@testable import Ledger
@testable import LedgerSQLite

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

    /// Returns the stored refusals, the newest first, once there are so many. Requests do not wait for theirs.
    func refusals(_ count: Int = 1) async throws -> [Refusal] {
        let core = try server.core
        var stored: [Refusal] = []
        try await waitUntil("\(count) refused notifications are stored") {
            await core.refusals.flush()
            stored = try await core.storage.refusals(before: .max, limit: 100).map(\.refusal)
            return stored.count >= count
        }
        return stored
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

extension LedgerEngine {
    /// Makes a processed notification pending and marks it as failed. Nothing wakes the processor in between.
    func failProcessed(
        _ notification: Int64, code: String, message: String, at now: Milliseconds = 0
    ) async throws {
        try await reprocess([notification], at: now)
        try await fail(notification, code: code, message: message, at: now)
    }
}
