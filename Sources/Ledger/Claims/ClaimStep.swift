internal import AppStoreModels
internal import Entitlements

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
        if isNamedForAnother(lineage), !ownership.owners.containsExactly(customer) { return refused }
        if isOfAnotherAccount(lineage), !ownership.owners.containsExactly(customer) { return refused }
        return step(
            ClaimDecision.purchase(
                ownership, for: customer, policy: policy, at: claimedAt,
                mayTake: { lineage.map { !givesAccess($0) } ?? true }))
    }

    /// Decides about the Apple account that the claim names.
    ///
    /// - Parameters:
    ///   - purchases: All that the account bought, with whose each is.
    ///   - givesAccess: Whether a purchase gives access.
    ///   - originalGivesAccess: Whether it gives access that the account's customer first got the app when they did.
    package func step(
        account: ClaimHistory, bought purchases: () throws -> [HeldPurchase], givesAccess: (Lineage) -> Bool,
        originalGivesAccess: () throws -> Bool
    ) rethrows -> ClaimStep {
        let owners = account.owners.map(\.customer)
        let decision = try ClaimDecision.account(
            account, for: customer, policy: policy, at: claimedAt,
            mayTake: {
                if try originalGivesAccess() { return false }
                // What somebody else has of it is no reason to leave the account with its customer.
                return try purchases().allSatisfy { !$0.isHeld(byAnyOf: owners) || !givesAccess($0.lineage) }
            })
        // Purchases can be shared and an Apple account cannot: where the policy is to share, it stays with its first customer,
        // and that is no reason to refuse the purchases.
        if decision == .isRefused, policy == .share { return .isLeftOut }
        return step(decision)
    }

    /// Whether the claim is refused as a whole, given which of the purchases that it names become the customer's.
    package func isRefused(granting granted: Set<String>) -> Bool {
        needsPurchase && !originalTransactionIDs.isEmpty && granted.isEmpty
    }

    /// Whether the customer was erased after the app asked, given when the last erasure was.
    package func isOvertaken(by erasure: Milliseconds?) -> Bool { erasure.map { $0 > erasuresKnownUntil } ?? false }

    /// Whether the App Store signed a purchase for another account than the customer's, and that counts.
    private func isNamedForAnother(_ lineage: Lineage?) -> Bool {
        guard !takesNamed, let token = lineage?.appAccountToken else { return false }
        return !token.text.isExactly(customer)
    }

    /// Whether the app's session is of another Apple account than the purchase.
    private func isOfAnotherAccount(_ lineage: Lineage?) -> Bool {
        guard let sessionAccount, let lineage else { return false }
        return lineage.isBought(byOtherThan: sessionAccount)
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

extension Lineage {
    /// Whether an Apple account is known to have bought it, and it is not this one. Data from before they named the account
    /// leave it open; what is known of the purchase by any other text decides. Members of a family who share it have purchases
    /// of their own.
    package func isBought(byOtherThan account: String) -> Bool {
        guard let appTransactionID, !appTransactionID.isExactly(account) else { return false }
        return !transactions.contains { $0.appTransactionID?.isExactly(account) ?? false }
    }
}

extension HeldPurchase {
    /// Whether it is at present one of these customers'.
    fileprivate func isHeld(byAnyOf customers: [String]) -> Bool {
        ownership.owners.contains { customers.containsExactly($0) }
    }
}
