internal import Entitlements
internal import Foundation
internal import GRDB

/// Whose a purchase is, by the account that the app named in it. It follows from the versions of transactions that stay in
/// the ledger and from nothing else: what was replaced has no say, or it would matter what came first.
enum Owner {
    private struct Rank {
        var purchased: Milliseconds
        var signed: Milliseconds
        var transaction: String

        static func < (one: Rank, other: Rank) -> Bool {
            (one.purchased, one.signed, one.transaction) < (other.purchased, other.signed, other.transaction)
        }
    }

    private struct Known {
        var token: Data?
        var account: String?
        var rank: Rank?
    }

    /// Takes in a transaction that was put in the place of `old`. Of several with an account the latest purchase counts.
    static func update(_ fact: TransactionFact, replacing old: Fold.Present?, scope: Int64, _ db: Database) throws {
        let row = try db.first(
            """
            SELECT token, app_transaction_id, owner_purchased, owner_signed, owner_transaction FROM facts
            WHERE scope = ? AND original_id = ? AND kind = 0 AND key = ''
            """, [.integer(scope), .text(fact.originalTransactionId)], read)
        let known = row ?? Known()
        var new = known
        if let old, hasTakenBack(fact, old, known) {
            new = try fromAll(fact.originalTransactionId, scope: scope, db)
        } else {
            add(fact, to: &new)
        }
        let isSame =
            row != nil && new.token == known.token && new.account == known.account
            && new.rank?.signed == known.rank?.signed && new.rank?.purchased == known.rank?.purchased
            && new.rank?.transaction == known.rank?.transaction
        if !isSame { try write(new, fact.originalTransactionId, scope: scope, db) }
    }

    /// Whether a newer version of a transaction no longer says what was believed because of the older one.
    private static func hasTakenBack(_ fact: TransactionFact, _ old: Fold.Present, _ known: Known) -> Bool {
        if let rank = known.rank, rank.transaction == fact.transactionId,
            fact.appAccountToken == nil || fact.purchaseDate.milliseconds < rank.purchased
        {
            return true
        }
        return old.account != nil && old.account != fact.appTransactionId
    }

    private static func add(_ fact: TransactionFact, to known: inout Known) {
        known.account = [known.account, fact.appTransactionId].compactMap(\.self).max()
        guard let token = fact.appAccountToken else { return }
        let rank = Rank(
            purchased: fact.purchaseDate.milliseconds, signed: fact.signedDate.milliseconds,
            transaction: fact.transactionId)
        if let other = known.rank, rank < other, other.transaction != rank.transaction { return }
        (known.token, known.rank) = (token.bytes, rank)
    }

    private static func read(_ row: SQLStatement) -> Known {
        Known(
            token: row.blob(0), account: row.text(1),
            rank: row.number(2).map {
                Rank(purchased: $0, signed: row.number(3) ?? 0, transaction: row.text(4) ?? "")
            })
    }

    private static func fromAll(_ original: String, scope: Int64, _ db: Database) throws -> Known {
        let owner = try Row.fetchOne(
            db,
            sql: """
                SELECT token, purchase_date, signed_date, key FROM facts
                WHERE scope = ? AND original_id = ? AND kind = 1 AND token IS NOT NULL
                ORDER BY purchase_date DESC, signed_date DESC, key DESC LIMIT 1
                """, arguments: [scope, original])
        let account = try String.fetchOne(
            db, sql: "SELECT max(app_transaction_id) FROM facts WHERE scope = ? AND original_id = ? AND kind = 1",
            arguments: [scope, original])
        return Known(
            token: owner?.blob(0), account: account,
            rank: owner.map {
                Rank(purchased: $0.number(1) ?? 0, signed: $0.number(2) ?? 0, transaction: $0.text(3) ?? "")
            })
    }

    private static func write(_ known: Known, _ original: String, scope: Int64, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO facts (scope, original_id, kind, key, token, app_transaction_id, owner_purchased,
                owner_signed, owner_transaction)
            VALUES (?, ?, 0, '', ?, ?, ?, ?, ?)
            ON CONFLICT (scope, original_id, kind, key) DO UPDATE SET token = excluded.token,
                app_transaction_id = excluded.app_transaction_id, owner_purchased = excluded.owner_purchased,
                owner_signed = excluded.owner_signed, owner_transaction = excluded.owner_transaction
            """,
            [
                .integer(scope), .text(original), .init(known.token), .init(known.account),
                .init(known.rank?.purchased), .init(known.rank?.signed), .init(known.rank?.transaction),
            ])
    }
}
