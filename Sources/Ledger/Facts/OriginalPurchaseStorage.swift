/// Stores when customers first got the app.
package protocol OriginalPurchaseStorage: Sendable {
    /// Stores original purchases that replace the known one of the same Apple account.
    func store(_ purchases: [OriginalPurchase]) async throws

    /// Returns the original purchases of all Apple accounts that belong or ever belonged to a customer, with their
    /// ownership history, sorted by account.
    func originalPurchases(ownedBy customer: String, in scope: Int64) async throws -> [OwnedOriginalPurchase]
}

/// An original purchase of the app with its ownership history.
package struct OwnedOriginalPurchase: Sendable {
    package var purchase: OriginalPurchase
    package var ownership: Ownership

    package init(_ purchase: OriginalPurchase, _ ownership: Ownership) {
        (self.purchase, self.ownership) = (purchase, ownership)
    }
}
