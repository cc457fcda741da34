internal import AppStoreTrust
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
}

extension SQLiteStorage {
    /// Keeps and folds what an export holds, without events, in one transaction.
    func restore(_ facts: [RestoredFact]) async throws {
        var used: Set<Int64> = []
        for fact in facts {
            switch fact {
            case .notification(let notification): used.formUnion(notification.received.text.headers)
            case .statement(let statement): used.formUnion(statement.text.headers)
            case .claim: break
            }
        }
        let numbers = used
        let claims = Dictionary(grouping: facts.compactMap(\.claim), by: \.subject)
        try await write { db in
            try self.keep(numbers, db)
            for fact in facts {
                switch fact {
                case .notification(let notification): try Self.restore(notification, db)
                case .statement(let statement): try Fold.apply(statement, db)
                case .claim: break
                }
            }
            for (subject, claims) in claims { try ClaimTables.add(claims.map(\.event), to: subject, db) }
        }
        headers.noteKept(numbers)
    }

    private static func restore(_ notification: RestoredNotification, _ db: Database) throws {
        guard case .kept(let id) = try receive(notification.received, db) else { return }
        if var folded = notification.folded {
            folded.id = id
            try Fold.apply(folded, makingEvent: false, db)
        } else if let failure = notification.failure, !failure.isRetryable {
            try fail(id, "\(failure.code)", failure.reason, notification.received.receivedAt, db)
        }
    }
}

extension RestoredFact {
    fileprivate var claim: Claim? { if case .claim(let claim) = self { claim } else { nil } }
}
