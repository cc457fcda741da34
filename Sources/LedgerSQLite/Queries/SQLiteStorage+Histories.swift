internal import GRDB
package import Ledger

extension SQLiteStorage: HistoryStorage {
    package func historyMark(of transactionIDs: [String], in scope: Int64) async throws -> HistoryMark? {
        try await read { db in
            for id in transactionIDs {
                let revision = try db.text(
                    "SELECT revision FROM histories WHERE scope = ? AND original_id = ?", [.integer(scope), .text(id)])
                guard let revision, !revision.isEmpty else { continue }
                return HistoryMark(transactionID: id, revision: revision)
            }
            return nil
        }
    }

    package func record(
        revision: String?, of transactionID: String, in scope: Int64, at now: Milliseconds
    ) async throws {
        try await write { try HistoryTable.record(revision: revision, of: transactionID, in: scope, at: now, $0) }
    }

    package func recordRequest(about originals: [String], in scope: Int64, at now: Milliseconds) async throws {
        guard !originals.isEmpty else { return }
        try await write { db in
            for original in originals { try HistoryTable.record(revision: nil, of: original, in: scope, at: now, db) }
        }
    }

    package func replaceUnverified(
        with items: [UnverifiedItem], ofHistory transactionID: String, in scope: Int64, at now: Milliseconds
    ) async throws {
        try await write { db in
            try db.run(
                "DELETE FROM recovery_failures WHERE scope = ? AND history = ?",
                [.integer(scope), .text(transactionID)])
            try Self.add(items, in: scope, nil, history: transactionID, at: now, db)
        }
    }

    package func historyPass(in scope: Int64) async throws -> HistoryPass? {
        try await read { try Self.historyPass(in: scope, $0) }
    }

    static func historyPass(in scope: Int64, _ db: Database) throws -> HistoryPass? {
        try db.first(
            "SELECT cursor, everyone_since, started_at, finished_at FROM sweeps WHERE scope = ?", [.integer(scope)]
        ) { row in
            HistoryPass(
                scope: scope, cursor: row.text(0) ?? "", staleBefore: row.instant(1), startedAt: row.instant(2) ?? 0,
                finishedAt: row.instant(3))
        }
    }

    package func record(_ pass: HistoryPass, replacing previous: HistoryPass?) async throws -> Bool {
        try await write { db in
            guard try Self.historyPass(in: pass.scope, db) == previous else { return false }
            try CompletenessTable.store(pass, db)
            return true
        }
    }

    package func summaries(after original: String, in scope: Int64, limit: Int) async throws -> [LineageSummary] {
        try await readAll(
            """
            \(Self.selectSummaries) WHERE scope = ? AND lineages.original_id > ?
            ORDER BY lineages.original_id LIMIT ?
            """, [.integer(scope), .text(original), .init(limit)]
        ) { try Self.summary($0) }
    }

    /// Returns the summary of one purchase.
    static func summary(of original: String, in scope: Int64, _ db: Database) throws -> LineageSummary? {
        try db.first(
            "\(selectSummaries) WHERE scope = ? AND lineages.original_id = ?", [.integer(scope), .text(original)]
        ) { try summary($0) }
    }

    private static let selectSummaries = """
        SELECT \(LineageTable.reading), histories.asked_at FROM lineages
        LEFT JOIN histories USING (scope, original_id)
        """

    private static func summary(_ row: SQLStatement) throws -> LineageSummary? {
        if let lineage = try StorageError.unlessDamaged({ try LineageTable.lineage(row) }) {
            return LineageSummary(lineage, requestedAt: row.instant(4))
        }
        return row.text(0).map { LineageSummary(damaged: $0) }
    }
}
