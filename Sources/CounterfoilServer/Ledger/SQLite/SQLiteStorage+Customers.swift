internal import Entitlements
internal import Foundation
internal import GRDB

extension SQLiteStorage: CustomerStorage {
    package func lineages(of customer: String, in scope: Int64) async throws -> [Lineage] {
        try await read { db in
            try Self.originals(of: customer, in: scope, db)
                .compactMap { try Self.lineage($0, in: scope, db) }
        }
    }

    package func lineage(_ originalTransactionId: String, in scope: Int64) async throws -> Lineage? {
        try await read { try Self.lineage(originalTransactionId, in: scope, $0) }
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
    /// claims; what a claimed Apple account bought, if it named nobody.
    // SQLite has no statistics about these tables, so it is told where to begin: it would read all facts.
    static func originals(of customer: String, in scope: Int64, _ db: Database) throws -> [String] {
        var found = try String.fetchAll(
            db.cachedStatement(sql: "SELECT original_id FROM claims WHERE scope = ? AND customer = ?"),
            arguments: [scope, customer])
        if let token = UUID(uuidString: customer) {
            found += try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT original_id FROM facts WHERE scope = ? AND token = ? AND kind = 0 AND NOT EXISTS (
                            SELECT 1 FROM claims
                            WHERE claims.scope = facts.scope AND claims.original_id = facts.original_id)
                        """), arguments: [scope, token.bytes])
        }
        found += try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT facts.original_id FROM account_claims CROSS JOIN facts INDEXED BY facts_by_account
                        ON facts.scope = account_claims.scope
                            AND facts.app_transaction_id = account_claims.app_transaction_id
                            AND facts.app_transaction_id IS NOT NULL
                    WHERE account_claims.scope = ? AND customer = ? AND facts.kind = 0 AND token IS NULL AND NOT EXISTS (
                        SELECT 1 FROM claims
                        WHERE claims.scope = facts.scope AND claims.original_id = facts.original_id)
                    """), arguments: [scope, customer])
        return found.count < 2 ? found : Array(Set(found)).sorted()
    }

    /// The other way round.
    static func owners(of original: String, in scope: Int64, _ db: Database) throws -> [String] {
        let claimed = try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT customer FROM claims WHERE scope = ? AND original_id = ? ORDER BY customer"),
            arguments: [scope, original])
        guard claimed.isEmpty else { return claimed }
        let select = try db.cachedStatement(
            sql: """
                SELECT token, app_transaction_id FROM facts
                WHERE scope = ? AND original_id = ? AND kind = 0 AND key = ''
                """)
        guard let row = try Row.fetchOne(select, arguments: [scope, original]) else { return [] }
        if let token = row.uuid(0) { return [token.uuidString.lowercased()] }
        guard let account = row.text(1) else { return [] }
        return try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT customer FROM account_claims WHERE scope = ? AND app_transaction_id = ?"),
            arguments: [scope, account])
    }

    static func lineage(_ original: String, in scope: Int64, _ db: Database) throws -> Lineage? {
        let select = try db.cachedStatement(
            sql: "SELECT \(FactColumns.reading) FROM facts WHERE scope = ? AND original_id = ? AND kind < 2")
        let rows = try Row.fetchCursor(select, arguments: [scope, original])
        var lineage = Lineage(originalTransactionId: original, transactions: [])
        var isKnown = false
        while let row = try rows.next() {
            isKnown = true
            if row.number(1) == 1 {
                lineage.transactions.append(FactColumns.transaction(row))
            } else {
                lineage.renewal = FactColumns.renewal(row)
                lineage.appAccountToken = row.uuid(19)
                lineage.appTransactionId = row.text(20)
            }
        }
        return isKnown ? lineage : nil
    }
}
