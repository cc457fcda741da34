internal import GRDB
internal import Ledger

/// The table of completeness marks.
enum CompletenessTable {
    static let columns = "scope, since_date, until_date, checked_at, read_until, signed_until"

    static func mark(_ row: SQLStatement) -> CompletenessMark {
        CompletenessMark(
            scope: row.number(0) ?? 0, since: row.instant(1) ?? 0, until: row.instant(2) ?? 0,
            checkedAt: row.instant(3) ?? 0, readUntil: row.instant(4), signedUntil: row.instant(5))
    }

    static func mark(of scope: Int64, _ db: Database) throws -> CompletenessMark? {
        try db.first("SELECT \(columns) FROM completeness WHERE scope = ?", [.integer(scope)]) { Self.mark($0) }
    }

    static func store(_ mark: CompletenessMark, _ db: Database) throws {
        try db.run(
            """
            INSERT OR REPLACE INTO completeness (scope, since_date, until_date, known_by, checked_at, read_until,
                signed_until)
            VALUES (?, ?, ?, 'notification_history', ?, ?, ?)
            """,
            [
                .integer(mark.scope), .integer(mark.since), .integer(mark.until), .integer(mark.checkedAt),
                .init(mark.readUntil), .init(mark.signedUntil),
            ])
    }

    static func store(_ pass: HistoryPass, _ db: Database) throws {
        try db.run(
            """
            INSERT OR REPLACE INTO sweeps (scope, cursor, everyone_since, started_at, finished_at)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                .integer(pass.scope), .text(pass.cursor), .init(pass.staleBefore), .integer(pass.startedAt),
                .init(pass.finishedAt),
            ])
    }

    /// Returns the windows of a recovery with their results.
    static func windows(of recovery: Int64, _ db: Database) throws -> [UnverifiedSpans.ReadWindow] {
        try db.all(
            """
            SELECT from_date, until_date, unverified, kind IS NULL, only_failures FROM recovery_windows
            WHERE recovery = ? ORDER BY id
            """, [.integer(recovery)]
        ) { row in
            UnverifiedSpans.ReadWindow(
                from: row.instant(0) ?? 0, until: row.instant(1) ?? 0, unverified: row.number(2) ?? 1,
                isWhole: row.number(3) == 1, onlyFailures: row.number(4) == 1)
        }
    }
}
