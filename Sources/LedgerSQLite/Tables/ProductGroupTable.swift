internal import Ledger
internal import Entitlements
internal import GRDB

/// Which subscription group a product is of, learned from the transactions of everybody. It follows from the facts, so it is
/// in no export and in no digest.
enum ProductGroupTable {
    static let schema = [
        """
        CREATE TABLE product_groups (
            scope INTEGER NOT NULL, product_id TEXT NOT NULL, group_id TEXT NOT NULL,
            PRIMARY KEY (scope, product_id)) WITHOUT ROWID
        """
    ]

    /// Takes down what a transaction says. A product never changes its group.
    static func learn(_ fact: TransactionFact, in scope: Int64, _ db: Database) throws {
        guard let group = fact.subscriptionGroupIdentifier else { return }
        try db.run(
            "INSERT OR IGNORE INTO product_groups (scope, product_id, group_id) VALUES (?, ?, ?)",
            [.integer(scope), .text(fact.productID), .text(group)])
    }

    /// Learns from what a ledger holds already. They lie in the order of account tokens, which are random, so a part of them
    /// has what is sold at all often; the rest is learned when it is sold again.
    static func learn(fromTheFirst count: Int64, _ db: Database) throws {
        let found = try db.all("SELECT scope, original_id, facts FROM lineages LIMIT ?", [.integer(count)]) { row in
            // What is damaged is for others to say.
            row.withBlob(2) { PackedLineage.lineage(row.text(1) ?? "", $0) }
                .map { (scope: row.number(0) ?? 0, transactions: $0.transactions) }
        }
        for (scope, transactions) in found {
            for fact in transactions { try learn(fact, in: scope, db) }
        }
    }

    static func groups(in scope: Int64, _ db: Database) throws -> [String: String] {
        let rows = try db.all(
            "SELECT product_id, group_id FROM product_groups WHERE scope = ?", [.integer(scope)]
        ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }
}
