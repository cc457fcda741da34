internal import AppStoreModels
internal import Entitlements
internal import GRDB
internal import Ledger

/// The tables of usage reports and consumption inquiries. In `usage` an empty text stands for all transactions or
/// products.
enum ConsumptionTables {
    static let schema = [
        """
        CREATE TABLE usage (
            scope INTEGER NOT NULL, customer TEXT NOT NULL, transaction_id TEXT NOT NULL, product_id TEXT NOT NULL,
            consented INTEGER, percentage INTEGER, delivery TEXT, sample INTEGER, reported_at INTEGER NOT NULL,
            PRIMARY KEY (scope, customer, transaction_id, product_id)) WITHOUT ROWID
        """,
        """
        CREATE TABLE consumption_requests (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, notification TEXT NOT NULL UNIQUE,
            transaction_id TEXT NOT NULL, original_id TEXT NOT NULL, customer TEXT, requested_at INTEGER NOT NULL,
            deadline INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
            next_attempt_at INTEGER NOT NULL, sent_at INTEGER, sent TEXT, answer TEXT, decision TEXT,
            decided_at INTEGER)
        """,
        "CREATE INDEX consumption_requests_by_original ON consumption_requests (scope, original_id)",
        """
        CREATE INDEX consumption_requests_by_time ON consumption_requests (next_attempt_at) WHERE state = 'pending'
        """,
    ]

    /// The condition of the partial index. SQLite uses it only if the query has the same literal.
    static let isPending = "state = '\(ConsumptionInquiry.State.pending.rawValue)'"

    /// The index for the list of a scope.
    static let lists = ["CREATE INDEX consumption_requests_by_scope ON consumption_requests (scope, id)"]

    /// The table of refund decisions, which may arrive before the consumption request.
    static let decisions = [
        """
        CREATE TABLE refund_decisions (
            scope INTEGER NOT NULL, original_id TEXT NOT NULL, transaction_id TEXT NOT NULL, decided_at INTEGER NOT NULL,
            notification TEXT NOT NULL, decision TEXT NOT NULL,
            PRIMARY KEY (scope, original_id, transaction_id, decided_at, notification)) WITHOUT ROWID
        """
    ]

    /// Records the inquiry or the decision of a notification that is processed for the first time.
    static func record(_ notification: ProcessedNotification, _ db: Database) throws {
        guard let transaction = notification.transaction, let original = notification.originalTransactionID else {
            return
        }
        let inquiry = try ConsumptionInquiry(
            requestedBy: notification, in: environment(of: notification.scope, db),
            customer: SQLiteStorage.owners(of: original, in: notification.scope, db).first)
        if let inquiry {
            try add(inquiry, notification.uuid, db)
        } else if let decision = RefundDecision(announcedBy: notification) {
            try db.run(
                """
                INSERT OR IGNORE INTO refund_decisions (
                    scope, original_id, transaction_id, decided_at, notification, decision)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    .integer(notification.scope), .text(original), .text(transaction.transactionID),
                    .integer(decision.decidedAt), .text(decision.notification), .text(decision.decision.rawValue),
                ])
        } else {
            return
        }
        try assignDecisions(to: [.integer(notification.scope), .text(original), .text(transaction.transactionID)], db)
    }

    private static func environment(of scope: Int64, _ db: Database) throws -> AppStoreEnvironment {
        let name = try db.text("SELECT environment FROM scopes WHERE id = ?", [.integer(scope)])
        return AppStoreEnvironment(rawValue: name ?? "")
    }

    private static func add(_ inquiry: ConsumptionInquiry, _ notification: String, _ db: Database) throws {
        try db.run(
            """
            INSERT OR IGNORE INTO consumption_requests (scope, notification, transaction_id, original_id, customer,
                requested_at, deadline, state, next_attempt_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(inquiry.scope), .text(notification), .text(inquiry.transactionID),
                .text(inquiry.originalTransactionID), .init(inquiry.customer), .integer(inquiry.requestedAt),
                .integer(inquiry.deadline), .text(inquiry.state.rawValue), .integer(inquiry.nextAttemptAt),
            ])
    }

    /// Returns the inquiries for a query, of which `condition` is the part after the table.
    static func inquiries(_ condition: String, _ values: [SQLValue], _ db: Database) throws -> [ConsumptionInquiry] {
        try db.all("SELECT \(columns) FROM consumption_requests \(condition)", values) { inquiry($0) }
    }

    /// Assigns decisions to the inquiries about a transaction. A decision from before the table of decisions existed
    /// stays.
    private static func assignDecisions(to transaction: [SQLValue], _ db: Database) throws {
        let decisions = try db.all(
            """
            SELECT decision, decided_at, notification FROM refund_decisions
            WHERE scope = ? AND original_id = ? AND transaction_id = ?
            """, transaction
        ) { row in
            row.text(0).flatMap(ConsumptionInquiry.Decision.init).map {
                RefundDecision(decision: $0, decidedAt: row.number(1) ?? 0, notification: row.text(2) ?? "")
            }
        }
        let condition = "WHERE scope = ? AND original_id = ? AND transaction_id = ?"
        for var inquiry in try inquiries(condition, transaction, db) {
            inquiry.decide(by: decisions)
            try db.run(
                "UPDATE consumption_requests SET decision = ?, decided_at = ?, state = ? WHERE id = ?",
                [
                    .init(inquiry.decision?.rawValue), .init(inquiry.decidedAt), .text(inquiry.state.rawValue),
                    .integer(inquiry.id),
                ])
        }
    }

    /// Makes the pending inquiries about purchases due.
    static func makeDue(at now: Milliseconds, about originals: [String], in scope: Int64, _ db: Database) throws {
        for original in originals {
            try db.run(
                """
                UPDATE consumption_requests SET next_attempt_at = ?1
                WHERE \(isPending) AND scope = ?2 AND original_id = ?3 AND next_attempt_at > ?1
                """, [.integer(now), .integer(scope), .text(original)])
        }
    }

    /// Returns the query for the due inquiries of all scopes but some, with its values. Each part reads one range of the
    /// index.
    static func due(at now: Milliseconds, except scopes: Set<Int64>) -> (sql: String, values: [SQLValue]) {
        let times = LongestDelay.inquiry.dueTimes(at: now)
        // Without an exception the query reads nothing but the index. One value for all scopes, because each text of a query
        // stays in the cache.
        let others = scopes.isEmpty ? "" : " AND scope NOT IN (SELECT value FROM json_each(?))"
        let part = "SELECT id FROM consumption_requests WHERE \(isPending) AND next_attempt_at BETWEEN ? AND ?" + others
        let excluded = scopes.isEmpty ? [] : [SQLValue.text("[\(scopes.sqlList)]")]
        return (
            times.map { _ in part }.joined(separator: " UNION ALL "),
            times.flatMap { [SQLValue.integer($0.lowerBound), .integer($0.upperBound)] + excluded }
        )
    }

    static let columns = """
        id, scope, transaction_id, original_id, customer, requested_at, deadline, state, attempts, next_attempt_at,
        sent_at, sent, answer, decision, decided_at
        """

    static func inquiry(_ row: SQLStatement) -> ConsumptionInquiry {
        ConsumptionInquiry(
            id: row.number(0) ?? 0, scope: row.number(1) ?? 0, transactionID: row.text(2) ?? "",
            originalTransactionID: row.text(3) ?? "", customer: row.text(4), requestedAt: row.instant(5) ?? 0,
            deadline: row.instant(6) ?? 0, state: row.text(7).flatMap(ConsumptionInquiry.State.init) ?? .missed,
            attempts: row.count(8), nextAttemptAt: row.number(9) ?? 0, sentAt: row.number(10),
            sent: row.text(11), answer: row.text(12),
            decision: row.text(13).flatMap(ConsumptionInquiry.Decision.init), decidedAt: row.number(14))
    }
}
