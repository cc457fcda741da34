internal import AppStoreModels
package import Ledger

/// A change of a purchase's owner, from the point of view of one customer.
package struct CustomerChange: Sendable {
    package var originalTransactionID: String
    package var change: Ownership.Change
    /// Whether the customer lost the purchase.
    var isLoss: Bool

    package init(_ change: Ownership.Change, of original: String, for customer: String) {
        (originalTransactionID, self.change) = (original, change)
        isLoss = change.from.containsExactly(customer)
    }

    /// The type of the event about the change.
    package var type: EventType { change.from.isEmpty ? .purchaseLinked : .purchaseTransferred }
}

extension HeldPurchase {
    /// Returns all changes up to `instant` by which the customer gained or lost the purchase, oldest first.
    package func changes(for customer: String, until instant: Milliseconds) -> [CustomerChange] {
        ownership.changes
            .filter { change in
                change.instant <= instant
                    && (change.from.containsExactly(customer) || change.to.containsExactly(customer))
            }
            .map { CustomerChange($0, of: lineage.originalTransactionID, for: customer) }
    }
}
