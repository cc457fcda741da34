package import Entitlements

/// Keeps when customers first got the app.
package protocol OriginalPurchaseStorage: Sendable {
    /// Keeps what is ahead of what is known of the same Apple account.
    func keep(_ purchases: [OriginalPurchase]) async throws

    /// Those of every Apple account that is, or was at any time, a customer's, with whose it was when, in the order of the
    /// accounts.
    func originalPurchasesHeld(by customer: String, in scope: Int64) async throws -> [HeldOriginalPurchase]
}

/// When somebody first got the app, and whose it was when.
package struct HeldOriginalPurchase: Sendable {
    package var subject: String
    package var kind: OriginalPurchase.Kind
    package var fact: OriginalPurchaseFact
    package var origin: Origin
    package var receivedAt: Milliseconds
    /// The exact text that was signed; of a receipt, what it says.
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

/// What concerns a customer beside the facts of purchases.
package struct CustomerCircumstances: Sendable, Hashable {
    /// When the customer first got the app.
    package var originalPurchases: [OriginalPurchaseFact] = []
    /// What the team gave the customer.
    package var grants: [GrantFact] = []
    /// The subscription groups that the app is known to have.
    package var groups: Set<String> = []

    package init() {}
}

/// Reads what concerns a customer at present, in one question: it is part of the answer that is asked for most.
package protocol CircumstanceStorage: Sendable {
    func circumstances(of customer: String, in scope: Scope) async throws -> CustomerCircumstances

    /// The same with ``CustomerStorage/lineages(of:in:)``, of one instant.
    func present(
        of customer: String, in scope: Scope
    ) async throws -> (lineages: [Lineage], circumstances: CustomerCircumstances)
}
