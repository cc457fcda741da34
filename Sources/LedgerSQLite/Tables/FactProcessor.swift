internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import GRDB
internal import Ledger

/// Adds facts to records, and creates their events. ``LineageRecord`` decides which version of a fact stays.
enum FactProcessor {
    /// Processes a notification, and creates its event once.
    ///
    /// - Parameter isImported: Whether the notification is from an export. Then neither it nor a change of owner has an
    ///   event, and the erasures are applied at the end of the import, when all claims are known.
    static func process(
        _ notification: ProcessedNotification, isImported: Bool = false, _ db: Database
    ) throws {
        try db.run("DELETE FROM inbox WHERE id = ?", [.integer(notification.id)])
        var waited = db.changesCount > 0
        if !waited {
            try db.run("DELETE FROM failures WHERE id = ?", [.integer(notification.id)])
            waited = db.changesCount > 0
        }
        let source = try LineageRecord.Source(notification, db)
        let outcome = try add(notification, source, db)
        for replaced in outcome.replaced { try drop(replaced, db) }
        if let transaction = notification.transaction {
            try ProductGroupTable.add(groupOf: transaction, in: notification.scope, db)
        }
        guard !isImported else { return }
        if let purchase = outcome.lineage, let former = outcome.former {
            try ErasureTable.disown(purchase, in: notification.scope, db)
            try SQLiteStorage.emitEvent(
                from: former, to: purchase, learned: notification.processedAt, in: notification.scope, db)
        }
        let event = try LedgerEvent(
            of: notification, number: source.id, waited: waited, isNew: outcome.isNew, isLate: outcome.isLate
        ) { try ClaimTables.ownership(ofAccount: $0, in: notification.scope, db).customer }
        guard let event else { return }
        try OutboxTable.add(event, owner: outcome.lineage, db)
        try ConsumptionTables.record(notification, db)
    }

    /// Processes signed facts that came without a notification; returns how many of them changed the ledger.
    ///
    /// Apps and the App Store repeat the same facts, so a fact is written only if its record takes it. The facts about
    /// one purchase change its record together, because the record of several years is long.
    ///
    /// - Parameter isImported: As with notifications.
    @discardableResult
    static func process(
        _ signedFacts: [(SignedFact, PackedText)], isImported: Bool = false, _ headers: HeaderRegistry, _ db: Database
    ) throws -> Int {
        var count = 0
        let purchases = Dictionary(grouping: signedFacts) { signedFact, _ in
            ClaimTables.Subject.purchase(signedFact.fact.originalTransactionID, in: signedFact.scope)
        }
        let inOrder = purchases.sorted {
            ($0.key.scope, ExactText($0.key.identifier)) < ($1.key.scope, ExactText($1.key.identifier))
        }
        for (purchase, facts) in inOrder {
            let (former, present) = try LineageTable.update(purchase.identifier, in: purchase.scope, db) {
                record -> (Lineage, Lineage) in
                let former = record.lineage.withoutFacts
                for (signedFact, text) in facts {
                    if try add(signedFact, text, headers, to: &record, db) { count += 1 }
                }
                return (former, record.lineage)
            }
            guard !isImported else { continue }
            try ErasureTable.disown(present, in: purchase.scope, db)
            let now = facts.map(\.0.receivedAt).max() ?? 0
            try SQLiteStorage.emitEvent(from: former, to: present, learned: now, in: purchase.scope, db)
        }
        for (signedFact, _) in signedFacts {
            guard case .transaction(let fact) = signedFact.fact else { continue }
            try ProductGroupTable.add(groupOf: fact, in: signedFact.scope, db)
        }
        return count
    }

    /// Adds a signed fact to the record, and stores its text if the record takes it; returns false if not.
    private static func add(
        _ signedFact: SignedFact, _ text: PackedText, _ headers: HeaderRegistry, to record: inout LineageRecord,
        _ db: Database
    ) throws -> Bool {
        // The number that SQLite assigns to the next row.
        let number = try db.number("SELECT coalesce(max(id), 0) + 1 FROM statements", []) ?? 1
        let source = LineageRecord.Source(
            signedFact: number, text: signedFact.text, kind: signedFact.kind, headers, db)
        let outcome = try record.add(signedFact.fact, source)
        guard outcome.isNew else { return false }
        try db.run(
            """
            INSERT INTO statements (id, scope, kind, original_id, key, signed_date, received_at, origin, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(number), .integer(signedFact.scope), .integer(signedFact.kind.rawValue),
                .text(signedFact.fact.originalTransactionID),
                .text(signedFact.fact.key), .integer(signedFact.fact.signedDate.milliseconds),
                .integer(signedFact.receivedAt), .integer(signedFact.origin.rawValue), .blob(text.bytes),
            ])
        try drop(outcome.replaced, db)
        return true
    }

    /// Adds a notification and its facts to the records.
    static func add(
        _ notification: ProcessedNotification, _ source: LineageRecord.Source, _ db: Database
    ) throws -> NotificationOutcome {
        if let account = notification.account {
            let mention = LineageRecord.Mention(notification: source.id, signedDate: notification.signedDate)
            try AccountNotificationTable.add(mention, about: account, in: notification.scope, db)
        }
        var outcome = NotificationOutcome()
        for original in notification.originals {
            try LineageTable.update(original, in: notification.scope, db) {
                try $0.add(notification, source, &outcome)
            }
        }
        return outcome
    }

    /// Adds a fact of either kind to its record.
    static func add(
        _ fact: SignedFact.Fact, in scope: Int64, _ source: LineageRecord.Source, _ db: Database
    ) throws -> LineageRecord.Outcome {
        try LineageTable.update(fact.originalTransactionID, in: scope, db) { try $0.add(fact, source) }
    }

    /// Deletes a signed fact that was replaced by another text. Notifications are never deleted.
    private static func drop(_ source: Int64?, _ db: Database) throws {
        guard let signedFact = source.flatMap(FactSource.init(code:))?.signedFact else { return }
        try db.run("DELETE FROM statements WHERE id = ?", [.integer(signedFact)])
    }
}

extension LineageRecord.Source {
    /// Creates the source of a signed fact.
    init(signedFact number: Int64, text: String, kind: SignedFact.Kind, _ headers: HeaderRegistry, _ db: Database) {
        self.init(
            .signedFact(number), key: text, isReceipt: kind == .receipt, wasReceipt: { try Self.isReceipt($0, db) }
        ) { number in
            let select = "SELECT text FROM statements WHERE id = ?"
            return try db.first(select, [.integer(number)]) { $0.blob(0) }.flatMap { headers.unpack($0) }
        }
    }

    /// Creates the source of a notification. For a different text with a known UUID, this is the stored notification.
    init(_ notification: ProcessedNotification, _ db: Database) throws {
        let stored =
            switch InboxText(code: notification.id) {
            case .notification(let number): number
            case .otherText(let number):
                try db.number("SELECT notification FROM other_texts WHERE id = ?", [.integer(number)]) ?? 0
            }
        self.init(.notification(stored), key: notification.uuid, wasReceipt: { try Self.isReceipt($0, db) }) {
            try StoredUUID.ofNotification($0, db)
        }
    }

    private static func isReceipt(_ source: Int64, _ db: Database) throws -> Bool {
        guard let signedFact = FactSource(code: source)?.signedFact else { return false }
        let select = "SELECT kind FROM statements WHERE id = ?"
        return try db.number(select, [.integer(signedFact)]) == SignedFact.Kind.receipt.rawValue
    }
}

extension SignedFact.Fact {
    /// The value of the column `key` in `statements`.
    var key: String {
        switch self {
        case .transaction(let fact): fact.transactionID
        case .renewal: ""
        }
    }
}
