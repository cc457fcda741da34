internal import AppStoreModels

/// What a claim does to one purchase, or to one Apple account: the rule, on values.
package enum ClaimDecision: Sendable, Hashable {
    /// It is the customer's already.
    case isOwned
    /// It stays with whom it belongs to.
    case isRefused
    /// It becomes the customer's by these events; `from` had it before and have it no more.
    case moves([ClaimEvent], from: [String])

    /// Decides about a purchase.
    ///
    /// - Parameters:
    ///   - mayTake: Whether what another customer has may be moved, if the policy leaves that open.
    package static func purchase(
        _ ownership: Ownership, for customer: String, policy: RestorePolicy, at now: Milliseconds,
        mayTake: () throws -> Bool
    ) rethrows -> ClaimDecision {
        let owners = ownership.owners.filter { !Erasure.isStandIn($0) }
        let instant = ownership.claims.next(after: now)
        if owners.containsExactly(customer) { return .isOwned }
        if owners.isEmpty {
            // Who was erased has it no more, and stays in the claims.
            let kind = ownership.owners.isEmpty ? first(by: policy) : .take
            return .moves([ClaimEvent(at: instant, kind, customer)], from: [])
        }
        guard try policy.isMet(mayTake) else { return .isRefused }
        guard policy == .share else { return .moves([ClaimEvent(at: instant, .take, customer)], from: owners) }
        // Claims take the place of what the App Store says of the account, so theirs has to be among them.
        let claimed = ownership.claims.owners.map(\.customer)
        let others = owners.filter { !claimed.containsExactly($0) }
        return .moves((others + [customer]).map { ClaimEvent(at: instant, .join, $0) }, from: [])
    }

    /// Decides about an Apple account, which has one customer: where the policy is to share, it stays with the first.
    package static func account(
        _ account: ClaimHistory, for customer: String, policy: RestorePolicy, at now: Milliseconds,
        mayTake: () throws -> Bool
    ) rethrows -> ClaimDecision {
        let owners = account.owners.map(\.customer).filter { !Erasure.isStandIn($0) }
        let instant = account.next(after: now)
        if owners.containsExactly(customer) { return .isOwned }
        if owners.isEmpty {
            let isFirst = account.owners.isEmpty && policy != .transfer
            return .moves([ClaimEvent(at: instant, isFirst ? .link : .take, customer)], from: [])
        }
        guard policy != .share, try policy.isMet(mayTake) else { return .isRefused }
        return .moves([ClaimEvent(at: instant, .take, customer)], from: owners)
    }

    /// How the first claim of a purchase is kept: so that, should it turn out that somebody else had one earlier, both
    /// together say what the policy would have said.
    private static func first(by policy: RestorePolicy) -> ClaimEvent.Kind {
        switch policy {
        case .transfer: .take
        case .share: .join
        case .keepOriginal, .transferIfInactive: .link
        }
    }
}

extension RestorePolicy {
    /// Whether a customer may have what another has.
    fileprivate func isMet(_ mayTake: () throws -> Bool) rethrows -> Bool {
        switch self {
        case .transfer, .share: true
        case .keepOriginal: false
        case .transferIfInactive: try mayTake()
        }
    }
}
