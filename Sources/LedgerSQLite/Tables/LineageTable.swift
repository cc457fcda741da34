internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB
internal import Ledger

/// The table of records, and how records are found.
enum LineageTable {
    static let schema = [
        // `facts` contains the whole record, see PackedLineage; the other columns derive from it. For the row
        // identifier see LineageRowRange.
        """
        CREATE TABLE lineages (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, original_id TEXT NOT NULL,
            token BLOB, app_transaction_id TEXT, facts BLOB NOT NULL)
        """,
        "CREATE UNIQUE INDEX lineages_by_original ON lineages (scope, original_id)",
        """
        CREATE INDEX lineages_by_account ON lineages (scope, app_transaction_id) WHERE app_transaction_id IS NOT NULL
        """,
        // Maps transactions to records. A transaction whose identifier is the original transaction identifier is not in
        // the table.
        """
        CREATE TABLE transactions (
            transaction_id TEXT NOT NULL, scope INTEGER NOT NULL, original_id TEXT NOT NULL,
            PRIMARY KEY (transaction_id, scope, original_id)) WITHOUT ROWID
        """,
    ]

    /// The columns for ``lineage(_:_:)`` and ``record(_:_:)``.
    static let reading = "lineages.original_id, lineages.token, lineages.app_transaction_id, lineages.facts"

    /// Decodes the facts and account data of a row.
    ///
    /// - Throws: ``StorageError`` if the record is corrupt.
    static func lineage(_ row: SQLStatement) throws -> Lineage {
        let original = row.text(0) ?? ""
        guard var lineage = row.withBlob(3, { PackedLineage.lineage(original, $0) }) else { throw damage(original) }
        (lineage.appAccountToken, lineage.appTransactionID) = (row.uuid(1), row.text(2))
        return lineage
    }

    /// Decodes the whole record of a row.
    ///
    /// - Throws: ``StorageError`` if the record is corrupt.
    static func record(_ row: SQLStatement) throws -> LineageRecord {
        let original = row.text(0) ?? ""
        let record = row.withBlob(3) {
            PackedLineage.record(original, token: row.uuid(1), account: row.text(2), $0)
        }
        guard let record else { throw damage(original) }
        return record
    }

    static func record(_ original: String, in scope: Int64, _ db: Database) throws -> LineageRecord? {
        try db.first(find, [.integer(scope), .text(original)]) { try record($0) }
    }

    static func originalTransactionID(of transactionID: String, in scope: Int64, _ db: Database) throws -> String? {
        try db.text(
            """
            SELECT original_id FROM lineages WHERE scope = ?2 AND original_id = ?1
            UNION ALL SELECT min(original_id) FROM transactions WHERE transaction_id = ?1 AND scope = ?2
            """, [.text(transactionID), .integer(scope)])
    }

    /// Changes or creates a record, and writes it if it is different afterwards.
    static func update<Value>(
        _ original: String, in scope: Int64, _ db: Database, _ change: (inout LineageRecord) throws -> Value
    ) throws -> Value {
        let (known, row) =
            try db.first(find, [.integer(scope), .text(original)]) { (try Self.record($0), $0.number(4)) } ?? (nil, nil)
        var record = known ?? LineageRecord(original)
        let value = try change(&record)
        // Compares the lineage once, because the record of several years is long.
        let isSameLineage = record.lineage == known?.lineage
        if !isSameLineage || record != known { try write(record, replacing: known, row: row, scope, db) }
        if !isSameLineage { try SegmentTable.update(record.lineage, replacing: known?.lineage, in: scope, db) }
        return value
    }

    private static func write(
        _ record: LineageRecord, replacing known: LineageRecord?, row: Int64?, _ scope: Int64, _ db: Database
    ) throws {
        let lineage = record.lineage
        let owner: [SQLValue] = [.init(lineage.appAccountToken?.bytes), .init(lineage.appTransactionID)]
        let facts = SQLValue.blob(PackedLineage.pack(record))
        let range = LineageRowRange(token: lineage.appAccountToken, original: lineage.originalTransactionID)
        if let known { try FormerOwnerTable.add(ownersOf: known.lineage, replacedBy: lineage, in: scope, db) }
        if let known, let row {
            let place = range.contains(row) ? row : try range.next(db)
            // Columns that do not change are not written, so that their indices are not updated.
            let isSame =
                place == row && known.lineage.appAccountToken == lineage.appAccountToken
                && known.lineage.appTransactionID == lineage.appTransactionID
            if isSame {
                try db.run("UPDATE lineages SET facts = ? WHERE id = ?", [facts, .integer(row)])
            } else {
                try db.run(
                    "UPDATE lineages SET id = ?, token = ?, app_transaction_id = ?, facts = ? WHERE id = ?",
                    [.integer(place)] + owner + [facts, .integer(row)])
            }
        } else {
            try db.run(
                """
                INSERT INTO lineages (id, scope, original_id, token, app_transaction_id, facts)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    .integer(try range.next(db)), .integer(scope), .text(lineage.originalTransactionID),
                ] + owner + [facts])
        }
        try index(lineage, replacing: known?.lineage, in: scope, db)
    }

    /// Adds new transactions to the index. Both lists are sorted by identifier, and transactions are never removed.
    private static func index(
        _ lineage: Lineage, replacing known: Lineage?, in scope: Int64, _ db: Database
    ) throws {
        let present = known?.transactions ?? []
        guard lineage.transactions.count != present.count else { return }
        var next = 0
        for place in lineage.transactions.indices {
            if next < present.count,
                present[next].transactionID.isExactly(lineage.transactions[place].transactionID)
            {
                next += 1
            } else {
                try index(
                    lineage.transactions[place].transactionID, of: lineage.originalTransactionID, in: scope, db)
            }
        }
    }

    static func index(_ transactionID: String, of original: String, in scope: Int64, _ db: Database) throws {
        guard !transactionID.isExactly(original) else { return }
        try db.run(
            "INSERT OR IGNORE INTO transactions (transaction_id, scope, original_id) VALUES (?, ?, ?)",
            [.text(transactionID), .integer(scope), .text(original)])
    }

    /// The query for one record.
    static let find = "SELECT \(reading), lineages.id FROM lineages WHERE scope = ? AND original_id = ?"

    static func damage(_ original: String) -> StorageError {
        StorageError(
            .damaged,
            "the ledger's record of \(original) is damaged; `counterfoil ledger rebuild` derives it again from the signed data"
        )
    }
}
