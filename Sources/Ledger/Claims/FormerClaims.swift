internal import AppStoreModels

/// A change of ownership, read from a stored webhook event. Early versions of the ledger had no history of claims.
package struct FormerClaim: Sendable, Hashable {
    package var instant: Milliseconds
    package var customer: String
    /// Whether other customers lost the purchase.
    package var isTransfer: Bool

    package init(at instant: Milliseconds, _ customer: String, isTransfer: Bool) {
        (self.instant, self.customer, self.isTransfer) = (instant, customer, isTransfer)
    }
}

extension ClaimHistory {
    /// Creates a history from data without one: the present owners with their beginnings, and the stored events in the
    /// order in which they were created.
    ///
    /// The result has no owners beyond `owners`. Where an older export had restored a claim after a transfer, the claim
    /// ends here.
    package init(former owners: [Owner], events former: [FormerClaim] = []) {
        var claims: [FormerClaim] = []
        for var claim in former {
            // Clocks are set back: an event that was created later happened later.
            if let last = claims.last?.instant {
                claim.instant = max(claim.instant, claim.isTransfer ? last.next : last)
            }
            claims.append(claim)
        }
        claims += owners.filter { owner in
            !former.contains { $0.instant == owner.since && $0.customer.isExactly(owner.customer) }
        }.map { FormerClaim(at: $0.since, $0.customer, isTransfer: false) }
        let ordered = claims.enumerated()
            .sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
        self.init(
            ordered.enumerated().map { place, claim in
                let kind = claim.element.isTransfer || place == 0 ? ClaimEvent.Kind.take : .join
                return ClaimEvent(at: claim.element.instant, kind, claim.element.customer)
            })
        let names = owners.map(\.customer)
        let hasOthers = self.owners.contains { !names.containsExactly($0.customer) }
        if hasOthers, !former.isEmpty { self.init(former: owners) }
    }
}
