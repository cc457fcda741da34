internal import AppStoreModels

/// The effect of a claim on one purchase or one Apple account, as a pure function on values.
package enum ClaimDecision: Sendable, Hashable {
    /// The customer already owns it.
    case isOwned
    /// The present owners keep it.
    case isRefused
    /// The customer becomes an owner by these events; the customers in `from` lose it.
    case moves([ClaimEvent], from: [String])

    /// Decides a claim of a purchase.
    ///
    /// - Parameters:
    ///   - mayTake: Whether a purchase of another customer may move. Evaluated only if the policy is
    ///     `transferIfInactive`.
    package static func purchase(
        _ ownership: Ownership, for customer: String, policy: RestorePolicy, at now: Milliseconds,
        mayTake: () throws -> Bool
    ) rethrows -> ClaimDecision {
        let owners = Erasure.withoutStandIns(ownership.owners)
        let instant = ownership.claims.next(after: now)
        if owners.containsExactly(customer) { return .isOwned }
        if owners.isEmpty {
            // An erased customer no longer owns the purchase, but the stand-in is still in the claims.
            let kind = ownership.owners.isEmpty ? firstClaimKind(for: policy) : .take
            return .moves([ClaimEvent(at: instant, kind, customer)], from: [])
        }
        guard try policy.allowsTransfer(mayTake) else { return .isRefused }
        guard policy == .share else { return .moves([ClaimEvent(at: instant, .take, customer)], from: owners) }
        // Claims override the account that the App Store named, so the owners without a claim get one too.
        let claimed = ownership.claims.owners.map(\.customer)
        let others = owners.filter { !claimed.containsExactly($0) }
        return .moves((others + [customer]).map { ClaimEvent(at: instant, .join, $0) }, from: [])
    }

    /// Decides a transfer by the team: the customer becomes the only owner, whatever the restore policy is.
    package static func transfer(_ ownership: Ownership, to customer: String, at now: Milliseconds) -> ClaimDecision {
        let owners = ownership.owners
        let others = Erasure.withoutStandIns(owners).filter { !$0.isExactly(customer) }
        if owners.containsExactly(customer), others.isEmpty { return .isOwned }
        return .moves([ClaimEvent(at: ownership.claims.next(after: now), .take, customer)], from: others)
    }

    /// Decides a claim of an Apple account. An account has one customer, so with the policy `share` the first one keeps
    /// it.
    package static func account(
        _ account: ClaimHistory, for customer: String, policy: RestorePolicy, at now: Milliseconds,
        mayTake: () throws -> Bool
    ) rethrows -> ClaimDecision {
        let owners = Erasure.withoutStandIns(account.owners.map(\.customer))
        let instant = account.next(after: now)
        if owners.containsExactly(customer) { return .isOwned }
        if owners.isEmpty {
            let isFirst = account.owners.isEmpty && policy != .transfer
            return .moves([ClaimEvent(at: instant, isFirst ? .link : .take, customer)], from: [])
        }
        guard policy != .share, try policy.allowsTransfer(mayTake) else { return .isRefused }
        return .moves([ClaimEvent(at: instant, .take, customer)], from: owners)
    }

    /// Returns the kind of the first claim of a purchase. If an earlier claim of another customer is imported later,
    /// both claims together must give the result that the policy would have given.
    private static func firstClaimKind(for policy: RestorePolicy) -> ClaimEvent.Kind {
        switch policy {
        case .transfer: .take
        case .share: .join
        case .keepOriginal, .transferIfInactive: .link
        }
    }
}

extension RestorePolicy {
    /// Whether the policy lets a customer have a purchase of another customer.
    fileprivate func allowsTransfer(_ mayTake: () throws -> Bool) rethrows -> Bool {
        switch self {
        case .transfer, .share: true
        case .keepOriginal: false
        case .transferIfInactive: try mayTake()
        }
    }
}
