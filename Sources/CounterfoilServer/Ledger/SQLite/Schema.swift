internal import GRDB

/// The tables. Instants are milliseconds since 1970.
enum Schema {
    /// Brings a database to the present form.
    static func migrate(_ pool: DatabasePool) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            for statement in tables.joined() { try db.execute(sql: statement) }
        }
        try migrator.migrate(pool)
    }

    private static var tables: [[String]] {
        [
            ledger,
            OutboxTable.schema,
            ErrandTable.schema,
            RecoveryTables.schema,
            HistoryTable.schema,
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
        // The fold's input: all that is known of one subscription or purchase lies side by side, so that a customer is
        // read, and a notification folded, at one place of the disk. Kind 0: the renewal info and the owner (key '').
        // Kind 1: a transaction (key: its identifier). Kind 2: a notification about it (key: its UUID). `source` is the
        // notification the newest text is in, or a statement as a negative number.
        """
        CREATE TABLE facts (
            scope INTEGER NOT NULL, original_id TEXT NOT NULL, kind INTEGER NOT NULL, key TEXT NOT NULL,
            signed_date INTEGER, source INTEGER,
            product_id TEXT, type, group_id TEXT, purchase_date INTEGER, expires_date INTEGER,
            revocation_date INTEGER, revocation_reason INTEGER, revocation_type, is_upgraded INTEGER, ownership,
            offer_type INTEGER, offer_id TEXT, offer_discount, quantity INTEGER, reason,
            token BLOB, app_transaction_id TEXT, previous_original_id TEXT,
            auto_renew_product_id TEXT, will_renew INTEGER, expiration_intent INTEGER, is_in_retry INTEGER,
            grace_date INTEGER, price_increase INTEGER, win_back TEXT, renewal_date INTEGER,
            owner_purchased INTEGER, owner_signed INTEGER, owner_transaction TEXT,
            PRIMARY KEY (scope, original_id, kind, key)) WITHOUT ROWID
        """,
        "CREATE INDEX facts_by_token ON facts (scope, token) WHERE kind = 0 AND token IS NOT NULL",
        """
        CREATE INDEX facts_by_account ON facts (scope, app_transaction_id)
            WHERE kind = 0 AND app_transaction_id IS NOT NULL
        """,
        "CREATE INDEX facts_by_transaction ON facts (key, scope) WHERE kind = 1",
        // The app's word for whose a purchase is.
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
