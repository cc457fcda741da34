internal import AppStoreModels

/// A change of a purchase's owner, from the point of view of one customer.
package struct CustomerChange: Sendable {
    package var originalTransactionID: String
    package var change: Ownership.Change
    /// Whether the customer lost the purchase.
    package var isLoss: Bool
    /// Whether the customer lost the purchase because the customer was erased.
    package var isErasure: Bool

    package init(_ change: Ownership.Change, of original: String, for customer: String, in bundleID: String) {
        (originalTransactionID, self.change) = (original, change)
        isLoss = change.from.containsExactly(customer)
        isErasure = isLoss && change.to.containsExactly(Erasure.standIn(for: customer, in: bundleID))
    }

    /// The type of the event about the change.
    package var type: EventType { .ofChange(from: change.from) }
}

extension OwnedPurchase {
    /// Returns all changes up to `instant` by which the customer gained or lost the purchase, oldest first.
    package func changes(
        for customer: String, in bundleID: String, until instant: Milliseconds
    ) -> [CustomerChange] {
        ownership.changes(for: customer).filter { $0.instant <= instant }
            .map { CustomerChange($0, of: lineage.originalTransactionID, for: customer, in: bundleID) }
    }
}
