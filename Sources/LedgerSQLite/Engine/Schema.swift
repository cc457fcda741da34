internal import GRDB
internal import Ledger

/// The tables and their migrations. Instants are milliseconds since 1970.
enum Schema {
    /// Migrates a database to the present schema.
    ///
    /// - Parameters:
    ///   - isAllowed: Whether the file may be migrated; if not, one of an older version is refused. A running server
    ///     cannot continue with another schema.
    ///   - report: Called before and after a file of an older version is migrated.
    static func migrate(
        _ pool: DatabasePool, isAllowed: Bool, report: (_ from: String, _ to: String, _ isDone: Bool) -> Void
    ) throws {
        try pool.read { try requireKnown($0, path: pool.path) }
        let migrator = Self.migrator
        guard try pool.read({ try !$0.tableExists("facts") }) else {
            throw StorageError(
                .notALedger,
                """
                \(pool.path) was written by an unreleased version. Exports of that version can be imported into a \
                new ledger.
                """)
        }
        guard try isAllowed || pool.read(migrator.hasCompletedMigrations) else {
            throw StorageError(
                .older,
                """
                \(pool.path) was written by an older version of Counterfoil: start the server with this version \
                first, or use the older version
                """)
        }
        // A new file has no version.
        guard let from = try pool.read(migrator.completedMigrations).last, let to = migrator.migrations.last,
            from != to
        else { return try migrator.migrate(pool) }
        report(from, to, false)
        try migrator.migrate(pool)
        report(from, to, true)
    }

    /// Throws if a newer version wrote the database: it may have tables and records that this version cannot read.
    static func requireKnown(_ db: Database, path: String) throws {
        guard try !migrator.hasBeenSuperseded(db) else {
            throw StorageError(
                .newer,
                """
                \(path) was written by a newer version of Counterfoil; use that version, or a backup from before the \
                upgrade
                """)
        }
    }

    /// All migrations, in their order.
    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        let tables = [
            ledger, LineageTable.schema, OutboxTable.schema, HistoryRequestTable.schema, RecoveryTables.schema,
            HistoryTable.former, InspectionTables.schema, ConsumptionTables.schema, WebhookTables.schema,
        ]
        migrator.register("1", Array(tables.joined()))
        migrator.registerMigration("2", migrate: LineageRowRange.moveRowsIntoRanges)
        migrator.registerMigration("3", migrate: ClaimTables.createHistory)
        migrator.registerMigration("4", migrate: RecoveryTables.addSpans)
        migrator.register("5", WebhookTables.order + WebhookJobs.schema)
        migrator.register("6", ProductGroupTable.schema + ConsumptionTables.decisions) { db in
            try ProductGroupTable.fill(fromFirst: 10_000, db)
        }
        migrator.register("7", OriginalPurchaseTable.schema + GrantTables.schema)
        migrator.register("8", IdempotencyTable.schema + UnclaimedIndex.schema + ErasureTable.schema)
        migrator.registerMigration("9", migrate: HistoryTable.mergeTables)
        migrator.register("10", SegmentTable.schema, then: SegmentTable.fill)
        migrator.register("11", AttemptTable.schema + AuditTable.schema + ConsumptionTables.lists)
        migrator.register("12", WebhookTables.endings + AttemptTable.timestamps)
        // Since this version records contain prices, which older versions cannot read.
        migrator.register("13", [])
        migrator.register("14", HistoryRequestTable.byScope)
        migrator.register("15", WebhookTables.lastFailures)
        migrator.register("16", IdempotencyTable.locations)
        migrator.register("17", OutboxTable.accountEvents)
        migrator.register("18", AccountNotificationTable.schema, then: AccountNotificationTable.processAgain)
        migrator.register("19", IdempotencyTable.byCustomer)
        migrator.register("20", FormerOwnerTable.schema + FormerOwnerTable.beginning)
        migrator.register("21", AuditTable.byTarget)
        // Since this version records may contain a grace period that has ended, which older versions cannot read.
        migrator.register("22", [])
        migrator.register("23", GrantTables.byCustomer)
        migrator.register("24", OutboxTable.products)
        return migrator
    }

    /// Signed texts, and claims.
    private static let ledger = [
        """
        CREATE TABLE scopes (
            id INTEGER PRIMARY KEY, bundle_id TEXT NOT NULL, environment TEXT NOT NULL, UNIQUE (bundle_id, environment))
        """,
        // The headers of signed texts: see PackedText.
        "CREATE TABLE headers (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
        // All notifications; they are never deleted.
        """
        CREATE TABLE notifications (
            id INTEGER PRIMARY KEY, uuid NOT NULL, scope INTEGER NOT NULL, type TEXT NOT NULL, subtype TEXT,
            signed_date INTEGER NOT NULL, received_at INTEGER NOT NULL, origin INTEGER NOT NULL, text BLOB NOT NULL)
        """,
        "CREATE UNIQUE INDEX notifications_by_uuid ON notifications (uuid)",
        // Different texts that were signed with the UUID of an earlier notification. All of them are processed.
        """
        CREATE TABLE other_texts (
            id INTEGER PRIMARY KEY, notification INTEGER NOT NULL, signed_date INTEGER NOT NULL,
            received_at INTEGER NOT NULL, origin INTEGER NOT NULL, text BLOB NOT NULL, UNIQUE (notification, text))
        """,
        // The pending notifications; negative identifiers denote rows of other_texts.
        "CREATE TABLE inbox (id INTEGER PRIMARY KEY, received_at INTEGER NOT NULL)",
        // The notifications whose signed parts could not be verified.
        """
        CREATE TABLE failures (
            id INTEGER PRIMARY KEY, code TEXT NOT NULL, message TEXT NOT NULL, failed_at INTEGER NOT NULL)
        """,
        // Signed facts: texts that were received without a notification. Exports call them statements too.
        """
        CREATE TABLE statements (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, kind INTEGER NOT NULL, original_id TEXT NOT NULL,
            key TEXT NOT NULL, signed_date INTEGER NOT NULL, received_at INTEGER NOT NULL, origin INTEGER NOT NULL,
            text BLOB NOT NULL)
        """,
        // The present owners of purchases by claims: see ClaimTables, which has the history.
        """
        CREATE TABLE claims (
            scope INTEGER NOT NULL, original_id TEXT NOT NULL, customer TEXT NOT NULL, claimed_at INTEGER NOT NULL,
            PRIMARY KEY (scope, original_id, customer)) WITHOUT ROWID
        """,
        "CREATE INDEX claims_by_customer ON claims (scope, customer)",
        // The present customers of Apple accounts by claims.
        """
        CREATE TABLE account_claims (
            scope INTEGER NOT NULL, app_transaction_id TEXT NOT NULL, customer TEXT NOT NULL,
            claimed_at INTEGER NOT NULL, PRIMARY KEY (scope, app_transaction_id)) WITHOUT ROWID
        """,
        "CREATE INDEX account_claims_by_customer ON account_claims (scope, customer)",
    ]
}

extension DatabaseMigrator {
    /// Registers a migration that executes statements, and then fills the new tables or schedules that.
    fileprivate mutating func register(
        _ version: String, _ statements: [String], then fill: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) {
        registerMigration(version) { db in
            for statement in statements { try db.execute(sql: statement) }
            try fill(db)
        }
    }
}
