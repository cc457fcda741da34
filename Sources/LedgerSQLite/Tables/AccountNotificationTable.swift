internal import AppStoreModels
internal import GRDB
internal import Ledger

/// The table of notifications about Apple accounts. Other notifications are in the records of their purchases. The table
/// derives from the notifications, so exports and digests do not include it.
enum AccountNotificationTable {
    static let schema = [
        """
        CREATE TABLE account_notifications (
            scope INTEGER NOT NULL, app_transaction_id TEXT NOT NULL, notification INTEGER NOT NULL,
            signed_date INTEGER NOT NULL, PRIMARY KEY (scope, app_transaction_id, notification)) WITHOUT ROWID
        """,
        "CREATE INDEX account_notifications_by_number ON account_notifications (notification)",
    ]

    /// Puts the notifications that an older version processed into the inbox again, because their signed parts are not
    /// stored. They have events already and create no others.
    static func processAgain(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO inbox (id, received_at)
                    SELECT id, strftime('%s', 'now') * 1000 FROM notifications
                    WHERE type = 'RESCIND_CONSENT' AND id NOT IN (SELECT id FROM failures)
                """)
    }

    /// A notification about an Apple account.
    struct Entry: Sendable {
        var account: String
        var mention: LineageRecord.Mention
    }

    /// Adds a notification. Of several texts with its UUID the latest signing date counts, in any order of arrival.
    static func add(
        _ mention: LineageRecord.Mention, about account: String, in scope: Int64, _ db: Database
    ) throws {
        try db.run(
            """
            INSERT INTO account_notifications (scope, app_transaction_id, notification, signed_date)
            VALUES (?, ?, ?, ?)
            ON CONFLICT (scope, app_transaction_id, notification)
                DO UPDATE SET signed_date = max(signed_date, excluded.signed_date)
            """,
            [.integer(scope), .text(account), .integer(mention.notification), .integer(mention.signedDate)])
    }

    /// The columns for ``entry(_:from:)``.
    private static let columns = "app_transaction_id, notification, signed_date"

    static func entry(_ row: SQLStatement, from column: Int32) -> Entry {
        Entry(
            account: row.text(column) ?? "",
            mention: LineageRecord.Mention(
                notification: row.number(column + 1) ?? 0, signedDate: row.number(column + 2) ?? 0))
    }

    /// The query for the notifications about all Apple accounts that were ever claimed for a customer (`?2`) in a scope
    /// (`?1`), with as many columns as ``OriginalPurchaseTable/eventsOfCustomer``. The first column is the kind of row.
    static let ofCustomer = """
        SELECT 3, \(columns), NULL, NULL, NULL, NULL, NULL, NULL FROM account_notifications
            WHERE scope = ?1 AND app_transaction_id IN (\(OriginalPurchaseTable.accountsOfCustomer))
        """

    /// Returns the notifications about some Apple accounts.
    static func entries(about accounts: Set<ExactText>, in scope: Int64, _ db: Database) throws -> [Entry] {
        guard !accounts.isEmpty else { return [] }
        return try db.all(
            """
            SELECT \(columns) FROM account_notifications
            WHERE scope = ? AND app_transaction_id IN (\(accounts.placeholders))
            """, [.integer(scope)] + accounts.map { .text($0.text) }, isCached: false
        ) { entry($0, from: 0) }
    }

    /// Returns the Apple accounts that a notification is about. Only different texts with its UUID can name several.
    static func entries(of notification: Int64, in scope: Int64, _ db: Database) throws -> [Entry] {
        try db.all(
            "SELECT \(columns) FROM account_notifications WHERE notification = ? AND scope = ?",
            [.integer(notification), .integer(scope)]
        ) { entry($0, from: 0) }
    }
}

extension [AccountNotificationTable.Entry] {
    /// Returns the notifications about accounts that were the customer's when the notification was signed.
    func belonging(to customer: String, in scope: Int64, _ db: Database) throws -> [Element] {
        try Dictionary(grouping: self) { ExactText($0.account) }.flatMap { account, entries in
            let ownership = try ClaimTables.ownership(ofAccount: account.text, in: scope, db)
            return entries.filter { ownership.customer(at: $0.mention.signedDate)?.isExactly(customer) ?? false }
        }
    }
}
