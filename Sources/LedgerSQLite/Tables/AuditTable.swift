package import Ledger
internal import Foundation
internal import GRDB

/// The audit log.
enum AuditTable {
    static let schema = [
        """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT NOT NULL, session TEXT, address TEXT,
            action TEXT NOT NULL, target TEXT, detail TEXT, result TEXT NOT NULL, digest BLOB NOT NULL)
        """
    ]
}

extension SQLiteStorage: AuditStorage {
    package func appendAudit(_ entries: [AuditEntry], dropping before: Milliseconds) async throws {
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
            // In the order of insertion, because the clock may have been set back.
            let oldest = try db.all(
                "SELECT id, at FROM audit ORDER BY id LIMIT ?", [.init(AuditEntry.maximumDropped)]
            ) { row in (id: row.number(0) ?? 0, at: row.number(1) ?? 0) }
            guard let last = oldest.prefix(while: { $0.at < before }).last else { return }
            try db.run("DELETE FROM audit WHERE id <= ?", [.integer(last.id)])
        }
    }

    package func audit(before id: Int64, limit: Int) async throws -> [StoredAuditEntry] {
        try await readAll(
            """
            SELECT id, at, actor, session, address, action, target, detail, result, digest FROM audit
            WHERE id < ? ORDER BY id DESC LIMIT ?
            """, [.integer(id), .init(limit)]
        ) { row in
            StoredAuditEntry(
                id: row.number(0) ?? 0,
                entry: AuditEntry(
                    at: row.number(1) ?? 0, actor: row.text(2) ?? "", session: row.text(3), address: row.text(4),
                    action: row.text(5) ?? "", target: row.text(6), detail: row.text(7), result: row.text(8) ?? ""),
                digest: row.blob(9) ?? Data())
        }
    }
}
