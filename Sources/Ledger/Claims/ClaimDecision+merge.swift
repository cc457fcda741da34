internal import AppStoreModels

extension ClaimDecision {
    /// Decides what a merge does to a purchase: ownership passes from `from` to `customer`. Other owners keep the
    /// purchase. A purchase that reached ``OwnerChangeLimit`` stays.
    package static func merge(
        _ ownership: Ownership, from: String, into customer: String, at now: Milliseconds
    ) -> ClaimDecision {
        move(ownership.claims, of: ownership.owners, from: from, into: customer, at: now)
    }

    /// Decides what a merge does to an Apple account.
    package static func merge(
        account: ClaimHistory, from: String, into customer: String, at now: Milliseconds
    ) -> ClaimDecision {
        move(account, of: account.owners.map(\.customer), from: from, into: customer, at: now)
    }

    private static func move(
        _ claims: ClaimHistory, of owners: [String], from: String, into customer: String, at now: Milliseconds
    ) -> ClaimDecision {
        guard owners.containsExactly(from) else { return .isRefused }
        guard !claims.hasReachedLimit(at: now) else { return .isRefused }
        let instant = claims.next(after: now)
        let others = claims.owners.map(\.customer).filter { !$0.isExactly(from) && !$0.isExactly(customer) }
        // Both have the same instant. ``ClaimEvent`` sorts a take before a join, whatever the order of arrival.
        return .moves(
            [ClaimEvent(at: instant, .take, customer)] + others.map { ClaimEvent(at: instant, .join, $0) },
            from: [from])
    }
}
