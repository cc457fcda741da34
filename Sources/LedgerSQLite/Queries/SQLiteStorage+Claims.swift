internal import AppStoreModels
package import Entitlements
package import GRDB
package import Ledger

extension SQLiteStorage: ClaimStorage {
    package func claim(
        _ claim: Claim, givesAccess: @escaping @Sendable (SucceededPurchase) -> Bool,
        originalGivesAccess: @escaping @Sendable (OriginalPurchaseFact) -> Bool
    ) async throws -> ClaimOutcome {
        try await write { db in
            var outcome = ClaimOutcome.granted([])
            try db.inSavepoint {
                do {
                    var transaction = ClaimTransaction(
                        claim: claim, givesAccess: givesAccess, originalGivesAccess: originalGivesAccess)
                    outcome = try transaction.run(db)
                } catch let refusal as ClaimRefusal {
                    outcome = .inUse(refusal)
                    return .rollback
                }
                return .commit
            }
            return outcome
        }
    }

    package func sameAccountPurchases(of originalTransactionIDs: [String], in scope: Int64) async throws -> [Lineage] {
        try await read { db in
            try Self.identifiersOfSameAccountPurchases(of: originalTransactionIDs, in: scope, db)
                .compactMap { try Self.lineage($0, in: scope, db) }
        }
    }

    package func identifiersOfSameAccountPurchases(
        of originalTransactionIDs: [String], in scope: Int64
    ) async throws -> [String] {
        try await read { try Self.identifiersOfSameAccountPurchases(of: originalTransactionIDs, in: scope, $0) }
    }

    /// Reads each Apple account once, even if several of its purchases are requested.
    package static func identifiersOfSameAccountPurchases(
        of originalTransactionIDs: [String], in scope: Int64, _ db: Database
    ) throws -> [String] {
        var all = Set(originalTransactionIDs.map { ExactText($0) })
        var accounts: Set<ExactText> = []
        for id in all {
            let account = try db.text(
                "SELECT app_transaction_id FROM lineages WHERE scope = ? AND original_id = ?",
                [.integer(scope), .text(id.text)])
            if let account { accounts.insert(ExactText(account)) }
        }
        for account in accounts {
            let purchases = try ClaimTables.purchases(of: account.text, in: scope, db)
            all.formUnion(purchases.map { ExactText($0.originalTransactionID) })
        }
        return all.sorted().map(\.text)
    }
}

/// One claim within its database transaction. If the whole claim is refused, it throws the ``ClaimRefusal``, and the
/// transaction is rolled back.
private struct ClaimTransaction {
    var claim: Claim
    let givesAccess: (SucceededPurchase) -> Bool
    let originalGivesAccess: (OriginalPurchaseFact) -> Bool
    /// Why the first purchase that the claim continued without stays with its owners.
    var skipped: ClaimRefusal?

    mutating func run(_ db: Database) throws -> ClaimOutcome {
        let erasure = try ErasureTable.lastErasure(of: claim.customer, in: claim.scope, db)
        if claim.isOvertaken(by: erasure) { return .overtaken }
        claim.claimedAt = Erasure.instant(ofChangeAt: claim.claimedAt, afterErasure: erasure)
        let granted = try claimPurchases(db)
        if let refusal = claim.refusal(granting: granted, skipping: skipped) { throw refusal }
        guard let account = claim.appTransactionID else { return .granted(granted) }
        let all = try granted + claimAccount(account, db)
        return .granted(Set(all.map { ExactText($0) }).sorted().map(\.text))
    }

    /// Claims the purchases, and returns those that the customer owns now.
    private mutating func claimPurchases(_ db: Database) throws -> [String] {
        try Set(claim.originalTransactionIDs.map { ExactText($0) }).sorted().map(\.text)
            .filter { try claimPurchase($0, db) }
    }

    /// Claims a purchase; returns false if the present owners keep it.
    private mutating func claimPurchase(_ original: String, _ db: Database) throws -> Bool {
        let lineage = try SQLiteStorage.lineage(original, in: claim.scope, db)
        let ownership = try ClaimTables.ownership(
            of: lineage ?? Lineage(originalTransactionID: original, transactions: []), in: claim.scope, db)
        let step = try claim.step(purchase: lineage, ownership, givesAccess: { try isActive($0, db) })
        return try apply(step, .purchase(original, in: claim.scope), moving: [original], db)
    }

    /// Claims an Apple account, and returns the purchases that come with it.
    private mutating func claimAccount(_ account: String, _ db: Database) throws -> [String] {
        let subject = ClaimTables.Subject.account(account, in: claim.scope)
        let originals = try ClaimTables.originals(ownedThrough: account, in: claim.scope, db)
        let step = try claim.step(
            account: ClaimTables.history(of: subject, db), bought: { try purchases(of: account, db) },
            givesAccess: { try isActive($0, db) },
            originalGivesAccess: {
                try OriginalPurchaseTable.fact(of: account, in: claim.scope, db).map(originalGivesAccess) ?? false
            })
        return try apply(step, subject, moving: originals, db) ? originals : []
    }

    private func isActive(_ lineage: Lineage, _ db: Database) throws -> Bool {
        let successors = try SegmentTable.successors(of: lineage.originalTransactionID, in: claim.scope, db)
        return givesAccess(SucceededPurchase(lineage: lineage, successors: successors))
    }

    /// Stores the decision and its events. Returns false if the present owners keep the purchase.
    private mutating func apply(
        _ step: ClaimStep, _ subject: ClaimTables.Subject, moving originals: [String], _ db: Database
    ) throws -> Bool {
        switch step {
        case .isOwned: return true
        case .isSkipped(let refusal):
            skipped = skipped ?? refusal
            return false
        case .refusesClaim(let refusal): throw refusal
        case .moves(let events, let owners):
            try ClaimTables.add(events, to: subject, db)
            for original in originals {
                try SQLiteStorage.emitEvent(
                    of: events, to: claim.customer, on: original, from: owners, learned: claim.claimedAt,
                    in: claim.scope, db)
            }
            return true
        }
    }

    /// Returns the purchases of an account with their owners.
    private func purchases(of account: String, _ db: Database) throws -> [OwnedPurchase] {
        let lineages = try SQLiteStorage.lineages(ofAccount: account, in: claim.scope, db)
        let ownerships = try ClaimTables.ownerships(of: lineages, in: claim.scope, db)
        return zip(lineages, ownerships).map { OwnedPurchase(lineage: $0, ownership: $1) }
    }
}

extension SQLiteStorage {
    /// Creates the event of a change of ownership.
    static func emitEvent(
        of claims: [ClaimEvent], to customer: String, on original: String, from owners: [String],
        learned now: Milliseconds, in scope: Int64, _ db: Database
    ) throws {
        try emit(LedgerEvent(of: claims, to: customer, on: original, from: owners, learned: now, in: scope), db)
    }

    /// Creates the event if new facts changed the owner of a purchase.
    static func emitEvent(
        from former: Lineage, to present: Lineage, learned now: Milliseconds, in scope: Int64, _ db: Database
    ) throws {
        let event = try LedgerEvent(from: former, to: present, learned: now, in: scope) {
            try owners(of: $0, in: scope, db)
        }
        if let event { try emit(event, db) }
    }

    private static func emit(_ change: LedgerEvent, _ db: Database) throws {
        // The new owner may have consented to sending consumption data to the App Store.
        let originals = [change.originalTransactionID].compactMap(\.self)
        try ConsumptionTables.makeDue(at: change.createdAt, about: originals, in: change.scope, db)
        try OutboxTable.add(change, db)
    }
}
