internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB

/// Puts facts where they belong. Of two versions of one fact the newer one stays, and of two with one date the greater one,
/// so that any order and any number of deliveries ends in the same ledger.
enum Fold {
    /// Puts in what a notification says, and makes the event of it, once.
    static func apply(_ notification: FoldedNotification, _ db: Database) throws {
        let (id, scope) = (notification.id, notification.scope)
        try db.cachedStatement(sql: "DELETE FROM inbox WHERE id = ?").execute(arguments: [id])
        var isNew = db.changesCount > 0
        if let original = notification.originalTransactionId {
            let insert = try db.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO facts (scope, original_id, kind, key, signed_date, source)
                    VALUES (?, ?, 2, ?, ?, ?)
                    """)
            try insert.execute(arguments: [scope, original, notification.uuid, notification.signedDate, id])
            isNew = isNew && db.changesCount > 0
        }
        if let fact = notification.transaction { try apply(fact, scope: scope, source: id, db) }
        try applyToLineage(notification.transaction, notification.renewal, scope: scope, source: id, db)
        guard isNew else { return }
        try OutboxTable.add(.init(notification), db)
        try ConsumptionTables.note(notification, db)
    }

    /// Puts in what came by itself; false when it was no news.
    static func apply(_ statement: Statement, _ db: Database) throws -> Bool {
        let (kind, key) =
            switch statement.fact {
            case .transaction(let fact): (1, fact.transactionId)
            case .renewal: (0, "")
            }
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO statements (scope, kind, original_id, key, signed_date, received_at, origin, text)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try insert.execute(arguments: [
            statement.scope, kind, statement.fact.originalTransactionId, key, statement.fact.signedDate.milliseconds,
            statement.receivedAt, statement.origin.rawValue, statement.text.bytes,
        ])
        let source = -db.lastInsertedRowID
        let isNews: Bool
        switch statement.fact {
        case .transaction(let fact):
            isNews = try apply(fact, scope: statement.scope, source: source, db)
            try applyToLineage(fact, nil, scope: statement.scope, source: source, db)
        case .renewal(let fact):
            isNews = try applyToLineage(nil, fact, scope: statement.scope, source: source, db)
        }
        if !isNews { try remove(source: source, db) }
        return isNews
    }

    /// Puts in a transaction; false when what is there is as new.
    @discardableResult
    private static func apply(
        _ fact: TransactionFact, scope: Int64, source: Int64, _ db: Database
    ) throws -> Bool {
        let signedDate = fact.signedDate.milliseconds
        let select = try db.cachedStatement(
            sql: "SELECT signed_date, source FROM facts WHERE scope = ? AND original_id = ? AND kind = 1 AND key = ?")
        let present = try Row.fetchOne(select, arguments: [scope, fact.originalTransactionId, fact.transactionId])
            .map { (signedDate: $0.number(0) ?? .min, source: $0.number(1) ?? 0) }
        let values = FactColumns.values(of: fact)
        if let present {
            guard present.signedDate <= signedDate else { return false }
            if present.signedDate == signedDate {
                guard
                    try isGreater(
                        values, than: FactColumns.transaction, scope: scope, fact.originalTransactionId, kind: 1,
                        key: fact.transactionId, db)
                else { return false }
            }
        }
        let upsert = try db.cachedStatement(sql: transactionUpsert)
        try upsert.execute(
            arguments: StatementArguments(
                [scope, fact.originalTransactionId, fact.transactionId, signedDate, source] + values))
        if let present { try remove(source: present.source, db) }
        return true
    }

    /// Puts in a renewal info, and whose the purchase is; false when neither is news.
    @discardableResult
    private static func applyToLineage(
        _ transaction: TransactionFact?, _ renewal: RenewalFact?, scope: Int64, source: Int64, _ db: Database
    ) throws -> Bool {
        var isNews = false
        if let transaction {
            // A transaction and a renewal info of one notification are of one subscription. If ever they were not, each
            // goes where it belongs.
            try Owner.update(transaction, scope: scope, db)
        }
        if let renewal { isNews = try apply(renewal, scope: scope, source: source, db) }
        return isNews
    }

    private static func apply(_ fact: RenewalFact, scope: Int64, source: Int64, _ db: Database) throws -> Bool {
        let signedDate = fact.signedDate.milliseconds
        let select = try db.cachedStatement(
            sql: "SELECT signed_date, source FROM facts WHERE scope = ? AND original_id = ? AND kind = 0 AND key = ''")
        let present = try Row.fetchOne(select, arguments: [scope, fact.originalTransactionId])
            .map { (signedDate: $0.number(0), source: $0.number(1)) }
        let values = FactColumns.values(of: fact)
        if let known = present?.signedDate {
            guard known <= signedDate else { return false }
            if known == signedDate {
                guard
                    try isGreater(
                        values, than: FactColumns.renewal, scope: scope, fact.originalTransactionId, kind: 0, key: "",
                        db)
                else { return false }
            }
        }
        let upsert = try db.cachedStatement(sql: renewalUpsert)
        try upsert.execute(
            arguments: StatementArguments([scope, fact.originalTransactionId, signedDate, source] + values))
        if let old = present?.source { try remove(source: old, db) }
        return true
    }

    /// Whether a version is greater than the one of the same date that is there.
    private static func isGreater(
        _ values: [(any DatabaseValueConvertible)?], than columns: [String], scope: Int64, _ original: String,
        kind: Int, key: String, _ db: Database
    ) throws -> Bool {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT \(columns.joined(separator: ", ")) FROM facts
                WHERE scope = ? AND original_id = ? AND kind = ? AND key = ?
                """, arguments: [scope, original, kind, key])
        guard let row else { return true }
        let present = row.databaseValues.map(\.description)
        let new = values.map { ($0?.databaseValue ?? .null).description }
        return present.lexicographicallyPrecedes(new)
    }

    /// Drops a statement that a newer text has replaced. Notifications stay for good.
    private static func remove(source: Int64, _ db: Database) throws {
        guard source < 0 else { return }
        try db.cachedStatement(sql: "DELETE FROM statements WHERE id = ?").execute(arguments: [-source])
    }

    private static let transactionUpsert = upsert(
        ["scope", "original_id", "key", "signed_date", "source"] + FactColumns.transaction, kind: 1)
    private static let renewalUpsert = upsert(
        ["scope", "original_id", "signed_date", "source"] + FactColumns.renewal, kind: 0)

    private static func upsert(_ columns: [String], kind: Int) -> String {
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let updates = columns.filter { !["scope", "original_id", "key"].contains($0) }
            .map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let names = columns.joined(separator: ", ")
        let extra = kind == 0 ? ", key" : ""
        return """
            INSERT INTO facts (\(names), kind\(extra)) VALUES (\(places), \(kind)\(kind == 0 ? ", ''" : ""))
            ON CONFLICT (scope, original_id, kind, key) DO UPDATE SET \(updates)
            """
    }
}

/// Whose a purchase is, by the account that the app named in it.
private enum Owner {
    /// Of several transactions with an account the latest purchase counts.
    static func update(_ fact: TransactionFact, scope: Int64, _ db: Database) throws {
        let select = try db.cachedStatement(
            sql: """
                SELECT owner_purchased, owner_signed, owner_transaction, token, app_transaction_id FROM facts
                WHERE scope = ? AND original_id = ? AND kind = 0 AND key = ''
                """)
        let row = try Row.fetchOne(select, arguments: [scope, fact.originalTransactionId])
        let (knownToken, knownAccount) = (row?.blob(3), row?.text(4))
        let new = (fact.purchaseDate.milliseconds, fact.signedDate.milliseconds, fact.transactionId)
        var isOwner = fact.appAccountToken != nil
        if isOwner, let row, let purchased = row.number(0) {
            isOwner = new > (purchased, row.number(1) ?? 0, row.text(2) ?? "")
        }
        let account = [knownAccount, fact.appTransactionId].compactMap(\.self).max()
        guard row == nil || isOwner || account != knownAccount else { return }
        let token = isOwner ? fact.appAccountToken?.bytes : knownToken
        let upsert = try db.cachedStatement(
            sql: """
                INSERT INTO facts (scope, original_id, kind, key, token, app_transaction_id, owner_purchased,
                    owner_signed, owner_transaction)
                VALUES (?, ?, 0, '', ?, ?, ?, ?, ?)
                ON CONFLICT (scope, original_id, kind, key) DO UPDATE SET token = excluded.token,
                    app_transaction_id = excluded.app_transaction_id, owner_purchased = excluded.owner_purchased,
                    owner_signed = excluded.owner_signed, owner_transaction = excluded.owner_transaction
                """)
        let rank: (Int64?, Int64?, String?) =
            isOwner ? (new.0, new.1, new.2) : (row?.number(0), row?.number(1), row?.text(2))
        try upsert.execute(arguments: [
            scope, fact.originalTransactionId, token, account, rank.0, rank.1, rank.2,
        ])
    }
}
