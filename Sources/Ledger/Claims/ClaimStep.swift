internal import AppStoreModels
internal import Entitlements

/// The effect of a claim on one purchase or Apple account that it names: a ``ClaimDecision``, and how a refusal affects
/// the whole claim.
package enum ClaimStep: Sendable, Hashable {
    /// The customer already owns it.
    case isOwned
    /// The customer becomes an owner by these events; the customers in `from` lose it.
    case moves([ClaimEvent], from: [String])
    /// The present owners keep it, and the claim continues without it.
    case isSkipped(ClaimRefusal)
    /// The present owners keep it, and the whole claim is refused.
    case refusesClaim(ClaimRefusal)
}

/// Why a purchase or an Apple account stays with its owners although another customer claims it.
package enum ClaimRefusal: Error, Hashable {
    /// The App Store signed it for another customer's account, and nobody asked to restore it.
    case signedForAnotherCustomer
    /// Another Apple account than the one of the app's session bought it.
    case boughtByAnotherAccount
    /// The app's restore policy leaves it with its owners.
    case policy
    /// It reached ``OwnerChangeLimit``.
    case ownerChangeLimit
}

extension Claim {
    /// Decides the claim for one of its purchases.
    ///
    /// - Parameter lineage: The stored record of the purchase; nil if there is none.
    package func step(
        purchase lineage: Lineage?, _ ownership: Ownership, givesAccess: (Lineage) throws -> Bool
    ) rethrows -> ClaimStep {
        if isByTeam { return step(ClaimDecision.transfer(ownership, to: customer, at: claimedAt), ownership.claims) }
        if isNamedForAnotherCustomer(lineage), !ownership.owners.containsExactly(customer) {
            return refused(.signedForAnotherCustomer)
        }
        if isBoughtByAnotherAccount(lineage), !ownership.owners.containsExactly(customer) {
            return refused(.boughtByAnotherAccount)
        }
        let decision = try ClaimDecision.purchase(
            ownership, for: customer, policy: policy, at: claimedAt,
            mayTake: {
                guard let lineage else { return true }
                return try !givesAccess(lineage)
            })
        return step(decision, ownership.claims)
    }

    /// Decides the claim for its Apple account.
    ///
    /// - Parameters:
    ///   - purchases: The purchases of the account with their owners.
    ///   - givesAccess: Whether a purchase gives access.
    ///   - originalGivesAccess: Whether the original purchase of the app by the account's customer gives access.
    package func step(
        account: ClaimHistory, bought purchases: () throws -> [OwnedPurchase],
        givesAccess: (Lineage) throws -> Bool, originalGivesAccess: () throws -> Bool
    ) rethrows -> ClaimStep {
        let owners = account.owners.map(\.customer)
        let decision = try ClaimDecision.account(
            account, for: customer, policy: policy, at: claimedAt,
            mayTake: {
                if try originalGivesAccess() { return false }
                // Purchases that other customers own do not keep the account with its customer.
                return try purchases().allSatisfy { try !$0.isOwned(byAnyOf: owners) || !givesAccess($0.lineage) }
            })
        let step = step(decision, account)
        // An Apple account cannot be shared, purchases can. With the policy `share` the account stays with its first
        // customer, and the claim of the purchases continues.
        if policy == .share, case .refusesClaim(let refusal) = step { return .isSkipped(refusal) }
        return step
    }

    /// Returns why the whole claim is refused; nil if it is not.
    ///
    /// - Parameters:
    ///   - granted: The purchases that become the customer's.
    ///   - skipped: Why the first of the other purchases stays with its owners.
    package func refusal(granting granted: [String], skipping skipped: ClaimRefusal?) -> ClaimRefusal? {
        needsPurchase && !originalTransactionIDs.isEmpty && granted.isEmpty ? skipped : nil
    }

    /// Whether the customer was erased after the app's request. `erasure` is the instant of the last erasure.
    package func isOvertaken(by erasure: Milliseconds?) -> Bool {
        Erasure.isNew(erasure, since: erasuresKnownUntil)
    }

    /// Whether the App Store signed the purchase for another customer's account and the claim may not override that.
    private func isNamedForAnotherCustomer(_ lineage: Lineage?) -> Bool {
        guard !overridesNamedAccount, let token = lineage?.appAccountToken else { return false }
        return !token.text.isExactly(customer)
    }

    /// Whether another Apple account than the one of the app's session bought the purchase.
    private func isBoughtByAnotherAccount(_ lineage: Lineage?) -> Bool {
        guard let sessionAccount, let lineage else { return false }
        return lineage.isBought(byOtherThan: sessionAccount)
    }

    /// Whether the subject changed its owner too often for another claim.
    private func isLimited(by claims: ClaimHistory) -> Bool { !isByTeam && claims.hasReachedLimit(at: claimedAt) }

    private func refused(_ refusal: ClaimRefusal) -> ClaimStep {
        skipsRefused ? .isSkipped(refusal) : .refusesClaim(refusal)
    }

    /// - Parameter claims: The claims of the subject so far.
    private func step(_ decision: ClaimDecision, _ claims: ClaimHistory) -> ClaimStep {
        switch decision {
        case .isOwned: .isOwned
        case .isRefused: refused(.policy)
        case .moves where isLimited(by: claims): refused(.ownerChangeLimit)
        case .moves(let events, let from): .moves(events, from: from)
        }
    }
}

extension Lineage {
    /// Whether another Apple account than `account` is known to have bought the purchase. The result is false if no
    /// signed data name an account, or if any transaction names this one. Family members who share a purchase have
    /// transactions of their own.
    package func isBought(byOtherThan account: String) -> Bool {
        guard let appTransactionID, !appTransactionID.isExactly(account) else { return false }
        return !transactions.contains { $0.appTransactionID?.isExactly(account) ?? false }
    }
}

extension OwnedPurchase {
    /// Whether one of these customers owns the purchase at present.
    fileprivate func isOwned(byAnyOf customers: [String]) -> Bool {
        ownership.owners.contains { customers.containsExactly($0) }
    }
}
