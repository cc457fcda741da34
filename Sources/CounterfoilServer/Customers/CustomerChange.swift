internal import Ledger
internal import Basics

/// A purchase came to a customer, or went from them.
struct CustomerChange: Sendable {
    var originalTransactionId: String
    var change: Ownership.Change
    /// Whether the customer had it and has it no more.
    var isLoss: Bool

    init(_ change: Ownership.Change, of original: String, for customer: String) {
        (originalTransactionId, self.change) = (original, change)
        isLoss = change.from.containsName(customer)
    }

    /// The name of the event that tells of it.
    var type: EventType { change.from.isEmpty ? .purchaseLinked : .purchaseTransferred }
}

extension HeldPurchase {
    /// Whenever it came to a customer or went from them until an instant, in the order of time.
    func changes(for customer: String, until instant: Milliseconds) -> [CustomerChange] {
        ownership.changes
            .filter { change in
                change.instant <= instant && (change.from.containsName(customer) || change.to.containsName(customer))
            }
            .map { CustomerChange($0, of: lineage.originalTransactionId, for: customer) }
    }
}

extension JSONWriter {
    /// The members of a change.
    ///
    /// - Parameter naming: Whether who asks may know of other customers.
    mutating func members(of change: CustomerChange, naming: Bool) {
        member("type", change.type.rawValue)
        member("sentence", TimelineSentence.text(change, naming: naming))
        member("original_transaction_id", change.originalTransactionId)
        guard naming else { return }
        member("from", change.change.from) { $0.string($1) }
        member("to", change.change.to) { $0.string($1) }
    }

    /// The texts that do not count, if there are any.
    mutating func unverified(_ texts: [UnverifiedText]) {
        guard !texts.isEmpty else { return }
        member("unverified", texts) { json, text in
            json.object { json in
                json.member("object", "unverified_text")
                json.member("notification_uuid", text.notification)
                json.member("original_transaction_id", text.originalTransactionId)
                json.member("code", text.code)
                json.member("message", text.reason)
            }
        }
    }
}
