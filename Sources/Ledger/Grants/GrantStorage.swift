/// What became of a grant that was to be made.
package enum GrantCreation: Sendable, Hashable {
    case created(Grant)
    /// The customer has too many that run.
    case refused
    /// The identifier is that of another grant: it went to another customer, was made long ago, or was made and erased.
    case isTaken
}

/// What became of a grant that was to be taken back.
package enum GrantRevocation: Sendable, Hashable {
    /// It is taken back, now or before.
    case revoked(Grant)
    /// It was over.
    case isOver(Grant)
    /// The customer has no such grant.
    case unknown
}

/// What came of looking for grants that have ended.
package struct ExpiredGrants: Sendable, Hashable {
    /// How many have ended, damaged ones included.
    package var count: Int
    /// The identifiers of those that cannot be read.
    package var damaged: [String] = []

    package init(count: Int) { self.count = count }
}

/// Keeps what the team gives customers without a purchase.
package protocol GrantStorage: Sendable {
    /// Makes a grant, with the event `grant.created`, if ``GrantDecision`` lets it. One that the same request made stays as it
    /// is, and is the answer.
    func createGrant(
        _ id: String, _ content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantCreation

    /// Takes a grant of a customer back, with the event `grant.revoked`, if ``GrantDecision`` lets it.
    func revokeGrant(
        _ id: String, of customer: String, because content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
    ) async throws -> GrantRevocation

    /// The grants of a customer, the first that was made first; of one instant in the order of identifiers.
    func grants(of customer: String, in scope: Int64) async throws -> [Grant]

    /// Makes the event `grant.expired` of grants that have ended, once for each, of those first that ended first. One that cannot be read is looked at again
    /// after ``GrantDecision/retryOfDamaged``.
    func emitExpiredGrants(at now: Milliseconds, limit: Int) async throws -> ExpiredGrants
}
