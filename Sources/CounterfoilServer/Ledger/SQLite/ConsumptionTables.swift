internal import AppStoreModels
internal import Foundation
internal import GRDB
internal import Entitlements

/// What apps report, and what the App Store asks. In `usage` an empty text stands for all transactions or products.
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

    /// Notes what a notification, folded for the first time, asks or decides.
    static func note(_ notification: FoldedNotification, _ db: Database) throws {
        guard let transaction = notification.transaction else { return }
        switch notification.type {
        case .consumptionRequest: try ask(notification, transaction.transactionId, db)
        case .refund: try decide(.refunded, notification, transaction.transactionId, db)
        case .refundDeclined: try decide(.declined, notification, transaction.transactionId, db)
        default: return
        }
    }

    private static func ask(_ notification: FoldedNotification, _ transactionId: String, _ db: Database) throws {
        guard let original = notification.originalTransactionId else { return }
        let environment = try String.fetchOne(
            db, sql: "SELECT environment FROM scopes WHERE id = ?", arguments: [notification.scope])
        // The sandbox waits for five minutes.
        let window: Milliseconds =
            environment == AppStoreEnvironment.production.rawValue ? 12 * 3_600_000 : 5 * 60_000
        let customer = try SQLiteStorage.owners(of: original, in: notification.scope, db).first
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO consumption_requests (scope, notification, transaction_id, original_id, customer,
                    requested_at, deadline, state, next_attempt_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?)
                """,
            arguments: [
                notification.scope, notification.uuid, transactionId, original, customer, notification.signedDate,
                notification.signedDate + window, notification.signedDate,
            ])
    }

    private static func decide(
        _ decision: ConsumptionInquiry.Decision, _ notification: FoldedNotification, _ transactionId: String,
        _ db: Database
    ) throws {
        guard let original = notification.originalTransactionId else { return }
        try db.execute(
            sql: """
                UPDATE consumption_requests SET decision = ?, decided_at = ?,
                    state = CASE state WHEN 'pending' THEN 'overtaken' ELSE state END
                WHERE scope = ? AND original_id = ? AND transaction_id = ? AND decision IS NULL AND requested_at <= ?
                """,
            arguments: [
                decision.rawValue, notification.signedDate, notification.scope, original, transactionId,
                notification.signedDate,
            ])
    }

    static let columns = """
        id, scope, transaction_id, original_id, customer, requested_at, deadline, state, attempts, next_attempt_at,
        sent_at, sent, answer, decision, decided_at
        """

    static func inquiry(_ row: Row) -> ConsumptionInquiry {
        ConsumptionInquiry(
            id: row.number(0) ?? 0, scope: row.number(1) ?? 0, transactionId: row.text(2) ?? "",
            originalTransactionId: row.text(3) ?? "", customer: row.text(4), requestedAt: row.number(5) ?? 0,
            deadline: row.number(6) ?? 0, state: row.text(7).flatMap(ConsumptionInquiry.State.init) ?? .missed,
            attempts: Int(row.number(8) ?? 0), nextAttemptAt: row.number(9) ?? 0, sentAt: row.number(10),
            sent: row.text(11), answer: row.text(12),
            decision: row.text(13).flatMap(ConsumptionInquiry.Decision.init), decidedAt: row.number(14))
    }
}
