internal import AppStoreModels

/// A purchase as the webhooks' events tell that it changed hands, from when claims had no history of their own.
package struct FormerClaim: Sendable, Hashable {
    package var instant: Milliseconds
    package var customer: String
    /// Whether others had it before, and have it no more.
    package var isTransfer: Bool

    package init(at instant: Milliseconds, _ customer: String, isTransfer: Bool) {
        (self.instant, self.customer, self.isTransfer) = (instant, customer, isTransfer)
    }
}

extension ClaimHistory {
    /// The history of what was kept without one: who has it, since when, and what was told, in the order of the telling.
    ///
    /// Nobody has what was taken from them later: where an older export had brought such a claim back, it ends here. Nobody
    /// has what they had not.
    package init(former owners: [Owner], events former: [FormerClaim] = []) {
        var claims: [FormerClaim] = []
        for var claim in former {
            // Clocks are set back. What was told later happened later.
            if let last = claims.last?.instant {
                claim.instant = max(claim.instant, claim.isTransfer && last < .max ? last + 1 : last)
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
        guard former.isEmpty || self.owners.allSatisfy({ names.containsExactly($0.customer) }) else {
            self.init(former: owners)
            return
        }
    }
}
