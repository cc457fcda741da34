internal import AppStoreModels
package import Entitlements
internal import Foundation
internal import GRDB
package import Ledger

extension SQLiteStorage: CustomerStorage {
    package func lineages(of customer: String, in scope: Int64) async throws -> [Lineage] {
        try readInline { try Self.lineages(of: customer, in: scope, $0) }
    }

    package func lineage(_ originalTransactionID: String, in scope: Int64) async throws -> Lineage? {
        try readInline { try Self.lineage(originalTransactionID, in: scope, $0) }
    }

    package func successors(of originalTransactionID: String, in scope: Int64) async throws -> [TransactionFact] {
        try readInline { try SegmentTable.successors(of: originalTransactionID, in: scope, $0) }
    }

    package func notifications(
        about originalTransactionID: String, in scope: Int64, limit: Int
    ) async throws -> [StoredNotification] {
        try await read { db in
            let mentions = try LineageTable.record(originalTransactionID, in: scope, db)?.mentions ?? []
            let numbers = mentions.prefix(limit).map(\.notification)
            let first = try self.notifications(numbered: numbers, db)
            return (first + (try self.otherTexts(ofAny: first, limit: limit, db)))
                .sorted { $0.isSigned(before: $1) }
        }
    }

    package func owners(of originalTransactionID: String, in scope: Int64) async throws -> [String] {
        try await read { try Self.owners(of: originalTransactionID, in: scope, $0) }
    }

    package func isOwnerErased(of originalTransactionID: String, in scope: Int64) async throws -> Bool {
        try await read { db in
            let owners = try Self.owners(of: originalTransactionID, in: scope, includingErased: true, db)
            return !owners.isEmpty && Erasure.withoutStandIns(owners).isEmpty
        }
    }

    package func customer(ofAccount appTransactionID: String, in scope: Int64) async throws -> String? {
        try await read { try ClaimTables.ownership(ofAccount: appTransactionID, in: scope, $0).customer }
    }

    package func originalTransactionID(of transactionID: String, in scope: Int64) async throws -> String? {
        try await read { try LineageTable.originalTransactionID(of: transactionID, in: scope, $0) }
    }

    package func lineages(ofAccounts appTransactionIDs: [String], in scope: Int64) async throws -> [Lineage] {
        try await read { db in
            try Set(appTransactionIDs.map { ExactText($0) }).sorted()
                .flatMap { try Self.lineages(ofAccount: $0.text, in: scope, db) }
        }
    }

    static func lineages(ofAccount appTransactionID: String, in scope: Int64, _ db: Database) throws -> [Lineage] {
        try db.all(
            """
            SELECT \(LineageTable.reading) FROM lineages INDEXED BY lineages_by_account
            WHERE scope = ? AND app_transaction_id = ? AND app_transaction_id IS NOT NULL ORDER BY original_id
            """, [.integer(scope), .text(appTransactionID)]
        ) { try LineageTable.lineage($0) }
    }

    package func purchases(ownedBy customer: String, in scope: Int64) async throws -> [OwnedPurchase] {
        try await read { db in
            try Self.purchases(ownedBy: customer, in: scope, db).map {
                OwnedPurchase(lineage: $0.record.lineage, ownership: $0.ownership)
            }
        }
    }

    package func accounts(of customer: String, in scope: Int64) async throws -> [String] {
        try await read { try Self.accounts(of: customer, in: scope, $0) }
    }

    static func accounts(of customer: String, in scope: Int64, _ db: Database) throws -> [String] {
        try db.texts(
            "SELECT app_transaction_id FROM account_claims WHERE scope = ? AND customer = ? ORDER BY 1",
            [.integer(scope), .text(customer)])
    }

    package func productGroups(in scope: Int64) async throws -> [String: String] {
        try await read { try ProductGroupTable.groups(in: scope, $0) }
    }

    typealias OwnedRecord = (record: LineageRecord, ownership: Ownership)

    /// Returns every purchase that a customer owns or ever owned: the purchases of ``ofCustomer(_:)`` even if others
    /// claimed them since, and purchases that were claimed for the customer at any time.
    static func purchases(ownedBy customer: String, in scope: Int64, _ db: Database) throws -> [OwnedRecord] {
        try possiblePurchases(of: customer, in: scope, db).filter { !$0.ownership.spans(of: customer).isEmpty }
    }

    /// Returns the same purchases, and all purchases of Apple accounts that were claimed for the customer at any time.
    /// Among these may be purchases for which the App Store has signed another account token since, so that no data
    /// show any more that the customer owned them.
    static func possiblePurchases(of customer: String, in scope: Int64, _ db: Database) throws -> [OwnedRecord] {
        let records = try db.all(possiblePurchasesOfCustomer, values(of: customer, in: scope)) { row in
            row.text(0) == nil ? LineageRecord(row.text(4) ?? "") : try LineageTable.record(row)
        }
        let ownerships = try ClaimTables.ownerships(of: records.map(\.lineage), in: scope, db)
        return zip(records, ownerships).map { ($0, $1) }
    }

    /// Each purchase once, by its identifier. A claimed purchase may be unknown.
    private static let possiblePurchasesOfCustomer = """
        SELECT \(LineageTable.reading), ever.original_id FROM (
            SELECT subject AS original_id FROM claim_events WHERE scope = ?1 AND customer = ?2 AND is_account = 0
            UNION
            SELECT original_id FROM lineages NOT INDEXED WHERE id BETWEEN ?4 AND ?5 AND scope = ?1 AND token = ?3
            UNION
            SELECT lineages.original_id FROM claim_events CROSS JOIN lineages INDEXED BY lineages_by_account
                ON lineages.scope = claim_events.scope
                    AND lineages.app_transaction_id = claim_events.subject
                    AND lineages.app_transaction_id IS NOT NULL
            WHERE claim_events.scope = ?1 AND customer = ?2 AND is_account = 1
        ) AS ever LEFT JOIN lineages ON lineages.scope = ?1 AND lineages.original_id = ever.original_id
        ORDER BY ever.original_id
        """

    /// The purchases of a customer: those that are claimed for the customer; those with the customer's account token
    /// and without a claim; and those of a claimed Apple account without an account token or a claim. No purchase is in
    /// two of these groups.
    // SQLite has no statistics about these tables, so the query determines the join order; otherwise SQLite would scan
    // all lineages.
    private static func ofCustomer(_ columns: String) -> String {
        """
        SELECT \(columns) FROM claims CROSS JOIN lineages INDEXED BY lineages_by_original USING (scope, original_id)
        WHERE claims.scope = ?1 AND customer = ?2
        UNION ALL
        SELECT \(columns) FROM lineages NOT INDEXED
        WHERE id BETWEEN ?4 AND ?5 AND scope = ?1 AND token = ?3 AND NOT \(ClaimTables.isClaimed)
        UNION ALL
        SELECT \(columns) FROM account_claims CROSS JOIN lineages INDEXED BY lineages_by_account
            ON lineages.scope = account_claims.scope
                AND lineages.app_transaction_id = account_claims.app_transaction_id
                AND lineages.app_transaction_id IS NOT NULL
        WHERE account_claims.scope = ?1 AND customer = ?2 AND token IS NULL AND NOT \(ClaimTables.isClaimed)
        """
    }

    private static let lineagesOfCustomer = ofCustomer(LineageTable.reading)
    private static let originalsOfCustomer = ofCustomer("lineages.original_id")

    static func originals(of customer: String, in scope: Int64, _ db: Database) throws -> [String] {
        try db.texts(originalsOfCustomer, values(of: customer, in: scope)).sorted()
    }

    private static func values(of customer: String, in scope: Int64) -> [SQLValue] {
        let token = UUID(text: customer)
        let range = token.map { LineageRowRange($0) }
        return [
            .integer(scope), .text(customer), .init(token?.bytes), .init(range?.first), .init(range?.last),
        ]
    }

    /// Returns the owners of a purchase, by default without erased customers.
    static func owners(
        of original: String, in scope: Int64, includingErased: Bool = false, _ db: Database
    ) throws -> [String] {
        let lineage = try db.first(
            "SELECT token, app_transaction_id FROM lineages WHERE scope = ? AND original_id = ?",
            [.integer(scope), .text(original)]
        ) { row in
            Lineage(
                originalTransactionID: original, transactions: [], appAccountToken: row.uuid(0),
                appTransactionID: row.text(1))
        }
        return try owners(
            of: lineage ?? Lineage(originalTransactionID: original, transactions: []), in: scope,
            includingErased: includingErased, db)
    }

    /// Returns the owners of a purchase that was already read, by default without erased customers.
    static func owners(
        of lineage: Lineage, in scope: Int64, includingErased: Bool = false, _ db: Database
    ) throws -> [String] {
        let claimed = try db.texts(
            "SELECT customer FROM claims WHERE scope = ? AND original_id = ? ORDER BY customer",
            [.integer(scope), .text(lineage.originalTransactionID)])
        let owners = try Ownership.owners(claimed: claimed, named: lineage.appAccountToken?.text) {
            guard let account = lineage.appTransactionID else { return [] }
            return try db.texts(
                "SELECT customer FROM account_claims WHERE scope = ? AND app_transaction_id = ?",
                [.integer(scope), .text(account)])
        }
        return includingErased ? owners : Erasure.withoutStandIns(owners)
    }

    /// One query, so that the result is from one snapshot.
    static func lineages(of customer: String, in scope: Int64, _ db: Database) throws -> [Lineage] {
        var found = try db.all(lineagesOfCustomer, values(of: customer, in: scope)) { try LineageTable.lineage($0) }
        if found.count > 1 {
            found.sort { ExactText($0.originalTransactionID) < ExactText($1.originalTransactionID) }
        }
        return found
    }

    static func lineage(_ original: String, in scope: Int64, _ db: Database) throws -> Lineage? {
        try db.first(LineageTable.find, [.integer(scope), .text(original)]) { try LineageTable.lineage($0) }
    }
}
