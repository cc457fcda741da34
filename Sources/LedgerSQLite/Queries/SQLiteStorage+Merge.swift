internal import AppStoreModels
internal import GRDB
package import Ledger

extension SQLiteStorage {
    package func merge(
        _ from: String, into customer: String, in scope: Int64, at now: Milliseconds, erasuresKnownUntil: Milliseconds
    ) async throws -> Set<String>? {
        try await write { db in
            let erasure = try ErasureTable.lastErasure(of: customer, in: scope, db)
            guard !Erasure.isNew(erasure, since: erasuresKnownUntil) else { return nil }
            let instant = Erasure.instant(ofChangeAt: now, afterErasure: erasure)
            return try Merge(from: from, customer: customer, scope: scope, now: instant).run(db)
        }
    }
}

/// One merge within its database transaction.
private struct Merge {
    let from: String
    let customer: String
    let scope: Int64
    let now: Milliseconds

    /// Moves everything that the first customer owns to the second.
    ///
    /// - Returns: The purchases that moved.
    func run(_ db: Database) throws -> Set<String> {
        var moved: Set<String> = []
        // The claimed purchases, including unknown ones, and those with the customer's account token.
        let claimed = try db.texts(
            "SELECT original_id FROM claims WHERE scope = ? AND customer = ? ORDER BY original_id",
            [.integer(scope), .text(from)])
        let all = try (claimed + SQLiteStorage.originals(of: from, in: scope, db)).map { ExactText($0) }
        for original in Set(all).sorted().map(\.text) where try move(original, db) { moved.insert(original) }
        for account in try SQLiteStorage.accounts(of: from, in: scope, db) {
            let subject = ClaimTables.Subject.account(account, in: scope)
            let decision = try ClaimDecision.merge(
                account: ClaimTables.history(of: subject, db), from: from, into: customer, at: now)
            if case .moves(let events, _) = decision { try ClaimTables.add(events, to: subject, db) }
        }
        for grant in try GrantTables.grants(of: from, in: scope, db) {
            guard let move = try GrantTables.history(of: grant.id, in: scope, db).move(to: customer, at: now) else {
                continue
            }
            try GrantTables.add([move], to: grant.id, in: scope, emittedUntil: now, db)
        }
        // After the purchases, because reports make inquiries about the customer's purchases due.
        try SQLiteStorage.moveUsage(of: from, to: customer, at: now, in: scope, db)
        return moved
    }

    private func move(_ original: String, _ db: Database) throws -> Bool {
        let lineage =
            try SQLiteStorage.lineage(original, in: scope, db)
            ?? Lineage(originalTransactionID: original, transactions: [])
        let ownership = try ClaimTables.ownership(of: lineage, in: scope, db)
        guard
            case .moves(let events, let owners) = ClaimDecision.merge(
                ownership, from: from, into: customer, at: now)
        else { return false }
        let subject = ClaimTables.Subject.purchase(original, in: scope)
        try ClaimTables.add(events, to: subject, db)
        try SQLiteStorage.emitEvent(of: events, to: customer, on: original, from: owners, learned: now, in: scope, db)
        return true
    }
}
