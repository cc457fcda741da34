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
        try db.run("DELETE FROM inbox WHERE id = ?", [.integer(notification.id)])
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
        try db.run(
            """
            INSERT INTO statements (scope, kind, original_id, key, signed_date, received_at, origin, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(statement.scope), .integer(statement.fact.kind), .text(statement.fact.originalTransactionId),
                .text(statement.fact.key), .integer(statement.fact.signedDate.milliseconds),
                .integer(statement.receivedAt), .integer(statement.origin.rawValue), .blob(statement.text.bytes),
            ])
        let source = Source(id: -db.lastInsertedRowID, key: .statement(statement.text.bytes))
        let outcome = try put(statement.fact, scope: statement.scope, source, db)
        try drop(outcome.isNews ? outcome.replaced : source.id, db)
        return outcome.isNews
    }

    /// Puts in that there is a notification about a purchase; false when that was known.
    static func note(_ notification: FoldedNotification, _ source: Source, _ db: Database) throws -> Bool {
        guard let original = notification.originalTransactionId else { return true }
        let place: [SQLValue] = [
            .integer(notification.scope), .text(original), .text(notification.uuid), .integer(notification.signedDate),
        ]
        try db.run(
            """
            INSERT OR IGNORE INTO facts (scope, original_id, kind, key, signed_date, source) VALUES (?, ?, 2, ?, ?, ?)
            """, place + [.integer(source.id)])
        if db.changesCount > 0 { return true }
        try db.run(
            """
            UPDATE facts SET signed_date = ?4
            WHERE scope = ?1 AND original_id = ?2 AND kind = 2 AND key = ?3 AND signed_date < ?4
            """, place)
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
        let present = try Present(place, kind: 1, db)
        let isChosen = try wins(fact.signedDate.milliseconds, values, source, over: present, transactionSelect, db) {
            let versions = try SQLiteStorage.lineage(place.original, in: scope, db)?.transactions
            guard let known = versions?.first(where: { $0.transactionId == place.key }) else { return nil }
            return known.yields(to: fact) ? true : fact.yields(to: known) ? false : nil
        }
        guard isChosen else { return .ignored }
        try db.run(
            transactionUpsert, place.values + [.integer(fact.signedDate.milliseconds), .integer(source.id)] + values)
        try Owner.update(fact, replacing: present, scope: scope, db)
        return Outcome(isNews: true, replaced: present?.source)
    }

    /// Puts in a renewal info.
    static func put(_ fact: RenewalFact, scope: Int64, _ source: Source, _ db: Database) throws -> Outcome {
        let place = Place(scope: scope, original: fact.originalTransactionId, key: "")
        let values = FactColumns.values(of: fact)
        let present = try Present(place, kind: 0, db)
        let isChosen = try wins(fact.signedDate.milliseconds, values, source, over: present, renewalSelect, db) {
            guard let known = try SQLiteStorage.lineage(place.original, in: scope, db)?.renewal else { return nil }
            return known.yields(to: fact) ? true : fact.yields(to: known) ? false : nil
        }
        guard isChosen else { return .ignored }
        try db.run(
            renewalUpsert, place.values + [.integer(fact.signedDate.milliseconds), .integer(source.id)] + values)
        return Outcome(isNews: true, replaced: present?.source)
    }

    /// Whether a version takes the place of the one that is there.
    ///
    /// - Parameter settled: Which of two with one date the engine would choose, so that the ledger agrees with what is folded
    ///   from the notifications: the App Store signs a cancellation and the end it brings about at once. Nil for either.
    private static func wins(
        _ signedDate: Milliseconds, _ values: [SQLValue], _ source: Source, over present: Present?, _ select: String,
        _ db: Database, settled: () throws -> Bool?
    ) throws -> Bool {
        // The row of a renewal info is there without one when only the owner is known.
        guard let present, let known = present.signedDate else { return true }
        guard known == signedDate else { return known < signedDate }
        let new = values.map(\.orderingText)
        let old = try present.values(select, count: values.count, db).map(\.orderingText)
        if new == old { return try source.wins(over: present.source, db) }
        return try settled() ?? old.lexicographicallyPrecedes(new)
    }

    /// Drops a statement that another text has replaced. Notifications stay for good.
    private static func drop(_ source: Int64?, _ db: Database) throws {
        guard let source, source < 0, source != .min else { return }
        try db.run("DELETE FROM statements WHERE id = ?", [.integer(-source)])
    }

    private static let transactionSelect = select(FactColumns.transaction, kind: 1)
    private static let renewalSelect = select(FactColumns.renewal, kind: 0)

    // The kind is written out: there are indices for one kind only, so SQLite would compile a statement anew each time
    // that a kind is bound to it.
    fileprivate static func select(_ columns: [String], kind: Int) -> String {
        """
        SELECT \(columns.joined(separator: ", ")) FROM facts
        WHERE scope = ? AND original_id = ? AND kind = \(kind) AND key = ?
        """
    }

    private static let transactionUpsert = upsert(
        ["scope", "original_id", "key", "signed_date", "source"] + FactColumns.transaction, kind: 1)
    private static let renewalUpsert = upsert(
        ["scope", "original_id", "key", "signed_date", "source"] + FactColumns.renewal, kind: 0)

    private static func upsert(_ columns: [String], kind: Int) -> String {
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let updates = columns.filter { !["scope", "original_id", "key"].contains($0) }
            .map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let names = columns.joined(separator: ", ")
        return """
            INSERT INTO facts (\(names), kind) VALUES (\(places), \(kind))
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
                let select = "SELECT uuid FROM notifications WHERE id = ?"
                let known = try db.first(select, [.integer(present)]) { StoredUUID.text($0.value(0)) }
                return known.map { $0 < uuid } ?? true
            case .statement(let text):
                guard present < 0 else { return false }
                let select = "SELECT text FROM statements WHERE id = ?"
                guard let known = try db.first(select, [.integer(-present)], { $0.blob(0) }) ?? nil else { return true }
                return known.lexicographicallyPrecedes(text)
            }
        }
    }

    /// Where a fact lies.
    struct Place {
        let scope: Int64
        let original: String
        let key: String

        var values: [SQLValue] { [.integer(scope), .text(original), .text(key)] }
    }

    /// The version that is there.
    struct Present {
        let place: Place
        let signedDate: Milliseconds?
        let source: Int64?
        /// The Apple account's download of the app, as a transaction says.
        let account: String?

        init?(_ place: Place, kind: Int, _ db: Database) throws {
            let select = kind == 0 ? Self.renewal : Self.transaction
            let row = try db.first(select, place.values) { ($0.number(0), $0.number(1), $0.text(2)) }
            guard let row else { return nil }
            self.place = place
            (signedDate, source, account) = row
        }

        /// All that it says.
        func values(_ select: String, count: Int, _ db: Database) throws -> [SQLValue] {
            try db.first(select, place.values) { row in (0..<count).map { row.value(Int32(clamping: $0)) } } ?? []
        }

        private static let transaction = Fold.select(["signed_date", "source", "app_transaction_id"], kind: 1)
        private static let renewal = Fold.select(["signed_date", "source", "NULL"], kind: 0)
    }
}

extension Statement.Fact {
    /// The kind of its row in `facts`.
    var kind: Int64 {
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

extension SQLValue {
    /// Different for different values, to put them in some order that is always the same.
    fileprivate var orderingText: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .text(let text): "\"\(text)\""
        case .blob(let bytes): bytes.map { String(UnicodeScalar($0)) }.joined()
        }
    }
}
