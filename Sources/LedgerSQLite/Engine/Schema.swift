internal import Ledger
internal import GRDB

/// The tables. Instants are milliseconds since 1970.
enum Schema {
    /// Brings a database to the present form.
    ///
    /// - Parameter isOnlyWriter: Whether nobody else writes. A server that runs cannot go on in another form.
    static func migrate(_ pool: DatabasePool, isOnlyWriter: Bool) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            for statement in tables.joined() { try db.execute(sql: statement) }
        }
        migrator.registerMigration("2", migrate: LineagePlaces.putInPlace)
        migrator.registerMigration("3", migrate: ClaimTables.makeHistory)
        migrator.registerMigration("4", migrate: RecoveryTables.addSpans)
        migrator.registerMigration("5", migrate: WebhookTables.putInOrder)
        migrator.registerMigration("6") { db in
            for statement in ProductGroupTable.schema + ConsumptionTables.decisions { try db.execute(sql: statement) }
            try ProductGroupTable.learn(fromTheFirst: 10_000, db)
        }
        migrator.registerMigration("7") { db in
            for statement in OriginalPurchaseTable.schema + GrantTables.schema { try db.execute(sql: statement) }
        }
        migrator.registerMigration("8") { db in
            for statement in IdempotencyTable.schema + UnclaimedIndex.schema + ErasureTable.schema {
                try db.execute(sql: statement)
            }
        }
        migrator.registerMigration("9", migrate: HistoryTable.makeOne)
        migrator.registerMigration("10") { db in
            for statement in SegmentTable.schema { try db.execute(sql: statement) }
            try SegmentTable.fill(db)
        }
        migrator.registerMigration("11") { db in
            let schema = AttemptTable.schema + AuditTable.schema + ConsumptionTables.lists
            for statement in schema { try db.execute(sql: statement) }
        }
        migrator.registerMigration("12") { db in
            for statement in WebhookTables.endings + AttemptTable.timestamps { try db.execute(sql: statement) }
        }
        // Records have prices since then, which no version before can read.
        migrator.registerMigration("13") { _ in }
        migrator.registerMigration("14") { db in
            for statement in HistoryRequestTable.byScope { try db.execute(sql: statement) }
        }
        migrator.registerMigration("15") { db in
            for statement in WebhookTables.lastFailures { try db.execute(sql: statement) }
        }
        migrator.registerMigration("16") { db in
            for statement in IdempotencyTable.locations { try db.execute(sql: statement) }
        }
        guard try !pool.read(migrator.hasBeenSuperseded) else {
            throw StorageError(.newer, "\(pool.path) was written by a newer Counterfoil, which alone can go on with it")
        }
        guard try pool.read({ try !$0.tableExists("facts") }) else {
            throw StorageError(
                .notALedger,
                """
                \(pool.path) was written by a version from before the first release. What was exported with that \
                version can be imported into a new ledger.
                """)
        }
        guard try isOnlyWriter || pool.read(migrator.hasCompletedMigrations) else {
            throw StorageError(
                .older,
                """
                \(pool.path) was written by an older Counterfoil: start the server with this one first, or do it with \
                that one
                """)
        }
        try migrator.migrate(pool)
    }

    private static var tables: [[String]] {
        [
            ledger,
            LineageTable.schema,
            OutboxTable.schema,
            HistoryRequestTable.schema,
            RecoveryTables.schema,
            HistoryTable.former,
            InspectionTables.schema,
            ConsumptionTables.schema,
            WebhookTables.schema,
        ]
    }

    /// What the App Store signed, and whom it belongs to.
    private static let ledger = [
        """
        CREATE TABLE scopes (
            id INTEGER PRIMARY KEY, bundle_id TEXT NOT NULL, environment TEXT NOT NULL, UNIQUE (bundle_id, environment))
        """,
        // The headers of signed texts: see PackedText.
        "CREATE TABLE headers (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
        // Every notification, for good.
        """
        CREATE TABLE notifications (
            id INTEGER PRIMARY KEY, uuid NOT NULL, scope INTEGER NOT NULL, type TEXT NOT NULL, subtype TEXT,
            signed_date INTEGER NOT NULL, received_at INTEGER NOT NULL, origin INTEGER NOT NULL, text BLOB NOT NULL)
        """,
        "CREATE UNIQUE INDEX notifications_by_uuid ON notifications (uuid)",
        // Should a UUID ever be signed twice with different contents: what came after the first. All of them count.
        """
        CREATE TABLE other_texts (
            id INTEGER PRIMARY KEY, notification INTEGER NOT NULL, signed_date INTEGER NOT NULL,
            received_at INTEGER NOT NULL, origin INTEGER NOT NULL, text BLOB NOT NULL, UNIQUE (notification, text))
        """,
        // Those that wait to be folded; of the other texts the negative numbers.
        "CREATE TABLE inbox (id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL)",
        // Those whose inside cannot be believed.
        """
        CREATE TABLE failures (
            id INTEGER PRIMARY KEY, code TEXT NOT NULL, message TEXT NOT NULL, failed_at INTEGER NOT NULL)
        """,
        // What came without a notification.
        """
        CREATE TABLE statements (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, kind INTEGER NOT NULL, original_id TEXT NOT NULL,
            key TEXT NOT NULL, signed_date INTEGER NOT NULL, received_at INTEGER NOT NULL, origin INTEGER NOT NULL,
            text BLOB NOT NULL)
        """,
        // The app's word for whose a purchase is at present: see ClaimTables, where the history of it is.
        """
        CREATE TABLE claims (
            scope INTEGER NOT NULL, original_id TEXT NOT NULL, customer TEXT NOT NULL, claimed_at INTEGER NOT NULL,
            PRIMARY KEY (scope, original_id, customer)) WITHOUT ROWID
        """,
        "CREATE INDEX claims_by_customer ON claims (scope, customer)",
        // The same for a whole Apple account, whatever it buys.
        """
        CREATE TABLE account_claims (
            scope INTEGER NOT NULL, app_transaction_id TEXT NOT NULL, customer TEXT NOT NULL,
            claimed_at INTEGER NOT NULL, PRIMARY KEY (scope, app_transaction_id)) WITHOUT ROWID
        """,
        "CREATE INDEX account_claims_by_customer ON account_claims (scope, customer)",
    ]
}
