internal import GRDB
package import Ledger

/// An index of the purchases without an account token, sorted by identifier.
enum UnclaimedIndex {
    static let schema = ["CREATE INDEX lineages_unnamed ON lineages (scope, original_id) WHERE token IS NULL"]
}

extension SQLiteStorage: UnclaimedStorage {
    /// The number of purchases that are read for a page.
    private static let window = 2000

    package func unclaimedPurchases(
        in scope: Int64, after original: String, limit: Int
    ) async throws -> (items: [Lineage], next: String?) {
        try await read { db in
            let rows = try db.all(
                """
                SELECT original_id, (
                    \(ClaimTables.isClaimed)
                    OR EXISTS (SELECT 1 FROM account_claims
                        WHERE account_claims.scope = lineages.scope
                            AND account_claims.app_transaction_id = lineages.app_transaction_id))
                FROM lineages INDEXED BY lineages_unnamed
                WHERE scope = ? AND token IS NULL AND original_id > ? ORDER BY original_id LIMIT ?
                """, [.integer(scope), .text(original), .init(Self.window)]
            ) { row in row.text(0).map { (original: $0, isClaimed: row.number(1) == 1) } }
            var items: [Lineage] = []
            var last: String?
            for row in rows where items.count < limit {
                last = row.original
                // A corrupt record must not block the following ones.
                if !row.isClaimed,
                    let lineage = try StorageError.unlessDamaged({ try Self.lineage(row.original, in: scope, db) }),
                    lineage.isPaid
                {
                    items.append(lineage)
                }
            }
            let isOver = rows.count < Self.window && last == rows.last?.original
            return (items, isOver ? nil : last)
        }
    }
}
