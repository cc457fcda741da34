package import Entitlements

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

/// The data that affect a customer's entitlements beside purchases.
package struct EntitlementContext: Sendable, Hashable {
    /// The original purchases of the app.
    package var originalPurchases: [OriginalPurchaseFact] = []
    /// The grants of the team.
    package var grants: [GrantFact] = []
    /// The known subscription groups of the app.
    package var groups: Set<String> = []

    package init() {}
}

/// Reads the present data of a customer with one query: this is the most frequent request. The server sets no time
/// limit for a request that needs nothing else, so an engine that may have to wait needs a limit of its own.
package protocol EntitlementContextStorage: Sendable {
    func entitlementContext(of customer: String, in appEnvironment: AppEnvironment) async throws -> EntitlementContext

    /// Returns the context together with ``CustomerStorage/lineages(of:in:)``, from the same snapshot.
    func snapshot(
        of customer: String, in appEnvironment: AppEnvironment
    ) async throws -> (lineages: [Lineage], context: EntitlementContext)
}
