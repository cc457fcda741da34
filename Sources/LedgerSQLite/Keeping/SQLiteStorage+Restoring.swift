internal import Ledger
internal import AppStoreTrust
internal import Foundation
internal import GRDB

/// A notification of an export.
struct RestoredNotification: Sendable {
    var received: ReceivedNotification
    /// What it says.
    var folded: FoldedNotification?
    /// Why what is inside cannot be believed.
    var failure: VerificationError?
}

/// One line of an export, verified.
enum RestoredFact: Sendable {
    /// The app's word for whose a purchase is, or whatever an Apple account buys.
    struct Claim: Sendable {
        var subject: ClaimTables.Subject
        var event: ClaimEvent
    }

    case notification(RestoredNotification)
    case statement(Statement)
    case claim(Claim)
    case originalPurchase(OriginalPurchase)
    case grant(GrantedEvent)
    case erasure(Erasure, scope: Int64)

    /// Something that happened to a grant.
    struct GrantedEvent: Sendable {
        var scope: Int64
        var id: String
        var event: GrantEvent
    }
}

extension SQLiteStorage {
    /// Keeps and folds what an export holds, without events, in one transaction.
    func restore(_ facts: [RestoredFact], at now: Milliseconds) async throws {
        let texts = facts.map { headers.pack($0.text) }
        let claims = Dictionary(grouping: facts.compactMap(\.claim), by: \.subject)
        try await write(texts) { db in
            for (fact, text) in zip(facts, texts) {
                switch fact {
                case .notification(let notification): try self.restore(notification, text, db)
                case .statement(let statement): try Fold.apply(statement, text, db)
                case .originalPurchase(let purchase): try OriginalPurchaseTable.put(purchase, text, db)
                case .grant(let grant):
                    // What has ended before is not told.
                    try GrantTables.add([grant.event], to: grant.id, in: grant.scope, emittedUntil: now, db)
                case .erasure(let erasure, let scope): try ErasureTable.put(erasure, in: scope, db)
                case .claim: break
                }
            }
            for (subject, claims) in claims { try ClaimTables.add(claims.map(\.event), to: subject, db) }
        }
    }

    private func restore(_ notification: RestoredNotification, _ text: PackedText, _ db: Database) throws {
        guard case .kept(let id) = try receive(notification.received, text, db) else { return }
        if var folded = notification.folded {
            folded.id = id
            try Fold.apply(folded, makingEvent: false, db)
        } else if let failure = notification.failure, !failure.isRetryable {
            try Self.fail(id, "\(failure.code)", failure.message, notification.received.receivedAt, db)
        }
    }
}

extension RestoredFact {
    fileprivate var claim: Claim? { if case .claim(let claim) = self { claim } else { nil } }

    /// What was signed; empty for a claim.
    fileprivate var text: String {
        switch self {
        case .notification(let notification): notification.received.text
        case .statement(let statement): statement.text
        case .originalPurchase(let purchase): purchase.text
        case .claim, .grant, .erasure: ""
        }
    }
}
