internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB

extension SQLiteStorage: CustomerStorage {
    package func lineages(of customer: String, in scope: Int64) async throws -> [Lineage] {
        try readAtOnce { try Self.lineages(of: customer, in: scope, $0) }
    }

    package func lineage(_ originalTransactionId: String, in scope: Int64) async throws -> Lineage? {
        try readAtOnce { try Self.lineage(originalTransactionId, in: scope, $0) }
    }

    package func notifications(
        about originalTransactionId: String, in scope: Int64
    ) async throws -> [KeptNotification] {
        try await read { db in
            try self.notifications(
                db,
                sql: """
                    JOIN facts ON facts.source = notifications.id
                    WHERE facts.scope = ? AND facts.original_id = ? AND facts.kind = 2
                    ORDER BY notifications.signed_date, notifications.uuid
                    """, [scope, originalTransactionId])
        }
    }

    package func owners(of originalTransactionId: String, in scope: Int64) async throws -> [String] {
        try await read { try Self.owners(of: originalTransactionId, in: scope, $0) }
    }

    package func originalTransactionId(of transactionId: String, in scope: Int64) async throws -> String? {
        try await read { db in
            try String.fetchOne(
                db, sql: "SELECT original_id FROM facts WHERE key = ? AND scope = ? AND kind = 1",
                arguments: [transactionId, scope])
        }
    }

    /// What a customer has: what the app claimed for them; what they bought while the app named them, and nobody else
    /// claims; what a claimed Apple account bought, if it named nobody. No purchase is in two of these.
    // SQLite has no statistics about these tables, so it is told where to begin: it would read all facts.
    private static let originals = """
        SELECT original_id FROM claims WHERE scope = ?1 AND customer = ?2
        UNION ALL
        SELECT original_id FROM facts INDEXED BY facts_by_token
            WHERE scope = ?1 AND token = ?3 AND token IS NOT NULL AND kind = 0 AND NOT EXISTS (
                SELECT 1 FROM claims WHERE claims.scope = facts.scope AND claims.original_id = facts.original_id)
        UNION ALL
        SELECT facts.original_id FROM account_claims CROSS JOIN facts INDEXED BY facts_by_account
            ON facts.scope = account_claims.scope
                AND facts.app_transaction_id = account_claims.app_transaction_id
                AND facts.app_transaction_id IS NOT NULL
            WHERE account_claims.scope = ?1 AND customer = ?2 AND facts.kind = 0 AND token IS NULL AND NOT EXISTS (
                SELECT 1 FROM claims WHERE claims.scope = facts.scope AND claims.original_id = facts.original_id)
        """

    private static let ofCustomer = """
        SELECT \(FactColumns.reading) FROM (\(originals)) AS mine CROSS JOIN facts
        WHERE facts.scope = ?1 AND facts.original_id = mine.original_id AND facts.kind < 2
        """
    private static let ofOriginal = """
        SELECT \(FactColumns.reading) FROM facts WHERE scope = ? AND original_id = ? AND kind < 2
        """

    static func originals(of customer: String, in scope: Int64, _ db: Database) throws -> [String] {
        try db.all(originals, values(of: customer, in: scope)) { $0.text(0) }.sorted()
    }

    private static func values(of customer: String, in scope: Int64) -> [SQLValue] {
        [.integer(scope), .text(customer), .init(UUID(text: customer)?.bytes)]
    }

    /// The other way round.
    static func owners(of original: String, in scope: Int64, _ db: Database) throws -> [String] {
        let place: [SQLValue] = [.integer(scope), .text(original)]
        let claimed = try db.all(
            "SELECT customer FROM claims WHERE scope = ? AND original_id = ? ORDER BY customer", place
        ) { $0.text(0) }
        guard claimed.isEmpty else { return claimed }
        let account = try db.first(
            """
            SELECT token, app_transaction_id FROM facts
            WHERE scope = ? AND original_id = ? AND kind = 0 AND key = ''
            """, place
        ) { (token: $0.uuid(0), account: $0.text(1)) }
        if let token = account?.token { return [token.text] }
        guard let account = account?.account else { return [] }
        return try db.all(
            "SELECT customer FROM account_claims WHERE scope = ? AND app_transaction_id = ?",
            [.integer(scope), .text(account)]
        ) { $0.text(0) }
    }

    /// All in one question, so that what it finds is of one instant.
    static func lineages(of customer: String, in scope: Int64, _ db: Database) throws -> [Lineage] {
        try lineages(db, ofCustomer, values(of: customer, in: scope))
            .sorted { $0.originalTransactionId < $1.originalTransactionId }
    }

    static func lineage(_ original: String, in scope: Int64, _ db: Database) throws -> Lineage? {
        try lineages(db, ofOriginal, [.integer(scope), .text(original)]).first
    }

    /// The facts of each lie side by side.
    private static func lineages(_ db: Database, _ sql: String, _ values: [SQLValue]) throws -> [Lineage] {
        let rows = try SQLStatement(sql, values, db)
        defer { rows.reset() }
        var lineages: [Lineage] = []
        var lineage: Lineage?
        while try rows.next() {
            if !rows.isText(0, lineage?.originalTransactionId) {
                if let lineage { lineages.append(lineage) }
                lineage = Lineage(originalTransactionId: rows.text(0) ?? "", transactions: [])
            }
            if rows.number(1) == 1 {
                lineage?.transactions.append(FactColumns.transaction(rows))
            } else {
                lineage?.renewal = FactColumns.renewal(rows)
                lineage?.appAccountToken = rows.uuid(19)
                lineage?.appTransactionId = rows.text(20)
            }
        }
        if let lineage { lineages.append(lineage) }
        return lineages
    }
}
