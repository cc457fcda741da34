internal import Ledger
internal import GRDB

/// Up to where nothing is missing.
enum CompletenessTable {
    static let columns = "scope, since_date, until_date, checked_at, read_until, signed_until"

    static func mark(_ row: Row) -> CompletenessMark {
        CompletenessMark(
            scope: row.number(0) ?? 0, since: row.number(1) ?? 0, until: row.number(2) ?? 0,
            checkedAt: row.number(3) ?? 0, readUntil: row.number(4), signedUntil: row.number(5))
    }

    static func mark(of scope: Int64, _ db: Database) throws -> CompletenessMark? {
        try Row.fetchOne(db, sql: "SELECT \(columns) FROM completeness WHERE scope = ?", arguments: [scope]).map(mark)
    }

    static func keep(_ mark: CompletenessMark, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO completeness (scope, since_date, until_date, known_by, checked_at, read_until,
                    signed_until)
                VALUES (?, ?, ?, 'notification_history', ?, ?, ?)
                """,
            arguments: [mark.scope, mark.since, mark.until, mark.checkedAt, mark.readUntil, mark.signedUntil])
    }

    /// Has everybody asked about who was not asked about since now.
    static func beginHistoryPass(_ scope: Int64, at now: Milliseconds, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO sweeps (scope, cursor, everyone_since, started_at, finished_at)
                VALUES (?, '', ?, ?, NULL)
                """, arguments: [scope, now, now])
    }

    /// The windows of a recovery, as they were read.
    static func windows(of recovery: Int64, _ db: Database) throws -> [UnverifiedSpans.ReadWindow] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT from_date, until_date, unverified, kind IS NULL FROM recovery_windows
                WHERE recovery = ? AND only_failures = 0 AND from_date < until_date ORDER BY id
                """, arguments: [recovery]
        ).map { row in
            .init(
                span: .init(from: row.number(0) ?? 0, until: row.number(1) ?? 0), isClean: row.number(2) == 0,
                isWhole: row.number(3) == 1)
        }
    }
}
