internal import AppStoreModels
internal import Foundation
internal import GRDB

/// How far the histories of Apple accounts are known.
enum HistoryTable {
    static let schema = [
        """
        CREATE TABLE account_histories (
            scope INTEGER NOT NULL, transaction_id TEXT NOT NULL, revision TEXT NOT NULL, asked_at INTEGER NOT NULL,
            PRIMARY KEY (scope, transaction_id)) WITHOUT ROWID
        """
    ]
}

extension SQLiteStorage: ClaimStorage {
    package func claim(
        _ claim: Claim, givesAccess: @escaping @Sendable (Lineage) -> Bool
    ) async throws -> ClaimOutcome {
        try await write { db in
            var outcome = ClaimOutcome.inUse
            try db.inSavepoint {
                do {
                    outcome = .granted(try ClaimDecision(claim: claim, givesAccess: givesAccess).carryOut(db))
                } catch is ClaimRefused { return .rollback }
                return .commit
            }
            return outcome
        }
    }

    package func historyMark(of originalTransactionIds: [String], in scope: Int64) async throws -> HistoryMark? {
        try await read { db in
            for id in originalTransactionIds {
                let row = try Row.fetchOne(
                    db, sql: "SELECT revision, asked_at FROM account_histories WHERE scope = ? AND transaction_id = ?",
                    arguments: [scope, id])
                if let row, let revision = row.text(0) {
                    return HistoryMark(transactionId: id, revision: revision, askedAt: row.number(1) ?? 0)
                }
            }
            return nil
        }
    }

    package func note(_ mark: HistoryMark, in scope: Int64) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO account_histories (scope, transaction_id, revision, asked_at)
                    VALUES (?, ?, ?, ?)
                    """, arguments: [scope, mark.transactionId, mark.revision, mark.askedAt])
        }
    }

    package func relatives(of originalTransactionIds: [String], in scope: Int64) async throws -> [Lineage] {
        try await read { db in
            var all = Set(originalTransactionIds)
            for id in originalTransactionIds {
                all.formUnion(
                    try String.fetchAll(
                        db.cachedStatement(
                            sql: """
                                SELECT others.original_id FROM lineages AS own
                                CROSS JOIN lineages AS others INDEXED BY lineages_by_account
                                    ON others.scope = own.scope
                                    AND others.app_transaction_id = own.app_transaction_id
                                    AND others.app_transaction_id IS NOT NULL
                                WHERE own.scope = ? AND own.original_id = ? AND own.app_transaction_id IS NOT NULL
                                """), arguments: [scope, id]))
            }
            return try all.sorted().compactMap { try Self.lineage($0, in: scope, db) }
        }
    }
}

/// Rolls a claim back.
private struct ClaimRefused: Error {}

/// One claim, within its transaction.
private struct ClaimDecision {
    let claim: Claim
    let givesAccess: (Lineage) -> Bool

    /// What is the customer's afterwards.
    func carryOut(_ db: Database) throws -> Set<String> {
        var granted: Set<String> = []
        for original in Set(claim.originalTransactionIds).sorted() where try take(original, db) {
            granted.insert(original)
        }
        if let account = claim.appTransactionId { granted.formUnion(try take(account: account, db)) }
        return granted
    }

    // MARK: - A purchase

    private func take(_ original: String, _ db: Database) throws -> Bool {
        let owners = try SQLiteStorage.owners(of: original, in: claim.scope, db)
        guard !owners.containsExactly(claim.customer) else { return true }
        guard !owners.isEmpty else {
            try insert(claim.customer, original, db)
            try tell(.purchaseLinked, original, from: [], db)
            return true
        }
        guard try !isNamed(original, db), try mayTake([original], db) else {
            if claim.skipsRefused { return false }
            throw ClaimRefused()
        }
        if claim.policy == .share {
            // Claims take the place of what the App Store says of the account, so theirs has to be among them.
            for owner in owners { try insert(owner, original, db) }
            try insert(claim.customer, original, db)
            try tell(.purchaseLinked, original, from: [], db)
        } else {
            try db.execute(
                sql: "DELETE FROM claims WHERE scope = ? AND original_id = ?", arguments: [claim.scope, original])
            try insert(claim.customer, original, db)
            try tell(.purchaseTransferred, original, from: owners, db)
        }
        return true
    }

    /// Whether the App Store signed a purchase for another account than the customer's, and that counts.
    private func isNamed(_ original: String, _ db: Database) throws -> Bool {
        guard !claim.takesNamed, let token = try SQLiteStorage.lineage(original, in: claim.scope, db)?.appAccountToken
        else { return false }
        return !token.text.isExactly(claim.customer)
    }

    private func mayTake(_ originals: [String], _ db: Database) throws -> Bool {
        switch claim.policy {
        case .transfer, .share: true
        case .keepOriginal: false
        case .transferIfInactive:
            try originals.compactMap { try SQLiteStorage.lineage($0, in: claim.scope, db) }.allSatisfy {
                !givesAccess($0)
            }
        }
    }

    private func insert(_ customer: String, _ original: String, _ db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO claims (scope, original_id, customer, claimed_at) VALUES (?, ?, ?, ?)"
        ).execute(arguments: [claim.scope, original, customer, claim.claimedAt])
    }

    // MARK: - An Apple account

    /// Takes an account, and says what came with it.
    private func take(account: String, _ db: Database) throws -> Set<String> {
        let owner = try String.fetchOne(
            db, sql: "SELECT customer FROM account_claims WHERE scope = ? AND app_transaction_id = ?",
            arguments: [claim.scope, account])
        let originals = try unclaimed(of: account, db)
        guard !(owner?.isExactly(claim.customer) ?? false) else { return Set(originals) }
        if let owner {
            guard claim.policy != .share else { return [] }
            guard try mayTake(originals, db) else {
                if claim.skipsRefused { return [] }
                throw ClaimRefused()
            }
            for original in originals { try tell(.purchaseTransferred, original, from: [owner], db) }
        } else {
            for original in originals { try tell(.purchaseLinked, original, from: [], db) }
        }
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO account_claims (scope, app_transaction_id, customer, claimed_at)
                VALUES (?, ?, ?, ?)
                """, arguments: [claim.scope, account, claim.customer, claim.claimedAt])
        return Set(originals)
    }

    /// What goes where the account goes: what nobody claims and no account of the app's was named for.
    private func unclaimed(of account: String, _ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT original_id FROM lineages
                WHERE scope = ? AND app_transaction_id = ? AND token IS NULL AND NOT EXISTS (
                    SELECT 1 FROM claims
                    WHERE claims.scope = lineages.scope AND claims.original_id = lineages.original_id)
                ORDER BY original_id
                """, arguments: [claim.scope, account])
    }

    // MARK: - Events

    private func tell(_ type: EventType, _ original: String, from owners: [String], _ db: Database) throws {
        // Whose a purchase is now may have agreed already that the App Store is told about it.
        try ConsumptionTables.lookAgain(at: claim.claimedAt, about: [original], in: claim.scope, db)
        var data = JSONText()
        data.object { json in
            json.member("from", owners) { $0.string($1) }
            json.member("to", [claim.customer]) { $0.string($1) }
        }
        try OutboxTable.add(
            LedgerEvent(
                id: LedgerEvent.prefix + UUID().uuidString.lowercased(), scope: claim.scope, type: type,
                originalTransactionId: original, customer: claim.customer, occurredAt: claim.claimedAt,
                createdAt: claim.claimedAt, data: String(decoding: data.bytes, as: UTF8.self)), db)
    }
}
