/// The result of creating a grant.
package enum GrantCreation: Sendable, Hashable {
    case created(Grant)
    /// The customer has too many running grants.
    case refused
    /// Another grant has the identifier: it moved to another customer, was created long ago, or was erased.
    case isTaken
}

/// The result of revoking a grant.
package enum GrantRevocation: Sendable, Hashable {
    /// The grant is revoked, by this request or an earlier one.
    case revoked(Grant)
    /// The grant had expired.
    case isOver(Grant)
    /// The customer has no such grant.
    case unknown
}

/// The result of emitting events for expired grants.
package struct ExpiredGrants: Sendable, Hashable {
    /// The number of expired grants, including corrupt ones.
    package var count: Int
    /// The identifiers of corrupt grants.
    package var damaged: [String] = []

    package init(count: Int) { self.count = count }
}

/// Stores grants.
package protocol GrantStorage: Sendable {
    /// Creates a grant and the event `grant.created`, if ``GrantDecision`` allows it. If the same request has already
    /// created the grant, returns that grant.
    func createGrant(
        _ id: String, _ content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantCreation

    /// Revokes a grant of a customer and creates the event `grant.revoked`, if ``GrantDecision`` allows it.
    func revokeGrant(
        _ id: String, of customer: String, because content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantRevocation

    /// Returns the grants of a customer, the oldest first; those of the same instant sorted by identifier.
    func grants(of customer: String, in scope: Int64) async throws -> [Grant]

    /// Returns the entitlements of the grants that run at `now`, each once, sorted byte by byte.
    func grantedEntitlements(in scope: Int64, at now: Milliseconds) async throws -> [String]

    /// Creates the event `grant.expired` once for each expired grant, those that expired first first, then by scope and
    /// identifier. A corrupt grant is read again after ``GrantDecision/retryOfDamaged``.
    func emitExpiredGrants(at now: Milliseconds, limit: Int) async throws -> ExpiredGrants
}
