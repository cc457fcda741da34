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
        var scope: Int64
        var subject: String
        var customer: String
        var claimedAt: Milliseconds
        var isOfAccount: Bool

        init(
            _ scope: Int64, _ subject: String, _ customer: String, _ claimedAt: Milliseconds, isOfAccount: Bool
        ) {
            self.scope = scope
            self.subject = subject
            self.customer = customer
            self.claimedAt = claimedAt
            self.isOfAccount = isOfAccount
        }
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
        try await write { db in
            try self.keep(numbers, db)
            for fact in facts {
                switch fact {
                case .notification(let notification): try Self.restore(notification, db)
                case .statement(let statement): try Fold.apply(statement, db)
                case .claim(let claim): try Self.restore(claim, db)
                }
            }
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

    private static func restore(_ claim: RestoredFact.Claim, _ db: Database) throws {
        let (table, subject) =
            claim.isOfAccount ? ("account_claims", "app_transaction_id") : ("claims", "original_id")
        try db.execute(
            sql: "INSERT OR IGNORE INTO \(table) (scope, \(subject), customer, claimed_at) VALUES (?, ?, ?, ?)",
            arguments: [claim.scope, claim.subject, claim.customer, claim.claimedAt])
    }
}
