internal import GRDB
internal import Ledger

/// The tables of recoveries. Windows include both ends; a recovery's counts are the sums of its pages' counts.
enum RecoveryTables {
    /// The condition of the partial index. SQLite uses it only if the query has the same literal.
    static let isOpen = "state = '\(RecoveryRun.State.open.rawValue)'"

    static let schema = [
        """
        CREATE TABLE completeness (
            scope INTEGER PRIMARY KEY, since_date INTEGER NOT NULL, until_date INTEGER NOT NULL, known_by TEXT NOT NULL,
            checked_at INTEGER NOT NULL)
        """,
        """
        CREATE TABLE recoveries (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, cause TEXT NOT NULL, from_date INTEGER NOT NULL,
            until_date INTEGER NOT NULL, kinds TEXT NOT NULL, moves_mark INTEGER NOT NULL, state TEXT NOT NULL,
            created_at INTEGER NOT NULL, finished_at INTEGER, failure TEXT, pages INTEGER NOT NULL DEFAULT 0,
            found INTEGER NOT NULL DEFAULT 0, new INTEGER NOT NULL DEFAULT 0, duplicates INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0, windows INTEGER NOT NULL)
        """,
        "CREATE INDEX recoveries_open ON recoveries (scope, id) WHERE state = 'open'",
        """
        CREATE TABLE recovery_windows (
            id INTEGER PRIMARY KEY, recovery INTEGER NOT NULL, stage INTEGER NOT NULL, from_date INTEGER NOT NULL,
            until_date INTEGER NOT NULL, kind TEXT, only_failures INTEGER NOT NULL, token TEXT,
            is_done INTEGER NOT NULL DEFAULT 0)
        """,
        "CREATE INDEX recovery_windows_by_recovery ON recovery_windows (recovery)",
        // Unverified items in the App Store's responses.
        """
        CREATE TABLE recovery_failures (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, digest BLOB NOT NULL, claimed_uuid, code TEXT NOT NULL,
            message TEXT NOT NULL, recovery INTEGER, from_date INTEGER, until_date INTEGER, noticed_at INTEGER NOT NULL,
            UNIQUE (scope, digest))
        """,
        // How far the transaction histories were read.
        """
        CREATE TABLE histories (
            scope INTEGER NOT NULL, original_id TEXT NOT NULL, revision TEXT, asked_at INTEGER NOT NULL,
            PRIMARY KEY (scope, original_id)) WITHOUT ROWID
        """,
        """
        CREATE TABLE sweeps (
            scope INTEGER PRIMARY KEY, cursor TEXT NOT NULL, everyone_since INTEGER, started_at INTEGER NOT NULL,
            finished_at INTEGER)
        """,
    ]

    /// Adds the unverified spans, of which only the number was known before, and the end of the history that the App
    /// Store's own dates prove to be read.
    static func addSpans(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE completeness ADD COLUMN read_until INTEGER;
                ALTER TABLE completeness ADD COLUMN signed_until INTEGER;
                ALTER TABLE recoveries ADD COLUMN signed_until INTEGER;
                ALTER TABLE recovery_windows ADD COLUMN unverified INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE recovery_failures ADD COLUMN history TEXT;
                CREATE TABLE unverified_spans (
                    scope INTEGER NOT NULL, from_date INTEGER NOT NULL, until_date INTEGER NOT NULL,
                    PRIMARY KEY (scope, from_date)) WITHOUT ROWID;
                UPDATE completeness SET read_until = until_date, signed_until = until_date;
                """)
        for scope in try db.numbers("SELECT scope FROM completeness", []) {
            try UnverifiedSpanTable.createSpans(fromFailuresOf: scope, db)
        }
        // The history of these items was not stored, so every history is requested once more.
        try db.execute(
            sql: """
                UPDATE histories SET revision = NULL, asked_at = 0 WHERE scope IN (
                    SELECT scope FROM recovery_failures WHERE recovery IS NULL);
                INSERT OR REPLACE INTO sweeps (scope, cursor, everyone_since, started_at, finished_at)
                    SELECT scope, '', max(noticed_at), max(noticed_at), NULL FROM recovery_failures
                    WHERE recovery IS NULL GROUP BY scope;
                DELETE FROM recovery_failures WHERE recovery IS NULL;
                """)
    }
}

/// The table of unverified spans.
enum UnverifiedSpanTable {
    static func spans(in scope: Int64, _ db: Database) throws -> UnverifiedSpans {
        UnverifiedSpans(
            try db.all(
                "SELECT from_date, until_date FROM unverified_spans WHERE scope = ? ORDER BY from_date",
                [.integer(scope)]
            ) { .init(from: $0.instant(0) ?? 0, until: $0.instant(1) ?? 0) })
    }

    static func store(_ spans: UnverifiedSpans, in scope: Int64, _ db: Database) throws {
        try db.run("DELETE FROM unverified_spans WHERE scope = ?", [.integer(scope)])
        for span in spans.spans {
            try db.run(
                "INSERT INTO unverified_spans (scope, from_date, until_date) VALUES (?, ?, ?)",
                [.integer(scope), .integer(span.from), .integer(span.until)])
        }
    }

    /// Creates spans from the failures of an earlier version, and moves the mark before the first one.
    static func createSpans(fromFailuresOf scope: Int64, _ db: Database) throws {
        func span(_ row: SQLStatement) -> UnverifiedSpans.Span? {
            guard let from = row.instant(0), let until = row.instant(1) else { return nil }
            return .init(from: from, until: until)
        }
        var spans = UnverifiedSpans(
            try db.all(
                """
                SELECT DISTINCT from_date, until_date FROM recovery_failures WHERE scope = ? AND recovery IS NOT NULL
                """, [.integer(scope)], span))
        let count = try db.number("SELECT count(*) FROM recovery_failures", []) ?? 0
        let mark = try db.first(
            "SELECT since_date, until_date FROM completeness WHERE scope = ?", [.integer(scope)], span)
        // The table was full, so the times of further failures are unknown.
        if UnverifiedItem.room(beside: Int(count)) == 0, let mark { spans.insert(mark) }
        try store(spans, in: scope, db)
        if let first = spans.first {
            try db.run(
                "UPDATE completeness SET until_date = min(until_date, ?) WHERE scope = ?",
                [.integer(first.from - 1), .integer(scope)])
        }
    }
}
