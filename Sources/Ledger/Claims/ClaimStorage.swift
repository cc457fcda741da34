package import Entitlements

/// A statement by the app that purchases belong to a customer.
package struct Claim: Sendable, Hashable {
    package var customer: String
    package var scope: Int64
    /// The original transaction identifiers of the subscriptions and purchases.
    package var originalTransactionIDs: [String]
    /// The app transaction identifier of an Apple account, to claim everything that the account buys.
    package var appTransactionID: String?
    /// The app transaction identifier of the Apple account of the app's session. Purchases of other Apple accounts are
    /// refused. Nil for requests of a backend or of a customer who has signed in.
    package var sessionAccount: String?
    /// What happens to purchases of other customers.
    package var policy: RestorePolicy
    /// Whether the claim may override the account token of another customer that the App Store signed.
    package var overridesNamedAccount: Bool
    /// Whether the claim continues without refused purchases. Otherwise one refusal refuses the whole claim.
    package var skipsRefused = false
    /// Whether the whole claim is refused if all of its purchases are.
    package var needsPurchase = false
    /// Whether the team makes the claim. Then ``OwnerChangeLimit`` does not apply, and the customer becomes the only
    /// owner of the purchases whatever the policy is.
    package var isByTeam = false
    /// The claim is refused if the customer was erased after this instant: the last erasure that was known when the app
    /// made the request.
    package var erasuresKnownUntil = Milliseconds.max
    package var claimedAt: Milliseconds

    package init(
        customer: String, scope: Int64, originalTransactionIDs: [String], appTransactionID: String? = nil,
        sessionAccount: String? = nil, policy: RestorePolicy, overridesNamedAccount: Bool = false,
        skipsRefused: Bool = false,
        needsPurchase: Bool = false, isByTeam: Bool = false, erasuresKnownUntil: Milliseconds = .max,
        claimedAt: Milliseconds
    ) {
        self.customer = customer
        self.scope = scope
        self.originalTransactionIDs = originalTransactionIDs
        self.appTransactionID = appTransactionID
        self.sessionAccount = sessionAccount
        self.policy = policy
        self.overridesNamedAccount = overridesNamedAccount
        self.skipsRefused = skipsRefused
        self.needsPurchase = needsPurchase
        self.isByTeam = isByTeam
        self.erasuresKnownUntil = erasuresKnownUntil
        self.claimedAt = claimedAt
    }
}

/// The result of a claim.
package enum ClaimOutcome: Sendable, Hashable {
    /// The customer owns these purchases now, including those that the customer owned before. Sorted, without
    /// duplicates.
    case granted([String])
    /// A purchase or the Apple account belongs to another customer; nothing has changed.
    case inUse(ClaimRefusal)
    /// The customer was erased after the app's request; nothing has changed.
    case overtaken
}

/// Stores claims and reads who owns a purchase.
package protocol ClaimStorage: Sendable {
    /// Decides a claim by ``ClaimDecision`` in one transaction, so concurrent claims see all of its changes or none.
    ///
    /// A purchase without an owner becomes the customer's, with the event `purchase.linked`. A purchase of the customer
    /// does not change. A purchase of another customer, by a claim or by the account that the app named at the
    /// purchase, is decided by the policy; the claim must explicitly allow to override a named account. An Apple
    /// account has one customer: with the policy `share` it stays with the first. A claim with a session gets no
    /// purchase of another Apple account. A purchase or an account that reached ``OwnerChangeLimit`` stays with its
    /// owners.
    ///
    /// The pending consumption requests about purchases that move are scheduled again, because the new owner may have
    /// reported the use that an answer needs.
    ///
    /// - Parameters:
    ///   - givesAccess: Whether a purchase gives access at present. It also gets the subscriptions that continue the
    ///     purchase.
    ///   - originalGivesAccess: Whether an original purchase of the app gives access at present.
    func claim(
        _ claim: Claim, givesAccess: @escaping @Sendable (SucceededPurchase) -> Bool,
        originalGivesAccess: @escaping @Sendable (OriginalPurchaseFact) -> Bool
    ) async throws -> ClaimOutcome

    /// Transfers everything that one customer owns to another by ``ClaimDecision``, in one transaction, with the events
    /// `purchase.transferred`. Usage reports move too (see ``UsageReport/moved(to:at:)``). Repeating the call changes
    /// nothing.
    ///
    /// - Parameter erasuresKnownUntil: Nothing changes if `customer` was erased after this instant, as with
    ///   ``Claim/erasuresKnownUntil``.
    /// - Returns: The purchases that moved; nil if `customer` was erased.
    func merge(
        _ from: String, into customer: String, in scope: Int64, at now: Milliseconds, erasuresKnownUntil: Milliseconds
    ) async throws -> Set<String>?

    /// Returns all purchases of the Apple accounts that bought these purchases, including these, sorted by identifier.
    func sameAccountPurchases(of originalTransactionIDs: [String], in scope: Int64) async throws -> [Lineage]

    /// Returns the original transaction identifiers of the same purchases. Unlike ``sameAccountPurchases(of:in:)``, the
    /// result includes requested identifiers that the ledger does not know.
    func identifiersOfSameAccountPurchases(of originalTransactionIDs: [String], in scope: Int64) async throws
        -> [String]

    /// Returns every purchase that a customer owns or ever owned, with its ownership history, sorted by identifier.
    func purchases(ownedBy customer: String, in scope: Int64) async throws -> [OwnedPurchase]
}

extension ClaimStorage {
    /// Decides a claim without regard to original purchases of the app.
    package func claim(
        _ claim: Claim, givesAccess: @escaping @Sendable (SucceededPurchase) -> Bool
    ) async throws -> ClaimOutcome {
        try await self.claim(claim, givesAccess: givesAccess, originalGivesAccess: { _ in false })
    }

    /// Transfers everything that one customer owns to another, whether that one was erased before or not.
    package func merge(
        _ from: String, into customer: String, in scope: Int64, at now: Milliseconds
    ) async throws -> Set<String> {
        try await merge(from, into: customer, in: scope, at: now, erasuresKnownUntil: .max) ?? []
    }
}

/// A purchase with its ownership history.
package struct OwnedPurchase: Sendable, Hashable {
    package var lineage: Lineage
    package var ownership: Ownership

    package init(lineage: Lineage, ownership: Ownership) {
        self.lineage = lineage
        self.ownership = ownership
    }
}
