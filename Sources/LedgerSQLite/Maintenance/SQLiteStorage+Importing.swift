internal import AppStoreModels
internal import AppStoreTrust
internal import GRDB
internal import Ledger

/// A notification in an export.
struct ImportedNotification: Sendable {
    var received: ReceivedNotification
    /// The notification with its verified parts; nil if they do not verify.
    var processed: ProcessedNotification?
    /// Why the signed parts do not verify.
    var failure: VerificationError?
}

/// A verified line of an export.
enum ImportedFact: Sendable {
    /// A claim of a purchase or an Apple account.
    struct Claim: Sendable {
        var subject: ClaimTables.Subject
        var event: ClaimEvent
    }

    case notification(ImportedNotification)
    case signedFact(SignedFact)
    case claim(Claim)
    case originalPurchase(OriginalPurchase)
    case grant(GrantedEvent)
    case erasure(Erasure, scope: Int64)

    /// An event of a grant.
    struct GrantedEvent: Sendable {
        var scope: Int64
        var id: String
        var event: GrantEvent
    }
}

extension SQLiteStorage {
    /// Stores and processes the facts of an export in one transaction, without creating events.
    func add(_ facts: [ImportedFact], at now: Milliseconds) async throws {
        let texts = facts.map { headers.pack($0.text) }
        let claims = Dictionary(grouping: facts.compactMap(\.claim), by: \.subject)
        let purchases = Dictionary(grouping: facts.compactMap(\.purchase)) { $0.scope }
        try await write(texts) { db in
            for (fact, text) in zip(facts, texts) {
                switch fact {
                case .notification(let notification): try self.add(notification, text, db)
                case .signedFact(let signedFact):
                    try FactProcessor.process([(signedFact, text)], isImported: true, self.headers, db)
                case .originalPurchase(let purchase):
                    try OriginalPurchaseTable.store(purchase, text, self.headers, db)
                case .grant(let grant):
                    // No event is created for a grant that has already expired.
                    try GrantTables.add([grant.event], to: grant.id, in: grant.scope, emittedUntil: now, db)
                case .erasure(let erasure, let scope): try ErasureTable.store(erasure, in: scope, db)
                case .claim: break
                }
            }
            for (subject, claims) in claims { try ClaimTables.add(claims.map(\.event), to: subject, db) }
            for (scope, purchases) in purchases {
                try Self.beginPass(overImported: purchases.map(\.original), in: scope, at: now, db)
            }
        }
    }

    /// Begins a pass over all purchases if an imported one is older than what the ledger has read of the notification
    /// history.
    private static func beginPass(
        overImported originals: [String], in scope: Int64, at now: Milliseconds, _ db: Database
    ) throws {
        let begun = try HistoryPass.overImported(
            in: scope, after: historyPass(in: scope, db), readSince: CompletenessTable.mark(of: scope, db)?.since,
            at: now)
        guard let (pass, limit) = begun else { return }
        let isOlder = try Set(originals.map { ExactText($0) }).contains { original in
            try summary(of: original.text, in: scope, db)?.mayLackChanges(before: limit, at: now) ?? false
        }
        if isOlder { try CompletenessTable.store(pass, db) }
    }

    private func add(_ notification: ImportedNotification, _ text: PackedText, _ db: Database) throws {
        guard case .stored(let id) = try receive(notification.received, text, db) else { return }
        if var processed = notification.processed {
            processed.id = id
            try FactProcessor.process(processed, isImported: true, db)
        } else if let failure = notification.failure, !failure.isRetryable {
            try Self.fail(id, "\(failure.code)", failure.message, notification.received.receivedAt, db)
        }
    }
}

extension ImportedFact {
    fileprivate var claim: Claim? { if case .claim(let claim) = self { claim } else { nil } }

    /// The original transaction identifier of the purchase that signed data are about.
    fileprivate var purchase: (scope: Int64, original: String)? {
        switch self {
        case .notification(let notification):
            notification.processed?.originalTransactionID.map { (notification.received.scope, $0) }
        case .signedFact(let signedFact): (signedFact.scope, signedFact.fact.originalTransactionID)
        case .claim, .originalPurchase, .grant, .erasure: nil
        }
    }

    /// The signed text, or the JSON of a receipt's fact; empty for other kinds.
    fileprivate var text: String {
        switch self {
        case .notification(let notification): notification.received.text
        case .signedFact(let signedFact): signedFact.text
        case .originalPurchase(let purchase): purchase.text
        case .claim, .grant, .erasure: ""
        }
    }
}
