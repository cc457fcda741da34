internal import GRDB
internal import Ledger

/// The table of transaction histories: how far each was read, by the transaction in the request.
enum HistoryTable {
    /// A second table of the first schema, which restores used.
    static let former = [
        """
        CREATE TABLE account_histories (
            scope INTEGER NOT NULL, transaction_id TEXT NOT NULL, revision TEXT NOT NULL, asked_at INTEGER NOT NULL,
            PRIMARY KEY (scope, transaction_id)) WITHOUT ROWID
        """
    ]

    /// Records how far a history was read; without a revision, only that it was requested.
    static func record(
        revision: String?, of transactionID: String, in scope: Int64, at now: Milliseconds, _ db: Database
    ) throws {
        try db.run(
            """
            INSERT INTO histories (scope, original_id, revision, asked_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (scope, original_id) DO UPDATE SET
                revision = coalesce(excluded.revision, revision), asked_at = excluded.asked_at
            """, [.integer(scope), .text(transactionID), .init(revision), .integer(now)])
    }

    /// Merges the two tables. Histories that only restores had requested count as not requested, so that recovery
    /// requests them once more.
    static func mergeTables(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO histories (scope, original_id, revision, asked_at)
                    SELECT scope, transaction_id, revision, 0 FROM account_histories WHERE true
                    ON CONFLICT (scope, original_id) DO UPDATE SET
                        revision = coalesce(nullif(revision, ''), excluded.revision);
                DROP TABLE account_histories;
                """)
    }
}
