internal import AppStoreModels
internal import Foundation
internal import GRDB
package import Ledger

/// The audit log.
enum AuditTable {
    static let schema = [
        """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT NOT NULL, session TEXT, address TEXT,
            action TEXT NOT NULL, target TEXT, detail TEXT, result TEXT NOT NULL, digest BLOB NOT NULL)
        """
    ]

    /// The entries about an object. Other filters search a part of the log.
    static let byTarget = ["CREATE INDEX audit_by_target ON audit (target) WHERE target IS NOT NULL"]

    /// Whether there are entries to delete among the oldest ones.
    static func hasExpired(at now: Milliseconds, limit: Int, _ db: Database) throws -> Bool {
        try lastExpired(at: now, limit: limit, db) != nil
    }

    /// Deletes entries whose retention has ended; returns their number.
    static func removeExpired(at now: Milliseconds, limit: Int, _ db: Database) throws -> Int {
        guard let last = try lastExpired(at: now, limit: limit, db) else { return 0 }
        try db.run("DELETE FROM audit WHERE id <= ?", [.integer(last)])
        return db.changesCount
    }

    /// The row identifier of the last entry to delete among the oldest ones. The order is that of insertion, because
    /// the clock may have been set back.
    private static func lastExpired(at now: Milliseconds, limit: Int, _ db: Database) throws -> Int64? {
        let oldest = try db.all("SELECT id, at FROM audit ORDER BY id LIMIT ?", [.init(limit)]) { row in
            (id: row.number(0) ?? 0, at: row.number(1) ?? 0)
        }
        let count = try AuditEntry.expiredCount(
            oldest.map { $0.at },
            followedBy: {
                try db.number(
                    "SELECT at FROM audit WHERE id > ? AND at <= ? ORDER BY id LIMIT 1",
                    [.integer(oldest.last?.id ?? 0), .integer(now)])
            }, at: now)
        return oldest.prefix(count).last?.id
    }
}

extension SQLiteStorage: AuditStorage {
    package func appendAudit(_ entries: [AuditEntry]) async throws {
        try await write { db in
            var last = try db.first("SELECT digest FROM audit ORDER BY id DESC LIMIT 1", []) { $0.blob(0) }
            for entry in entries {
                let digest = entry.digest(after: last ?? Data())
                try db.run(
                    """
                    INSERT INTO audit (at, actor, session, address, action, target, detail, result, digest)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                    [
                        .integer(entry.at), .text(entry.actor), .init(entry.session), .init(entry.address),
                        .text(entry.action), .init(entry.target), .init(entry.detail), .text(entry.result),
                        .blob(digest),
                    ])
                last = digest
            }
        }
    }

    package func audit(_ filter: AuditFilter, before id: Int64, limit: Int) async throws -> AuditList {
        try await read { db in
            let (conditions, values) = filter.conditions
            let last = filter.entriesToRead(forPageOf: limit) - 1
            var (found, ends): ([StoredAuditEntry], [Int64]) = ([], [])
            for (source, start) in filter.sources {
                let place = start + [.integer(id)]
                let end = try db.number(
                    "SELECT id FROM \(source) id < ? ORDER BY id DESC LIMIT 1 OFFSET ?", place + [.init(last)])
                if let end { ends.append(end) }
                found += try db.all(
                    """
                    SELECT id, at, actor, session, address, action, target, detail, result, digest,
                        (SELECT digest FROM audit AS former WHERE former.id < audit.id ORDER BY former.id DESC LIMIT 1)
                    FROM \(source) id < ? AND id >= ?\(conditions) ORDER BY id DESC LIMIT ?
                    """, place + [.integer(end ?? .min)] + values + [.init(limit + 1)]
                ) { AuditTable.entry($0) }
            }
            return AuditList(found: found, ends: ends, limit: limit)
        }
    }
}

extension AuditTable {
    fileprivate static func entry(_ row: SQLStatement) -> StoredAuditEntry {
        StoredAuditEntry(
            id: row.number(0) ?? 0,
            entry: AuditEntry(
                at: row.number(1) ?? 0, actor: row.text(2) ?? "", session: row.text(3), address: row.text(4),
                action: row.text(5) ?? "", target: row.text(6), detail: row.text(7), result: row.text(8) ?? ""),
            digest: row.blob(9) ?? Data(), previous: row.blob(10))
    }
}

extension AuditFilter {
    /// Where to read entries, as the beginning of a condition, with its values: for each target its part of the index.
    fileprivate var sources: [(sql: String, values: [SQLValue])] {
        guard let targets else { return [("audit WHERE", [])] }
        return targets.map { ("audit INDEXED BY audit_by_target WHERE target = ? AND", [.text($0.text)]) }
    }

    /// The SQL conditions that are not in the index, with their values.
    fileprivate var conditions: (sql: String, values: [SQLValue]) {
        var (sql, values): (String, [SQLValue]) = ("", [])
        if let actor {
            sql += " AND (actor = ? OR session = ?)"
            values += [.text(actor), .text(actor)]
        }
        if let action {
            sql += " AND action = ?"
            values.append(.text(action))
        }
        return (sql, values)
    }
}
