package import Ledger
internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB

extension SQLiteStorage: HistoryStorage {
    package func revision(of transactionId: String, in scope: Int64) async throws -> String? {
        try await read { db in
            try Row.fetchOne(
                db, sql: "SELECT revision FROM histories WHERE scope = ? AND original_id = ?",
                arguments: [scope, transactionId])?.text(0)
        }
    }

    package func note(
        revision: String?, of transactionId: String, in scope: Int64, at now: Milliseconds
    ) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT INTO histories (scope, original_id, revision, asked_at) VALUES (?, ?, ?, ?)
                    ON CONFLICT (scope, original_id) DO UPDATE SET
                        revision = coalesce(excluded.revision, revision), asked_at = excluded.asked_at
                    """, arguments: [scope, transactionId, revision, now])
        }
    }

    package func keep(
        unverified: [UnverifiedItem], ofHistory transactionId: String, in scope: Int64, at now: Milliseconds
    ) async throws {
        try await write { db in
            try db.execute(
                sql: "DELETE FROM recovery_failures WHERE scope = ? AND history = ?", arguments: [scope, transactionId])
            try Self.add(unverified, in: scope, nil, history: transactionId, at: now, db)
        }
    }

    package func sweep(in scope: Int64) async throws -> Sweep? {
        try await read { db in
            try Row.fetchOne(
                db, sql: "SELECT cursor, everyone_since, started_at, finished_at FROM sweeps WHERE scope = ?",
                arguments: [scope]
            ).map { row in
                Sweep(
                    scope: scope, cursor: row.text(0) ?? "", everyoneSince: row.number(1),
                    startedAt: row.number(2) ?? 0,
                    finishedAt: row.number(3))
            }
        }
    }

    package func note(_ sweep: Sweep) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO sweeps (scope, cursor, everyone_since, started_at, finished_at)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [sweep.scope, sweep.cursor, sweep.everyoneSince, sweep.startedAt, sweep.finishedAt])
        }
    }

    package func glances(after original: String, in scope: Int64, limit: Int) async throws -> [LineageGlance] {
        try await read { db in
            try db.all(
                """
                SELECT \(LineageTable.reading), histories.asked_at FROM lineages
                LEFT JOIN histories USING (scope, original_id)
                WHERE scope = ? AND lineages.original_id > ? ORDER BY lineages.original_id LIMIT ?
                """, [.integer(scope), .text(original), .integer(Int64(limit))]
            ) { LineageGlance(try LineageTable.lineage($0), askedAt: $0.number(4)) }
        }
    }
}

extension LineageGlance {
    fileprivate init(_ lineage: Lineage, askedAt: Milliseconds?) {
        self.init(lineage.originalTransactionId)
        self.askedAt = askedAt
        if let renewal = lineage.renewal {
            (renewalSigned, end) = (renewal.signedDate.milliseconds, renewal.renewalDate?.milliseconds)
            (willRenew, isInRetry) = (renewal.willRenew, renewal.isInBillingRetry)
            graceDate = renewal.gracePeriodExpiresDate?.milliseconds
        }
        let latest = lineage.transactions.max { ($0.expiresDate ?? .distantPast) < ($1.expiresDate ?? .distantPast) }
        guard let latest else { return }
        end = [end, latest.expiresDate?.milliseconds].compactMap(\.self).max()
        isRevoked = latest.revocationDate != nil
    }
}
