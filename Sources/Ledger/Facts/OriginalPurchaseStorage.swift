package import Entitlements

/// Stores when customers first got the app.
package protocol OriginalPurchaseStorage: Sendable {
    /// Stores original purchases that replace the known one of the same Apple account.
    func store(_ purchases: [OriginalPurchase]) async throws

    /// Returns the original purchases of all Apple accounts that belong or ever belonged to a customer, with their
    /// ownership history, sorted by account.
    func originalPurchasesHeld(by customer: String, in scope: Int64) async throws -> [HeldOriginalPurchase]
}

/// An original purchase of the app with its ownership history.
package struct HeldOriginalPurchase: Sendable {
    package var subject: String
    package var kind: OriginalPurchase.Kind
    package var fact: OriginalPurchaseFact
    package var origin: Origin
    package var receivedAt: Milliseconds
    /// The signed text; for a receipt the JSON of an ``OriginalPurchaseText``.
    package var text: String
    package var ownership: Ownership

    package init(
        subject: String, kind: OriginalPurchase.Kind, fact: OriginalPurchaseFact, origin: Origin,
        receivedAt: Milliseconds, text: String, ownership: Ownership
    ) {
        self.subject = subject
        self.kind = kind
        self.fact = fact
        self.origin = origin
        self.receivedAt = receivedAt
        self.text = text
        self.ownership = ownership
    }
}

/// The data that affect a customer's entitlements beside purchases.
package struct CustomerCircumstances: Sendable, Hashable {
    /// The original purchases of the app.
    package var originalPurchases: [OriginalPurchaseFact] = []
    /// The grants of the team.
    package var grants: [GrantFact] = []
    /// The known subscription groups of the app.
    package var groups: Set<String> = []

    package init() {}
}

/// Reads the present data of a customer with one query: this is the most frequent request.
package protocol CircumstanceStorage: Sendable {
    func circumstances(of customer: String, in scope: AppEnvironment) async throws -> CustomerCircumstances

    /// Returns the circumstances together with ``CustomerStorage/lineages(of:in:)``, from the same snapshot.
    func snapshot(
        of customer: String, in scope: AppEnvironment
    ) async throws -> (lineages: [Lineage], circumstances: CustomerCircumstances)
}
