internal import AppStoreModels

/// What a claim does to one of the things that it names: ``ClaimDecision``, and what a refusal means for the whole claim.
package enum ClaimStep: Sendable, Hashable {
    /// It is the customer's already.
    case isOwned
    /// It becomes the customer's by these events; `from` had it before and have it no more.
    case moves([ClaimEvent], from: [String])
    /// It stays with whom it belongs to, and the claim goes on without it.
    case isLeftOut
    /// It stays with whom it belongs to, and so does everything else that the claim names.
    case refusesClaim
}

extension Claim {
    /// Decides about a purchase that the claim names.
    ///
    /// - Parameter lineage: What is known of the purchase; nil for nothing.
    package func step(
        purchase lineage: Lineage?, _ ownership: Ownership, givesAccess: (Lineage) -> Bool
    ) -> ClaimStep {
        if isNamedForAnother(lineage), !ownership.owners.containsName(customer) { return refused }
        return step(
            ClaimDecision.purchase(
                ownership, for: customer, policy: policy, at: claimedAt,
                mayTake: { lineage.map { !givesAccess($0) } ?? true }))
    }

    /// Decides about the Apple account that the claim names.
    ///
    /// - Parameter purchases: The purchases that go where the account goes.
    package func step(
        account: ClaimHistory, with purchases: () throws -> [Lineage], givesAccess: (Lineage) -> Bool
    ) rethrows -> ClaimStep {
        let decision = try ClaimDecision.account(
            account, for: customer, policy: policy, at: claimedAt,
            mayTake: { try purchases().allSatisfy { !givesAccess($0) } })
        // Purchases can be shared and an Apple account cannot: where the policy is to share, it stays with its first customer,
        // and that is no reason to refuse the purchases.
        if decision == .isRefused, policy == .share { return .isLeftOut }
        return step(decision)
    }

    /// Whether the App Store signed a purchase for another account than the customer's, and that counts.
    private func isNamedForAnother(_ lineage: Lineage?) -> Bool {
        guard !takesNamed, let token = lineage?.appAccountToken else { return false }
        return !token.text.isExactly(customer)
    }

    private var refused: ClaimStep { skipsRefused ? .isLeftOut : .refusesClaim }

    private func step(_ decision: ClaimDecision) -> ClaimStep {
        switch decision {
        case .isOwned: .isOwned
        case .isRefused: refused
        case .moves(let events, let from): .moves(events, from: from)
        }
    }
}
