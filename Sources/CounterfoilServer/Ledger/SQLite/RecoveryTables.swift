internal import GRDB

/// How far recovery has come. Both ends of a window belong to it; a recovery's numbers are the sums of its windows'.
enum RecoveryTables {
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
        // What the App Store's answers held and cannot be believed.
        """
        CREATE TABLE recovery_failures (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, digest BLOB NOT NULL, claimed_uuid, code TEXT NOT NULL,
            message TEXT NOT NULL, recovery INTEGER, from_date INTEGER, until_date INTEGER, noticed_at INTEGER NOT NULL,
            UNIQUE (scope, digest))
        """,
        // Up to where the transaction histories were read.
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

    /// How many recoveries that are over are remembered.
    static let recoveriesKept = 1000
    /// How many items that cannot be believed are remembered; beyond that only counted.
    static let failuresKept = 10_000
}
