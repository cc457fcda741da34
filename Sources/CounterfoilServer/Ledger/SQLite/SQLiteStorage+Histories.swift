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
            // From each to the next by the primary key, past all their transactions and notifications.
            let next = try db.cachedStatement(
                sql: "SELECT original_id FROM facts WHERE scope = ? AND original_id > ? ORDER BY original_id LIMIT 1")
            var glances: [LineageGlance] = []
            var last = original
            while glances.count < limit, let found = try String.fetchOne(next, arguments: [scope, last]) {
                glances.append(try Self.glance(found, in: scope, db))
                last = found
            }
            return glances
        }
    }

    private static func glance(_ original: String, in scope: Int64, _ db: Database) throws -> LineageGlance {
        var glance = LineageGlance(original)
        let renewal = try db.cachedStatement(
            sql: """
                SELECT signed_date, renewal_date, will_renew, is_in_retry, grace_date FROM facts
                WHERE scope = ? AND original_id = ? AND kind = 0 AND key = ''
                """)
        if let row = try Row.fetchOne(renewal, arguments: [scope, original]) {
            (glance.renewalSigned, glance.end) = (row.number(0), row.number(1))
            (glance.willRenew, glance.isInRetry) = (row.number(2) == 1, row.number(3) == 1)
            glance.graceDate = row.number(4)
        }
        let latest = try db.cachedStatement(
            sql: """
                SELECT expires_date, revocation_date FROM facts WHERE scope = ? AND original_id = ? AND kind = 1
                ORDER BY expires_date DESC LIMIT 1
                """)
        if let row = try Row.fetchOne(latest, arguments: [scope, original]) {
            glance.end = [glance.end, row.number(0)].compactMap(\.self).max()
            glance.isRevoked = row.number(1) != nil
        }
        let history = try db.cachedStatement(
            sql: "SELECT asked_at FROM histories WHERE scope = ? AND original_id = ?")
        glance.askedAt = try Int64.fetchOne(history, arguments: [scope, original])
        return glance
    }
}
