package import Ledger
internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB

extension SQLiteStorage: CustomerStorage {
    package func lineages(of customer: String, in scope: Int64) async throws -> [Lineage] {
        try readAtOnce { try Self.lineages(of: customer, in: scope, $0) }
    }

    package func lineage(_ originalTransactionID: String, in scope: Int64) async throws -> Lineage? {
        try readAtOnce { try Self.lineage(originalTransactionID, in: scope, $0) }
    }

    package func notifications(
        about originalTransactionID: String, in scope: Int64, limit: Int
    ) async throws -> [KeptNotification] {
        try await read { db in
            let mentions = try LineageTable.record(originalTransactionID, in: scope, db)?.mentions ?? []
            return try mentions.prefix(limit).flatMap { mention in
                let first = try self.notifications(db, sql: "WHERE notifications.id = ?", [mention.notification])
                return try first + first.flatMap { try self.otherTexts(of: $0, limit: limit, db) }
            }.sorted { ($0.signedDate, $0.uuid, $0.text) < ($1.signedDate, $1.uuid, $1.text) }
        }
    }

    /// What else was signed under a notification's identifier. Facts may be from there.
    private func otherTexts(of kept: KeptNotification, limit: Int, _ db: Database) throws -> [KeptNotification] {
        try db.all(
            """
            SELECT -id, text, signed_date, received_at, origin,
                EXISTS (SELECT 1 FROM inbox WHERE inbox.id = -other_texts.id),
                (SELECT code FROM failures WHERE failures.id = -other_texts.id)
            FROM other_texts WHERE notification = ? LIMIT ?
            """, [.integer(kept.id), .integer(Int64(limit))]
        ) { row in
            guard let id = row.number(0), let text = row.blob(1).flatMap({ self.headers.unpack($0) }) else {
                throw StorageError(.damaged, "the text of notification \(kept.uuid) in \(self.path) is damaged")
            }
            var other = kept
            (other.id, other.text, other.failure) = (id, text, row.text(6))
            (other.signedDate, other.receivedAt) = (row.number(2) ?? 0, row.number(3) ?? 0)
            other.origin = row.number(4).flatMap(Origin.init) ?? .imported
            other.state = row.number(5) == 1 ? .pending : other.failure == nil ? .folded : .failed
            return other
        }
    }

    package func owners(of originalTransactionID: String, in scope: Int64) async throws -> [String] {
        try await read { try Self.owners(of: originalTransactionID, in: scope, $0) }
    }

    package func originalTransactionID(of transactionID: String, in scope: Int64) async throws -> String? {
        try await read { try LineageTable.originalTransactionID(of: transactionID, in: scope, $0) }
    }

    package func lineages(ofAccounts appTransactionIDs: [String], in scope: Int64) async throws -> [Lineage] {
        try await read { db in
            try Set(appTransactionIDs).sorted().flatMap { account in
                try db.all(
                    """
                    SELECT \(LineageTable.reading) FROM lineages INDEXED BY lineages_by_account
                    WHERE scope = ? AND app_transaction_id = ? AND app_transaction_id IS NOT NULL ORDER BY original_id
                    """, [.integer(scope), .text(account)]
                ) { try LineageTable.lineage($0) }
            }
        }
    }

    package func purchasesHeld(by customer: String, in scope: Int64) async throws -> [HeldPurchase] {
        try await read { db in
            try Self.held(by: customer, in: scope, db).map {
                HeldPurchase(lineage: $0.record.lineage, ownership: $0.ownership)
            }
        }
    }

    package func accounts(of customer: String, in scope: Int64) async throws -> [String] {
        try await read { db in
            try db.all(
                "SELECT app_transaction_id FROM account_claims WHERE scope = ? AND customer = ? ORDER BY 1",
                [.integer(scope), .text(customer)]
            ) { $0.text(0) }
        }
    }

    package func productGroups(in scope: Int64) async throws -> [String: String] {
        try await read { try ProductGroupTable.groups(in: scope, $0) }
    }

    /// Every purchase that a customer has, or had at any time: those that ``ofCustomer(_:)`` finds, others' claims
    /// notwithstanding, and those that were claimed for the customer once.
    static func held(
        by customer: String, in scope: Int64, _ db: Database
    ) throws -> [(record: LineageRecord, ownership: Ownership)] {
        let originals = try Set(db.all(originalsEverOfCustomer, values(of: customer, in: scope)) { $0.text(0) })
        return try originals.sorted().compactMap { original in
            let record = try LineageTable.record(original, in: scope, db) ?? LineageRecord(original)
            let ownership = try ClaimTables.ownership(of: record.lineage, in: scope, db)
            return ownership.spans(of: customer).isEmpty ? nil : (record, ownership)
        }
    }

    private static let originalsEverOfCustomer = """
        SELECT subject FROM claim_events WHERE scope = ?1 AND customer = ?2 AND is_account = 0
        UNION ALL
        SELECT original_id FROM lineages NOT INDEXED WHERE id BETWEEN ?4 AND ?5 AND scope = ?1 AND token = ?3
        UNION ALL
        SELECT lineages.original_id FROM claim_events CROSS JOIN lineages INDEXED BY lineages_by_account
            ON lineages.scope = claim_events.scope
                AND lineages.app_transaction_id = claim_events.subject
                AND lineages.app_transaction_id IS NOT NULL
        WHERE claim_events.scope = ?1 AND customer = ?2 AND is_account = 1
        """

    /// What a customer has: what the app claimed for them; what they bought while the app named them, and nobody else
    /// claims; what a claimed Apple account bought, if it named nobody. No purchase is in two of these.
    // SQLite has no statistics about these tables, so it is told where to begin: it would read all facts.
    private static func ofCustomer(_ columns: String) -> String {
        """
        SELECT \(columns) FROM claims CROSS JOIN lineages INDEXED BY lineages_by_original USING (scope, original_id)
        WHERE claims.scope = ?1 AND customer = ?2
        UNION ALL
        SELECT \(columns) FROM lineages NOT INDEXED
        WHERE id BETWEEN ?4 AND ?5 AND scope = ?1 AND token = ?3 AND NOT EXISTS (
            SELECT 1 FROM claims WHERE claims.scope = lineages.scope AND claims.original_id = lineages.original_id)
        UNION ALL
        SELECT \(columns) FROM account_claims CROSS JOIN lineages INDEXED BY lineages_by_account
            ON lineages.scope = account_claims.scope
                AND lineages.app_transaction_id = account_claims.app_transaction_id
                AND lineages.app_transaction_id IS NOT NULL
        WHERE account_claims.scope = ?1 AND customer = ?2 AND token IS NULL AND NOT EXISTS (
            SELECT 1 FROM claims WHERE claims.scope = lineages.scope AND claims.original_id = lineages.original_id)
        """
    }

    private static let lineagesOfCustomer = ofCustomer(LineageTable.reading)
    private static let originalsOfCustomer = ofCustomer("lineages.original_id")

    static func originals(of customer: String, in scope: Int64, _ db: Database) throws -> [String] {
        try db.all(originalsOfCustomer, values(of: customer, in: scope)) { $0.text(0) }.sorted()
    }

    private static func values(of customer: String, in scope: Int64) -> [SQLValue] {
        let token = UUID(text: customer)
        let places = token.map { LineagePlaces($0) }
        return [
            .integer(scope), .text(customer), .init(token?.bytes), .init(places?.first), .init(places?.last),
        ]
    }

    /// The other way round.
    static func owners(of original: String, in scope: Int64, _ db: Database) throws -> [String] {
        let claimed = try claimants(of: original, in: scope, db)
        guard claimed.isEmpty else { return claimed }
        let place: [SQLValue] = [.integer(scope), .text(original)]
        let lineage = try db.first(
            "SELECT original_id, token, app_transaction_id FROM lineages WHERE scope = ? AND original_id = ?", place
        ) { row in
            Lineage(
                originalTransactionID: original, transactions: [], appAccountToken: row.uuid(1),
                appTransactionID: row.text(2))
        }
        return try lineage.map { try namedOwners(of: $0, in: scope, db) } ?? []
    }

    /// The same for one that was read.
    static func owners(of lineage: Lineage, in scope: Int64, _ db: Database) throws -> [String] {
        let claimed = try claimants(of: lineage.originalTransactionID, in: scope, db)
        return claimed.isEmpty ? try namedOwners(of: lineage, in: scope, db) : claimed
    }

    private static func claimants(of original: String, in scope: Int64, _ db: Database) throws -> [String] {
        try db.all(
            "SELECT customer FROM claims WHERE scope = ? AND original_id = ? ORDER BY customer",
            [.integer(scope), .text(original)]
        ) { $0.text(0) }
    }

    /// Whose a purchase is that nobody claims.
    private static func namedOwners(of lineage: Lineage, in scope: Int64, _ db: Database) throws -> [String] {
        if let token = lineage.appAccountToken { return [token.text] }
        guard let account = lineage.appTransactionID else { return [] }
        return try db.all(
            "SELECT customer FROM account_claims WHERE scope = ? AND app_transaction_id = ?",
            [.integer(scope), .text(account)]
        ) { $0.text(0) }
    }

    /// All in one question, so that what it finds is of one instant.
    static func lineages(of customer: String, in scope: Int64, _ db: Database) throws -> [Lineage] {
        var found = try db.all(lineagesOfCustomer, values(of: customer, in: scope)) { try LineageTable.lineage($0) }
        if found.count > 1 { found.sort { $0.originalTransactionID < $1.originalTransactionID } }
        return found
    }

    static func lineage(_ original: String, in scope: Int64, _ db: Database) throws -> Lineage? {
        try db.first(
            "SELECT \(LineageTable.reading) FROM lineages WHERE scope = ? AND original_id = ?",
            [.integer(scope), .text(original)]
        ) { try LineageTable.lineage($0) }
    }
}
