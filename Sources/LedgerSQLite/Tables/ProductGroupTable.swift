internal import Entitlements
internal import GRDB
internal import Ledger

/// The table of the subscription group of each product, from the transactions of all customers. It derives from the
/// facts, so exports and digests do not include it.
enum ProductGroupTable {
    static let schema = [
        """
        CREATE TABLE product_groups (
            scope INTEGER NOT NULL, product_id TEXT NOT NULL, group_id TEXT NOT NULL,
            PRIMARY KEY (scope, product_id)) WITHOUT ROWID
        """
    ]

    /// Records the group in a transaction. A product never changes its group.
    static func add(groupOf fact: TransactionFact, in scope: Int64, _ db: Database) throws {
        guard let group = fact.subscriptionGroupIdentifier else { return }
        try db.run(
            "INSERT OR IGNORE INTO product_groups (scope, product_id, group_id) VALUES (?, ?, ?)",
            [.integer(scope), .text(fact.productID), .text(group)])
    }

    /// Fills the table from existing records. Records are stored in the order of account tokens, which are random, so a
    /// sample of them contains the frequently sold products; others are added when they are sold again.
    static func fill(fromFirst count: Int64, _ db: Database) throws {
        let found = try db.all("SELECT scope, original_id, facts FROM lineages LIMIT ?", [.integer(count)]) { row in
            // Corrupt records are reported elsewhere.
            row.withBlob(2) { PackedLineage.lineage(row.text(1) ?? "", $0) }
                .map { (scope: row.number(0) ?? 0, transactions: $0.transactions) }
        }
        for (scope, transactions) in found {
            for fact in transactions { try add(groupOf: fact, in: scope, db) }
        }
    }

    static func groups(in scope: Int64, _ db: Database) throws -> [String: String] {
        try db.dictionary(
            "SELECT product_id, group_id FROM product_groups WHERE scope = ?", [.integer(scope)]
        ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
    }
}
