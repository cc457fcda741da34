import CounterfoilServer
import GRDB
import LedgerServices
import StoreSimulator
import TestSupport
import Testing

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

    /// The types of the stored events of the app in production, at most 100, the oldest first.
    func eventTypes() async throws -> [String] {
        let query = FeedQuery(after: 0, scopes: [try appEnvironment().id], limit: 100)
        return try await server.core.storage.events(query, within: .none).items.map(\.event.type.rawValue)
    }

    /// The number of stored requests with an idempotency key.
    func storedRequests() async throws -> Int? {
        try await sqlite.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM requests") }
    }

    /// Deletes the stored requests, as if the server had crashed before it stored an answer.
    func deleteStoredRequests() async throws {
        let expired = simulator.now.milliseconds + IdempotencyDecision.retention + 1
        try #require(try await server.core.storage.removeExpired(at: expired, limit: 100) > 0)
    }

    /// Calls `body` while the ledger cannot be written.
    func withReadOnlyLedger(_ body: () async throws -> Void) async throws {
        try await sqlite.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 1") }
        try await body()
        try await sqlite.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = 0") }
    }

    /// Calls `body` while one kind of change in the ledger fails, as with a full disk.
    ///
    /// - Parameter change: The change in the words of an SQL trigger, such as `INSERT ON inbox`.
    func withFailing(_ change: String, _ body: () async throws -> Void) async throws {
        let trigger = "CREATE TRIGGER failing BEFORE \(change) BEGIN SELECT RAISE(ABORT, 'a test'); END"
        try await sqlite.pool.write { try $0.execute(sql: trigger) }
        try await body()
        try await sqlite.pool.write { try $0.execute(sql: "DROP TRIGGER failing") }
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
