internal import AppStoreModels
package import Ledger

/// A purchase came to a customer, or went from them.
package struct CustomerChange: Sendable {
    package var originalTransactionID: String
    package var change: Ownership.Change
    /// Whether the customer had it and has it no more.
    var isLoss: Bool

    package init(_ change: Ownership.Change, of original: String, for customer: String) {
        (originalTransactionID, self.change) = (original, change)
        isLoss = change.from.containsExactly(customer)
    }

    /// The name of the event that tells of it.
    package var type: EventType { change.from.isEmpty ? .purchaseLinked : .purchaseTransferred }
}

extension HeldPurchase {
    /// Whenever it came to a customer or went from them until an instant, in the order of time.
    package func changes(for customer: String, until instant: Milliseconds) -> [CustomerChange] {
        ownership.changes
            .filter { change in
                change.instant <= instant
                    && (change.from.containsExactly(customer) || change.to.containsExactly(customer))
            }
            .map { CustomerChange($0, of: lineage.originalTransactionID, for: customer) }
    }
}
