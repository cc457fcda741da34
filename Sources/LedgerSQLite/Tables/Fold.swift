internal import AppStoreModels
internal import Ledger
internal import Entitlements
internal import Foundation
internal import GRDB

/// Puts facts where they belong, and makes the events of them. What stays of two versions is for ``LineageRecord`` to say.
enum Fold {
    /// Puts in what a notification says, and makes the event of it, once.
    static func apply(_ notification: FoldedNotification, makingEvent: Bool = true, _ db: Database) throws {
        try db.run("DELETE FROM inbox WHERE id = ?", [.integer(notification.id)])
        let waited = db.changesCount > 0
        let source = try Source(notification, db)
        let outcome = try put(notification, source, db)
        for replaced in outcome.replaced { try drop(replaced, db) }
        if let transaction = notification.transaction {
            try ProductGroupTable.learn(transaction, in: notification.scope, db)
        }
        guard waited, outcome.isNew, makingEvent else { return }
        var event = LedgerEvent(notification, number: source.id)
        event.isLate = outcome.isLate
        try OutboxTable.add(event, owner: outcome.owner, db)
        try ConsumptionTables.record(notification, db)
    }

    /// Puts in what came by itself; false when it was no news.
    @discardableResult
    static func apply(_ statement: Statement, _ text: PackedText, _ db: Database) throws -> Bool {
        try db.run(
            """
            INSERT INTO statements (scope, kind, original_id, key, signed_date, received_at, origin, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(statement.scope), .integer(statement.kind.rawValue),
                .text(statement.fact.originalTransactionID),
                .text(statement.fact.key), .integer(statement.fact.signedDate.milliseconds),
                .integer(statement.receivedAt), .integer(statement.origin.rawValue), .blob(text.bytes),
            ])
        let source = Source(statement: db.lastInsertedRowID, text: text.bytes, kind: statement.kind)
        let outcome = try put(statement.fact, in: statement.scope, source, db)
        try drop(outcome.isNews ? outcome.replaced : source.id, db)
        if case .transaction(let fact) = statement.fact {
            try ProductGroupTable.learn(fact, in: statement.scope, db)
        }
        return outcome.isNews
    }

    /// What became of a notification.
    struct NotificationOutcome {
        /// Whether it was not known before.
        var isNew = true
        /// Where the versions were from that it has replaced.
        var replaced: [Int64] = []
        /// Whose the purchase is by what the App Store says.
        var owner: Lineage?
        /// Whether a newer one about the same purchase was known before it.
        var isLate = false
    }

    /// Puts in what a notification says, and that there is one.
    static func put(
        _ notification: FoldedNotification, _ source: Source, _ db: Database
    ) throws -> NotificationOutcome {
        var outcome = NotificationOutcome()
        let facts: [Statement.Fact] =
            (notification.transaction.map { [.transaction($0)] } ?? [])
            + (notification.renewal.map { [.renewal($0)] } ?? [])
        // Both are about one purchase, unless the App Store should ever say otherwise.
        var originals: [String] = []
        for fact in facts where !originals.containsExactly(fact.originalTransactionID) {
            originals.append(fact.originalTransactionID)
        }
        for (place, original) in originals.enumerated() {
            let isFirst = place == 0
            try LineageTable.update(original, in: notification.scope, db) { record in
                if isFirst {
                    outcome.isLate = record.isLate(signedDate: notification.signedDate)
                    outcome.isNew = record.addMention(of: source.id, signedDate: notification.signedDate)
                }
                for fact in facts where fact.originalTransactionID.isExactly(original) {
                    if let replaced = try record.put(fact, source.of(db)).replaced { outcome.replaced.append(replaced) }
                }
                if isFirst { outcome.owner = record.lineage }
            }
        }
        return outcome
    }

    /// Puts in a fact of either kind.
    static func put(
        _ fact: Statement.Fact, in scope: Int64, _ source: Source, _ db: Database
    ) throws -> LineageRecord.Outcome {
        try LineageTable.update(fact.originalTransactionID, in: scope, db) { try $0.put(fact, source.of(db)) }
    }

    /// Drops a statement that another text has replaced. Notifications stay for good.
    private static func drop(_ source: Int64?, _ db: Database) throws {
        guard let statement = source.flatMap(FactSource.init(code:))?.statement else { return }
        try db.run("DELETE FROM statements WHERE id = ?", [.integer(statement)])
    }
}

extension Fold {
    /// The text that facts are from.
    struct Source {
        enum Key {
            case notification(uuid: String)
            case statement(Data)
        }

        /// By its ``FactSource/code``.
        let id: Int64
        /// What settles a tie: row numbers hang on the order of arrival.
        let key: Key
        /// Whether it is of a receipt.
        let isReceipt: Bool

        /// A statement, by its number.
        init(statement number: Int64, text: Data, kind: Statement.Kind) {
            id = FactSource.statement(number).code
            key = .statement(text)
            isReceipt = kind == .receipt
        }

        /// A notification. What is from another text of one is from the notification too.
        init(_ notification: FoldedNotification, _ db: Database) throws {
            key = .notification(uuid: notification.uuid)
            isReceipt = false
            guard notification.id < 0, notification.id != .min else {
                id = notification.id
                return
            }
            id =
                try db.first("SELECT notification FROM other_texts WHERE id = ?", [.integer(-notification.id)]) {
                    $0.number(0)
                } ?? 0
        }

        /// The same for a record, which knows no database.
        func of(_ db: Database) -> LineageRecord.Source {
            LineageRecord.Source(id: id, isReceipt: isReceipt, wasReceipt: { try Self.isReceipt($0, db) }) {
                try isAhead(of: $0, db)
            }
        }

        private static func isReceipt(_ source: Int64, _ db: Database) throws -> Bool {
            guard let statement = FactSource(code: source)?.statement else { return false }
            let select = "SELECT kind FROM statements WHERE id = ?"
            return try db.number(select, [.integer(statement)]) == Statement.Kind.receipt.rawValue
        }

        /// Whether a fact is from here when both texts say the same. Notifications come first, since they are kept anyway.
        private func isAhead(of present: Int64, _ db: Database) throws -> Bool {
            switch (key, FactSource(code: present)) {
            case (_, nil), (.notification, .statement): return true
            case (.statement, .notification): return false
            case (.notification(let uuid), .notification(let number)):
                let select = "SELECT uuid FROM notifications WHERE id = ?"
                let known = try db.first(select, [.integer(number)]) { StoredUUID.text($0.value(0)) }
                return known.map { $0 < uuid } ?? true
            case (.statement(let text), .statement(let number)):
                let select = "SELECT text FROM statements WHERE id = ?"
                guard let known = try db.first(select, [.integer(number)], { $0.blob(0) }) else { return true }
                return known.lexicographicallyPrecedes(text)
            }
        }
    }
}

extension Statement.Fact {
    /// The key of its row in `statements`.
    var key: String {
        switch self {
        case .transaction(let fact): fact.transactionID
        case .renewal: ""
        }
    }
}
