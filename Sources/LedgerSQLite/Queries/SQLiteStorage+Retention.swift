internal import GRDB
package import Ledger

extension SQLiteStorage: RetentionStorage {
    package func removeExpired(at now: Milliseconds, limit: Int) async throws -> Int {
        let hasExpired = try await read { db in
            try WebhookTables.hasExpired(at: now, db) || IdempotencyTable.hasExpired(at: now, db)
                || AuditTable.hasExpired(at: now, limit: limit, db)
        }
        // Most calls find nothing, and a commit counts as a change.
        guard hasExpired else { return 0 }
        return try await writeBatch { db in
            var count = try WebhookTables.removeExpired(at: now, limit: limit, db)
            count += try IdempotencyTable.removeExpired(at: now, limit: limit - count, db)
            return try count + AuditTable.removeExpired(at: now, limit: limit - count, db)
        }
    }
}
