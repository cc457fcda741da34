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

    /// The stretch goes on where it ended. Where there is a gap that the history cannot fill, a new one begins, and the
    /// App Store is asked about everybody. What lies ahead of now was noted by a clock that was wrong, so the end may also
    /// move back.
    static func move(
        _ recovery: RecoveryRun, until: Milliseconds, limit: Milliseconds, _ spans: inout UnverifiedSpans,
        at now: Milliseconds, _ db: Database
    ) throws {
        let known = try mark(of: recovery.scope, db)
        let beyond = known.map { $0.readUntil < recovery.from } ?? false
        var since = beyond ? recovery.from : min(known?.since ?? recovery.from, recovery.from)
        let gone = spans.forget(before: beyond ? max(limit, recovery.from) : limit)
        if let gone { since = max(since, gone + 1) }
        // A date ahead of the clock proves no more than the clock does.
        let signed = [recovery.signedUntil, known?.signedUntil.map { min($0, recovery.until) }].compactMap(\.self).max()
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO completeness (scope, since_date, until_date, known_by, checked_at, read_until,
                    signed_until)
                VALUES (?, ?, ?, 'notification_history', ?, ?, ?)
                """, arguments: [recovery.scope, since, until, now, until, signed])
        guard beyond || gone != nil else { return }
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO sweeps (scope, cursor, everyone_since, started_at, finished_at)
                VALUES (?, '', ?, ?, NULL)
                """, arguments: [recovery.scope, now, now])
    }

    /// The mark is before the first stretch with something that could not be believed.
    static func settle(_ scope: Int64, _ spans: UnverifiedSpans, _ db: Database) throws -> CompletenessMark? {
        try db.execute(
            sql: "UPDATE completeness SET until_date = min(read_until, ?) WHERE scope = ?",
            arguments: [spans.first.map { $0.from - 1 } ?? Milliseconds.max, scope])
        return try mark(of: scope, db)
    }
}

extension UnverifiedSpans {
    /// What the windows of a recovery have shown. One that was only for some kinds proves nothing for the others.
    mutating func apply(windowsOf recovery: Int64, _ db: Database) throws {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT from_date, until_date, unverified, kind IS NULL FROM recovery_windows
                WHERE recovery = ? AND only_failures = 0 AND from_date < until_date ORDER BY id
                """, arguments: [recovery])
        let windows = rows.map { row in
            (
                span: Span(from: row.number(0) ?? 0, until: row.number(1) ?? 0), isClean: row.number(2) == 0,
                isWhole: row.number(3) == 1
            )
        }
        for window in windows where window.isWhole && window.isClean { remove(window.span) }
        for window in windows where !window.isClean { insert(window.span) }
    }
}
