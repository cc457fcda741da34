internal import AppStoreModels
internal import Entitlements
internal import GRDB
internal import Ledger

/// The table of segment memberships with beginning and end. ``SegmentMembership`` computes them from the record of a
/// purchase; they change in the same transaction as the record.
enum SegmentTable {
    static let schema = [
        """
        CREATE TABLE segments (
            scope INTEGER NOT NULL, original_id TEXT NOT NULL, segment INTEGER NOT NULL, begins INTEGER NOT NULL,
            ends INTEGER NOT NULL, place INTEGER NOT NULL, since INTEGER, reason TEXT,
            PRIMARY KEY (scope, original_id, segment, begins)) WITHOUT ROWID
        """,
        // A page of a segment is a range of this index.
        """
        CREATE INDEX segments_by_place ON segments (scope, segment, place, original_id, begins, ends, since, reason)
        """,
        // The purchases that continue others. There are few, and the segments of the earlier purchase depend on them.
        """
        CREATE TABLE successions (
            scope INTEGER NOT NULL, previous_id TEXT NOT NULL, original_id TEXT NOT NULL,
            PRIMARY KEY (scope, previous_id, original_id)) WITHOUT ROWID
        """,
    ]

    /// Updates the segments of a changed purchase, and those of the purchases that it continues.
    static func update(_ lineage: Lineage, replacing known: Lineage?, in scope: Int64, _ db: Database) throws {
        try derive(lineage, in: scope, db)
        let predecessors = lineage.predecessors.union(known?.predecessors ?? [])
        for predecessor in predecessors.sorted() {
            // Removes a succession that only a replaced version contained: otherwise the result would depend on the
            // order of arrival.
            try db.run(
                lineage.predecessors.contains(predecessor)
                    ? "INSERT OR IGNORE INTO successions (scope, previous_id, original_id) VALUES (?, ?, ?)"
                    : "DELETE FROM successions WHERE scope = ? AND previous_id = ? AND original_id = ?",
                [.integer(scope), .text(predecessor.text), .text(lineage.originalTransactionID)])
            if let former = try readable(predecessor.text, in: scope, db) { try derive(former, in: scope, db) }
        }
    }

    private static func derive(_ lineage: Lineage, in scope: Int64, _ db: Database) throws {
        let key: [SQLValue] = [.integer(scope), .text(lineage.originalTransactionID)]
        let rows = Set(lineage.segments(successors: try successors(of: lineage.originalTransactionID, in: scope, db)))
        let known = try db.all(
            """
            SELECT segment, begins, ends, place, since, reason FROM segments WHERE scope = ? AND original_id = ?
            """, key
        ) { row(of: $0, from: 0) }
        // Most purchases are in no segment.
        guard Set(known) != rows else { return }
        try db.run("DELETE FROM segments WHERE scope = ? AND original_id = ?", key)
        for row in rows {
            try db.run(
                """
                INSERT INTO segments (scope, original_id, segment, begins, ends, place, since, reason)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                key + [
                    .init(row.segment.rawValue), .integer(row.begins), .integer(row.ends),
                    .integer(row.positionNumber), .init(row.since), .init(row.reason),
                ])
        }
    }

    static func successors(of previous: String, in scope: Int64, _ db: Database) throws -> [TransactionFact] {
        let originals = try db.texts(
            "SELECT original_id FROM successions WHERE scope = ? AND previous_id = ? ORDER BY original_id",
            [.integer(scope), .text(previous)])
        return try originals.flatMap { original in
            try readable(original, in: scope, db)?.transactions.filter {
                $0.previousOriginalTransactionID?.isExactly(previous) ?? false
            } ?? []
        }
    }

    /// Returns a related purchase; nil if its record is corrupt, so that it does not block the present one. Its
    /// segments are updated when the record is rebuilt.
    private static func readable(_ original: String, in scope: Int64, _ db: Database) throws -> Lineage? {
        try StorageError.unlessDamaged { try SQLiteStorage.lineage(original, in: scope, db) }
    }

    /// Creates a membership from the columns `segment`, `begins`, `ends`, `place`, `since` and `reason`; nil for a
    /// segment that this version does not know.
    static func row(of row: SQLStatement, from column: Int32) -> SegmentRow? {
        guard let segment = row.number(column).flatMap({ Segment(rawValue: Int(clamping: $0)) }),
            let begins = row.number(column + 1), let ends = row.number(column + 2),
            let positionNumber = row.number(column + 3)
        else { return nil }
        return SegmentRow(
            segment, begins: begins, ends: ends, positionNumber: positionNumber, since: row.number(column + 4),
            reason: row.text(column + 5))
    }

    /// Fills the table from existing records.
    static func fill(_ db: Database) throws {
        var last: Int64 = .min
        while true {
            let rows = try db.all(
                "SELECT \(LineageTable.reading), scope, id FROM lineages WHERE id > ? ORDER BY id LIMIT 1000",
                [.integer(last)]
            ) { row in
                // Corrupt records are reported elsewhere.
                let lineage = row.withBlob(3) { PackedLineage.lineage(row.text(0) ?? "", $0) }
                return (lineage: lineage, scope: row.number(4) ?? 0, id: row.number(5) ?? 0)
            }
            guard let end = rows.last else { return }
            last = end.id
            for (lineage, scope, _) in rows {
                if let lineage { try update(lineage, replacing: nil, in: scope, db) }
            }
        }
    }
}
