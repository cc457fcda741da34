internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB

/// Puts facts where they belong. Of two versions of one fact the newer one stays, of two with one date the one that counts
/// when both are folded, and of two that say the same the one from the notification with the greater UUID, so that any order
/// and any number of deliveries ends in the same ledger.
enum Fold {
    /// What became of a fact.
    struct Outcome {
        /// Whether it is in the ledger now, and was not before.
        var isNews: Bool
        /// Where the version was from that it has replaced.
        var replaced: Int64?

        static let ignored = Outcome(isNews: false)
    }

    /// Puts in what a notification says, and makes the event of it, once.
    static func apply(_ notification: FoldedNotification, makingEvent: Bool = true, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM inbox WHERE id = ?").execute(arguments: [notification.id])
        let waited = db.changesCount > 0
        let source = try Source(notification, db)
        let isNew = try note(notification, source, db)
        if let fact = notification.transaction {
            try drop(put(fact, scope: notification.scope, source, db).replaced, db)
        }
        if let fact = notification.renewal {
            try drop(put(fact, scope: notification.scope, source, db).replaced, db)
        }
        guard waited, isNew, makingEvent else { return }
        try OutboxTable.add(.init(notification), db)
        try ConsumptionTables.note(notification, db)
    }

    /// Puts in what came by itself; false when it was no news.
    @discardableResult
    static func apply(_ statement: Statement, _ db: Database) throws -> Bool {
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO statements (scope, kind, original_id, key, signed_date, received_at, origin, text)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try insert.execute(arguments: [
            statement.scope, statement.fact.kind, statement.fact.originalTransactionId, statement.fact.key,
            statement.fact.signedDate.milliseconds, statement.receivedAt, statement.origin.rawValue,
            statement.text.bytes,
        ])
        let source = Source(id: -db.lastInsertedRowID, key: .statement(statement.text.bytes))
        let outcome = try put(statement.fact, scope: statement.scope, source, db)
        try drop(outcome.isNews ? outcome.replaced : source.id, db)
        return outcome.isNews
    }

    /// Puts in that there is a notification about a purchase; false when that was known.
    static func note(_ notification: FoldedNotification, _ source: Source, _ db: Database) throws -> Bool {
        guard let original = notification.originalTransactionId else { return true }
        let insert = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO facts (scope, original_id, kind, key, signed_date, source)
                VALUES (?, ?, 2, ?, ?, ?)
                """)
        try insert.execute(arguments: [
            notification.scope, original, notification.uuid, notification.signedDate, source.id,
        ])
        if db.changesCount > 0 { return true }
        let update = try db.cachedStatement(
            sql: """
                UPDATE facts SET signed_date = ?
                WHERE scope = ? AND original_id = ? AND kind = 2 AND key = ? AND signed_date < ?
                """)
        try update.execute(arguments: [
            notification.signedDate, notification.scope, original, notification.uuid, notification.signedDate,
        ])
        return false
    }

    /// Puts in a fact of either kind.
    static func put(_ fact: Statement.Fact, scope: Int64, _ source: Source, _ db: Database) throws -> Outcome {
        switch fact {
        case .transaction(let fact): try put(fact, scope: scope, source, db)
        case .renewal(let fact): try put(fact, scope: scope, source, db)
        }
    }

    /// Puts in a transaction, and whose the purchase is by what it says.
    static func put(_ fact: TransactionFact, scope: Int64, _ source: Source, _ db: Database) throws -> Outcome {
        let place = Place(scope: scope, original: fact.originalTransactionId, key: fact.transactionId)
        let values = FactColumns.values(of: fact)
        let present = try Present(place, transactionSelect, db)
        let isChosen = try wins(fact.signedDate.milliseconds, values, source, over: present, db) {
            let versions = try SQLiteStorage.lineage(place.original, in: scope, db)?.transactions
            guard let known = versions?.first(where: { $0.transactionId == place.key }) else { return nil }
            return known.yields(to: fact) ? true : fact.yields(to: known) ? false : nil
        }
        guard isChosen else { return .ignored }
        let upsert = try db.cachedStatement(sql: transactionUpsert)
        try upsert.execute(
            arguments: StatementArguments(
                [scope, place.original, place.key, fact.signedDate.milliseconds, source.id] + values))
        try Owner.update(fact, replacing: present, scope: scope, db)
        return Outcome(isNews: true, replaced: present?.source)
    }

    /// Puts in a renewal info.
    static func put(_ fact: RenewalFact, scope: Int64, _ source: Source, _ db: Database) throws -> Outcome {
        let place = Place(scope: scope, original: fact.originalTransactionId, key: "")
        let values = FactColumns.values(of: fact)
        let present = try Present(place, renewalSelect, db)
        let isChosen = try wins(fact.signedDate.milliseconds, values, source, over: present, db) {
            guard let known = try SQLiteStorage.lineage(place.original, in: scope, db)?.renewal else { return nil }
            return known.yields(to: fact) ? true : fact.yields(to: known) ? false : nil
        }
        guard isChosen else { return .ignored }
        let upsert = try db.cachedStatement(sql: renewalUpsert)
        try upsert.execute(
            arguments: StatementArguments([scope, place.original, fact.signedDate.milliseconds, source.id] + values))
        return Outcome(isNews: true, replaced: present?.source)
    }

    /// Whether a version takes the place of the one that is there.
    ///
    /// - Parameter settled: Which of two with one date the engine would choose, so that the ledger agrees with what is folded
    ///   from the notifications: the App Store signs a cancellation and the end it brings about at once. Nil for either.
    private static func wins(
        _ signedDate: Milliseconds, _ values: [(any DatabaseValueConvertible)?], _ source: Source,
        over present: Present?, _ db: Database, settled: () throws -> Bool?
    ) throws -> Bool {
        // The row of a renewal info is there without one when only the owner is known.
        guard let present, let known = present.signedDate else { return true }
        guard known == signedDate else { return known < signedDate }
        let new = values.map { ($0?.databaseValue ?? .null).orderingText }
        let old = present.values.map(\.orderingText)
        if new == old { return try source.wins(over: present.source, db) }
        return try settled() ?? old.lexicographicallyPrecedes(new)
    }

    /// Drops a statement that another text has replaced. Notifications stay for good.
    private static func drop(_ source: Int64?, _ db: Database) throws {
        guard let source, source < 0, source != .min else { return }
        try db.cachedStatement(sql: "DELETE FROM statements WHERE id = ?").execute(arguments: [-source])
    }

    private static let transactionSelect = select(FactColumns.transaction, kind: 1)
    private static let renewalSelect = select(FactColumns.renewal, kind: 0)

    // The kind is written out: there are indices for one kind only, so SQLite would compile a statement anew each time
    // that a kind is bound to it.
    private static func select(_ columns: [String], kind: Int) -> String {
        """
        SELECT signed_date, source, \(columns.joined(separator: ", ")) FROM facts
        WHERE scope = ? AND original_id = ? AND kind = \(kind) AND key = ?
        """
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

extension Fold {
    /// The text that a fact is from.
    struct Source {
        enum Key {
            case notification(uuid: String)
            case statement(Data)
        }

        /// The notification's number, or the statement's as a negative one.
        let id: Int64
        /// What settles a tie: row numbers hang on the order of arrival.
        let key: Key

        init(id: Int64, key: Key) {
            self.id = id
            self.key = key
        }

        /// A notification. What is from another text of one is from the notification too.
        init(_ notification: FoldedNotification, _ db: Database) throws {
            key = .notification(uuid: notification.uuid)
            guard notification.id < 0, notification.id != .min else {
                id = notification.id
                return
            }
            id =
                try Int64.fetchOne(
                    db, sql: "SELECT notification FROM other_texts WHERE id = ?", arguments: [-notification.id]) ?? 0
        }

        /// Whether a fact is from here when both texts say the same. Notifications come first, since they are kept anyway.
        func wins(over present: Int64?, _ db: Database) throws -> Bool {
            guard let present, present != 0, present != .min else { return true }
            switch key {
            case .notification(let uuid):
                guard present > 0 else { return true }
                let select = try db.cachedStatement(sql: "SELECT uuid FROM notifications WHERE id = ?")
                guard let row = try Row.fetchOne(select, arguments: [present]) else { return true }
                return StoredUUID.text(row[0]) < uuid
            case .statement(let text):
                guard present < 0 else { return false }
                let select = try db.cachedStatement(sql: "SELECT text FROM statements WHERE id = ?")
                guard let known = try Row.fetchOne(select, arguments: [-present])?.blob(0) else { return true }
                return known.lexicographicallyPrecedes(text)
            }
        }
    }

    /// Where a fact lies.
    struct Place {
        let scope: Int64
        let original: String
        let key: String
    }

    /// The version that is there.
    struct Present {
        let signedDate: Milliseconds?
        let source: Int64?
        let values: [DatabaseValue]

        init?(_ place: Place, _ select: String, _ db: Database) throws {
            let select = try db.cachedStatement(sql: select)
            let row = try Row.fetchOne(select, arguments: [place.scope, place.original, place.key])
            guard let row else { return nil }
            signedDate = row.number(0)
            source = row.number(1)
            values = Array(row.databaseValues.dropFirst(2))
        }

        /// What a column of a transaction says.
        func transactionValue(_ column: String) -> DatabaseValue {
            guard let index = FactColumns.transaction.firstIndex(of: column), values.indices.contains(index) else {
                return .null
            }
            return values[index]
        }
    }
}

extension Statement.Fact {
    /// The kind of its row in `facts`.
    var kind: Int {
        switch self {
        case .transaction: 1
        case .renewal: 0
        }
    }

    /// The key of its row in `facts`.
    var key: String {
        switch self {
        case .transaction(let fact): fact.transactionId
        case .renewal: ""
        }
    }
}

extension DatabaseValue {
    /// Different for different values, to put them in some order that is always the same.
    fileprivate var orderingText: String {
        guard case .blob(let bytes) = storage else { return description }
        return bytes.map { String(UnicodeScalar($0)) }.joined()
    }
}
