internal import GRDB
internal import Ledger

/// Up to where the histories of Apple accounts were read, by the transactions that they were asked for with.
enum HistoryTable {
    /// What the first form had for restores beside the table of recovery.
    static let former = [
        """
        CREATE TABLE account_histories (
            scope INTEGER NOT NULL, transaction_id TEXT NOT NULL, revision TEXT NOT NULL, asked_at INTEGER NOT NULL,
            PRIMARY KEY (scope, transaction_id)) WITHOUT ROWID
        """
    ]

    /// Records up to where one was read; without a revision only that it was asked for.
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

    /// Makes one table of the two. What only restores knew does not count as asked: recovery looks for itself once more.
    static func makeOne(_ db: Database) throws {
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
