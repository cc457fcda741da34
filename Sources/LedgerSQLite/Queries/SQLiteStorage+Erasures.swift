internal import AppStoreModels
internal import GRDB
package import Ledger

extension SQLiteStorage: ErasureStorage {
    package func erase(_ customer: String, in appEnvironment: AppEnvironment, at now: Milliseconds) async throws
        -> ErasureReport
    {
        let named = try await read { try ErasureTable.originals(naming: [customer], in: appEnvironment.id, $0) }
        let report = try await write { db in
            let previous = try ErasureTable.erasure(of: customer, in: appEnvironment.id, appEnvironment.bundleID, db)
            let instant = Erasure.instant(
                at: now, newest: try ErasureTable.newest(of: customer, in: appEnvironment.id, db),
                previous: previous?.instant)
            let erasure = Erasure(digest: Erasure.digest(of: customer, in: appEnvironment.bundleID), at: instant)
            try ErasureTable.store(erasure, in: appEnvironment.id, db)
            return try ErasureTransaction(erasure: erasure, customer: customer, scope: appEnvironment.id, db: db)
                .apply(named: named[ExactText(customer)] ?? [])
        }
        checkpoints.truncateLog()
        return report
    }

    package func lastErasure(of customer: String, in appEnvironment: AppEnvironment) async throws -> Milliseconds? {
        try readInline {
            try ErasureTable.erasure(of: customer, in: appEnvironment.id, appEnvironment.bundleID, $0)?.instant
        }
    }

    /// The number of customers in one transaction.
    private static let customersPerTransaction = 100

    /// Removes the names of erased customers from imported and present data.
    func applyErasures(in scopes: Set<Int64>) async throws {
        for scope in scopes {
            let (erased, named) = try await read { db in
                let erased = try ErasureTable.erasedCustomersWithNames(in: scope, db)
                return (erased, try ErasureTable.originals(naming: erased.map(\.name), in: scope, db))
            }
            for batch in erased.batches(of: Self.customersPerTransaction) {
                try await writeBatch { db in
                    for (name, erasure) in batch {
                        let transaction = ErasureTransaction(
                            erasure: erasure, customer: name, scope: scope, isRepeated: true, db: db)
                        _ = try transaction.apply(named: named[ExactText(name)] ?? [])
                    }
                }
            }
            let hasReturned = try await read { try !ErasureTable.grantsOfStandIns(in: scope, $0).isEmpty }
            if hasReturned { try await writeBatch { try ErasureTable.removeGrantsOfStandIns(in: scope, $0) } }
        }
    }

    /// The table that exists from the beginning of an import until the names of erased customers are removed.
    private static let importMark = "unfinished_import"

    /// Marks the ledger before an import, which may be killed.
    func beginImport() async throws {
        try await write {
            try $0.execute(sql: "CREATE TABLE IF NOT EXISTS \(Self.importMark) (id INTEGER PRIMARY KEY)")
        }
    }

    /// Removes the names of erased customers after an import, also after one that was killed. Does nothing if there was
    /// none.
    package func finishImport() async throws {
        let scopes = try await read { db -> Set<Int64>? in
            guard try db.tableExists(Self.importMark) else { return nil }
            return Set(try db.numbers("SELECT id FROM scopes", []))
        }
        guard let scopes else { return }
        try await applyErasures(in: scopes)
        try await write { try $0.execute(sql: "DROP TABLE IF EXISTS \(Self.importMark)") }
        // After an import that was killed, the ledger stays open for months.
        checkpoints.truncateLog()
    }
}
