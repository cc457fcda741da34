package import Entitlements

/// The app's word that purchases belong to a customer.
package struct Claim: Sendable, Hashable {
    package var customer: String
    package var scope: Int64
    /// Subscriptions and purchases, by original transaction.
    package var originalTransactionIDs: [String]
    /// The Apple account's download of the app, to claim whatever it buys.
    package var appTransactionID: String?
    /// The Apple account, by its app transaction, that the app's session is of: what another one bought is not had. Nil where
    /// a backend asks, or a customer who has signed in.
    package var sessionAccount: String?
    /// What happens to what another customer has.
    package var policy: RestorePolicy
    /// Whether what the App Store signed for another account, by its account token, may be had at all.
    package var takesNamed: Bool
    /// Whether what may not be had is left out. Otherwise it is all or nothing.
    package var skipsRefused = false
    /// Whether the claim is refused as a whole when every purchase that it names is.
    package var needsPurchase = false
    /// Until when erasures of the customer were known when the app asked. Nothing is claimed for a customer who was
    /// erased later than that.
    package var erasuresKnownUntil = Milliseconds.max
    package var claimedAt: Milliseconds

    package init(
        customer: String, scope: Int64, originalTransactionIDs: [String], appTransactionID: String? = nil,
        sessionAccount: String? = nil, policy: RestorePolicy, takesNamed: Bool = false, skipsRefused: Bool = false,
        needsPurchase: Bool = false, erasuresKnownUntil: Milliseconds = .max, claimedAt: Milliseconds
    ) {
        self.customer = customer
        self.scope = scope
        self.originalTransactionIDs = originalTransactionIDs
        self.appTransactionID = appTransactionID
        self.sessionAccount = sessionAccount
        self.policy = policy
        self.takesNamed = takesNamed
        self.skipsRefused = skipsRefused
        self.needsPurchase = needsPurchase
        self.erasuresKnownUntil = erasuresKnownUntil
        self.claimedAt = claimedAt
    }
}

/// What became of a claim.
package enum ClaimOutcome: Sendable, Hashable {
    /// These belong to the customer now, some of them perhaps before.
    case granted(Set<String>)
    /// Something belongs to another customer and stays there; nothing has changed.
    case inUse
    /// The customer was erased after the app asked; nothing has changed.
    case overtaken
}

/// Keeps whose a purchase is.
package protocol ClaimStorage: Sendable {
    /// Decides a claim by ``ClaimDecision``, in one transaction: who comes at the same time finds all of it or nothing.
    ///
    /// What belongs to nobody becomes the customer's, with the event `purchase.linked`. What belongs to the customer stays
    /// as it is. What belongs to another, by a claim or by the account that the app named when it was bought, is decided by
    /// the policy; what the app named another account for only if the claim says so. An Apple account has one customer:
    /// where the policy is to share, it stays with the first. A session gets nothing that another Apple account bought.
    ///
    /// The App Store's questions about what moves are looked at again: whose it is now may have said what the answer needs.
    ///
    /// - Parameters:
    ///   - givesAccess: Whether a purchase gives access at present.
    ///   - originalGivesAccess: Whether it gives access at present that a customer first got the app when they did.
    func claim(
        _ claim: Claim, givesAccess: @escaping @Sendable (Lineage) -> Bool,
        originalGivesAccess: @escaping @Sendable (OriginalPurchaseFact) -> Bool
    ) async throws -> ClaimOutcome

    /// Gives everything that one customer has to another by ``ClaimDecision``, in one transaction, with the events
    /// `purchase.transferred`. Doing it again changes nothing.
    ///
    /// - Returns: The purchases that moved.
    func merge(
        _ from: String, into customer: String, in scope: Int64, at now: Milliseconds
    ) async throws -> Set<String>

    /// All that the Apple accounts have that these purchases are of, those included, in the order of their identifiers.
    func relatives(of originalTransactionIDs: [String], in scope: Int64) async throws -> [Lineage]

    /// The original transactions of the same; of those included also what is not known.
    func identifiersOfRelatives(of originalTransactionIDs: [String], in scope: Int64) async throws -> [String]

    /// Every purchase that a customer has, or had at any time, with whose it was when, in the order of their identifiers.
    func purchasesHeld(by customer: String, in scope: Int64) async throws -> [HeldPurchase]
}

extension ClaimStorage {
    /// Decides a claim for which it does not matter when customers first got the app.
    package func claim(
        _ claim: Claim, givesAccess: @escaping @Sendable (Lineage) -> Bool
    ) async throws -> ClaimOutcome {
        try await self.claim(claim, givesAccess: givesAccess, originalGivesAccess: { _ in false })
    }
}

/// A purchase and whose it was when.
package struct HeldPurchase: Sendable, Hashable {
    package var lineage: Lineage
    package var ownership: Ownership

    package init(lineage: Lineage, ownership: Ownership) {
        self.lineage = lineage
        self.ownership = ownership
    }
}
