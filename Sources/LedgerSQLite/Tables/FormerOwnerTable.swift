internal import AppStoreModels
internal import Foundation
internal import GRDB
internal import Ledger

/// The table of account tokens and Apple accounts that purchases had before. A record contains only the present ones,
/// but events and consumption requests name the customer of their time, whom an erasure has to find.
///
/// A purchase seldom gets another token, so the table costs nothing per event. An index of the customers in events would
/// change one more page, far from the others, with each notification.
enum FormerOwnerTable {
    static let schema = [
        """
        CREATE TABLE former_owners (
            scope INTEGER NOT NULL, name TEXT NOT NULL, original_id TEXT NOT NULL,
            PRIMARY KEY (scope, name, original_id)) WITHOUT ROWID
        """
    ]

    /// The last event and the last consumption request that are older than the table.
    static let beginning = [
        "CREATE TABLE former_owners_begin (event INTEGER NOT NULL, request INTEGER NOT NULL)",
        """
        INSERT INTO former_owners_begin
        SELECT (SELECT coalesce(max(seq), 0) FROM events), (SELECT coalesce(max(id), 0) FROM consumption_requests)
        """,
    ]

    /// Stores the token and the Apple account that a purchase loses by a change of its record.
    static func add(ownersOf known: Lineage, replacedBy new: Lineage, in scope: Int64, _ db: Database) throws {
        if let token = known.appAccountToken, token != new.appAccountToken {
            try add(token.text, of: known, in: scope, db)
        }
        if let account = known.appTransactionID, new.appTransactionID.map({ !$0.isExactly(account) }) ?? true {
            try add(account, of: known, in: scope, db)
        }
    }

    private static func add(_ name: String, of lineage: Lineage, in scope: Int64, _ db: Database) throws {
        try db.run(
            "INSERT OR IGNORE INTO former_owners (scope, name, original_id) VALUES (?, ?, ?)",
            [.integer(scope), .text(name), .text(lineage.originalTransactionID)])
    }

    /// Returns the purchases that had the customer's token, or an Apple account that was ever claimed for the customer.
    static func originals(of customer: String, in scope: Int64, _ db: Database) throws -> [String] {
        try db.texts(
            """
            SELECT original_id FROM former_owners WHERE scope = ?1 AND name = ?2
            UNION SELECT original_id FROM claim_events INDEXED BY claim_events_by_customer CROSS JOIN former_owners
                ON former_owners.scope = claim_events.scope AND former_owners.name = claim_events.subject
            WHERE claim_events.scope = ?1 AND customer = ?2 AND is_account = 1
            """, [.integer(scope), .text(customer)])
    }

    /// Removes the name of an erased customer.
    static func remove(_ customer: String, of original: String, in scope: Int64, _ db: Database) throws {
        try db.run(
            "DELETE FROM former_owners WHERE scope = ? AND name = ? AND original_id = ?",
            [.integer(scope), .text(customer), .text(original)])
    }
}
