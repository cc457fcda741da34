internal import AppStoreModels
internal import Basics
package import Entitlements
package import Foundation

/// An event in the append-only log of a grant: it was created, revoked, or moved to another customer.
package struct GrantEvent: Sendable, Hashable {
    /// The kind of event. Files contain the raw values, which are also the order of events at the same instant.
    package enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// The customer has the entitlement from now on.
        case create = 0
        /// The customer loses the entitlement.
        case revoke = 1
        /// The grant moves to another customer, because the two customers were merged.
        case move = 2

        /// The name in exports.
        package var name: String {
            switch self {
            case .create: "create"
            case .revoke: "revoke"
            case .move: "move"
            }
        }
    }

    /// The data that the team provided.
    package struct Content: Sendable, Hashable, Codable {
        /// The customer; only for `create` and `move`.
        package var customer: String?
        /// The name in the catalogue; only for `create`.
        package var entitlement: String?
        /// When the grant ends; nil if it does not end.
        package var until: Milliseconds?
        /// The reason, for people.
        package var reason: String
        /// Who made the change.
        package var actor: String

        package init(
            customer: String? = nil, entitlement: String? = nil, until: Milliseconds? = nil, reason: String,
            actor: String
        ) {
            (self.customer, self.entitlement, self.until) = (customer, entitlement, until)
            (self.reason, self.actor) = (reason, actor)
        }

        /// The JSON, with a deterministic encoding.
        package var text: String {
            get throws { String(decoding: try JSONEncoder.sorted.encode(self), as: UTF8.self) }
        }

        /// Decodes ``text``.
        package init(text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
    }

    package var kind: Kind
    package var instant: Milliseconds
    package var content: Content

    package init(_ kind: Kind, at instant: Milliseconds, _ content: Content) {
        (self.kind, self.instant, self.content) = (kind, instant, content)
    }

    /// The total order of the events of a grant: by instant, then by kind and content. It does not depend on the order
    /// of arrival.
    func precedes(_ other: GrantEvent) -> Bool {
        if instant != other.instant { return instant < other.instant }
        if kind != other.kind { return kind.rawValue < other.kind.rawValue }
        return content.precedes(other.content)
    }
}

extension GrantEvent.Content {
    fileprivate func precedes(_ other: Self) -> Bool {
        if until != other.until { return until ?? .max < other.until ?? .max }
        let texts = [customer ?? "", entitlement ?? "", reason, actor]
        let others = [other.customer ?? "", other.entitlement ?? "", other.reason, other.actor]
        for (text, other) in zip(texts, others) where !text.isExactly(other) {
            return text.precedesExactly(other)
        }
        return false
    }
}

/// An entitlement that the team gave a customer without a purchase. The App Store signed nothing about it.
package struct Grant: Sendable, Hashable {
    package var id: String
    package var customer: String
    /// The beginning of the customer's ownership. Customers who were merged into this one may have had the grant
    /// before.
    package var heldSince: Milliseconds
    package var entitlement: String
    package var createdAt: Milliseconds
    /// When the grant ends; nil if it does not end.
    package var until: Milliseconds?
    package var reason: String
    package var actor: String
    package var revocation: Revocation?

    package struct Revocation: Sendable, Hashable {
        package var instant: Milliseconds
        package var reason: String
        package var actor: String
    }

    /// The state of a grant.
    package enum State: String, Sendable, Hashable { case running, expired, revoked }

    /// Returns the present state. A grant that ends now is expired. A stored revocation applies, whatever the clock
    /// shows: the clock may have been ahead when the grant was created or revoked.
    package func state(at now: Milliseconds) -> State {
        if revocation != nil { return .revoked }
        return until.map { $0 <= now } ?? false ? .expired : .running
    }

    /// Returns when the event `grant.expired` is to be created; nil if it is not, or was already.
    ///
    /// - Parameters:
    ///   - wasDue: Whether it was to be created before the last change of the grant; nil if the grant was unknown.
    ///   - emittedUntil: No event is created for a grant that was unknown and ended by then.
    package func expiryEventDate(wasDue: Bool?, emittedUntil: Milliseconds) -> Milliseconds? {
        guard let until, revocation == nil, wasDue ?? (until > emittedUntil) else { return nil }
        return until
    }

    /// Whether the event `grant.expired` was created.
    ///
    /// - Parameter isDue: Whether it is still to be created.
    package func hasExpiryEvent(isDue: Bool) -> Bool { !isDue && until != nil && revocation == nil }
}

extension GrantFact {
    /// Creates the fact of a grant.
    package init(
        id: String, entitlement: String, createdAt: Milliseconds, until: Milliseconds?, revokedAt: Milliseconds?
    ) {
        self.init(
            id: id, entitlement: entitlement, from: Date(milliseconds: createdAt),
            until: until.map { Date(milliseconds: $0) }, revokedAt: revokedAt.map { Date(milliseconds: $0) })
    }

    /// Returns the grant as it is now. A stored creation or revocation applies, whatever the clock shows: the clock may
    /// have been ahead, and a grant after an erasure is dated after the erasure.
    package func asStored(at now: Date) -> GrantFact {
        var grant = self
        grant.from = min(from, now)
        grant.revokedAt = revokedAt.map { min($0, now) }
        return grant
    }
}

/// All events of one grant.
///
/// Events are only ever added. The state follows from the set of events and not from the order in which they arrived.
package struct GrantHistory: Sendable, Hashable {
    /// The events in their order, without duplicates.
    package let events: [GrantEvent]

    package init(_ events: some Sequence<GrantEvent>) {
        // Two events of which neither precedes the other are equal, byte for byte.
        self.events = events.sortedUnique { $0.precedes($1) }
    }

    /// Returns the grant; nil if no `create` event is known.
    ///
    /// The first `create` event, the last `move` event and the first `revoke` event count. A revocation is never before
    /// the creation, whatever the clocks showed.
    package func grant(_ id: String) -> Grant? {
        let moved = events.last { $0.kind == .move }
        guard let made = events.first(where: { $0.kind == .create }),
            let customer = moved?.content.customer ?? made.content.customer,
            let entitlement = made.content.entitlement
        else { return nil }
        let revocation = events.first { $0.kind == .revoke }.map {
            Grant.Revocation(
                instant: max($0.instant, made.instant), reason: $0.content.reason, actor: $0.content.actor)
        }
        return Grant(
            id: id, customer: customer, heldSince: moved?.instant ?? made.instant, entitlement: entitlement,
            createdAt: made.instant, until: made.content.until, reason: made.content.reason,
            actor: made.content.actor, revocation: revocation)
    }

    /// Returns what stays when an erasure deletes the grant: the move by which the customer got it, with the stand-in.
    /// Without it, an older export, which has the creation only, would give the grant back to an earlier customer.
    package func remnant(for standIn: String) -> GrantEvent? {
        var moved = events.last { $0.kind == .move }
        moved?.content.customer = standIn
        return moved
    }

    /// Returns the event that moves the grant to another customer; nil if ``OwnerChangeLimit`` is reached. The event is
    /// later than all known ones, whatever the clock shows.
    package func move(to customer: String, at now: Milliseconds) -> GrantEvent? {
        guard !OwnerChangeLimit.isReached(events.lazy.map(\.instant), at: now) else { return nil }
        return GrantEvent(
            .move, at: now.advanced(past: events.last?.instant),
            .init(customer: customer, reason: "the customers were merged", actor: "merge"))
    }
}

/// Decides requests to create or revoke grants, as a pure function on values.
package enum GrantDecision {
    /// The maximum number of running grants of a customer. More indicate a faulty loop in a client.
    package static let maximumRunning = 100

    /// How long until a corrupt grant is read again.
    package static let retryOfDamaged: Milliseconds = 3_600_000

    /// Decides a request to create a grant. Returns nil if the grant is to be created.
    ///
    /// - Parameters:
    ///   - known: The grant with the identifier.
    ///   - hasEvents: Whether any event of a grant with this identifier exists, in its log or for webhooks. An erasure
    ///     does not delete all of them.
    ///   - grants: The customer's grants. Those that have ended may be missing.
    package static func creation(
        of content: GrantEvent.Content, known: Grant?, hasEvents: @autoclosure () throws -> Bool,
        beside grants: @autoclosure () throws -> [Grant], at now: Milliseconds
    ) rethrows -> GrantCreation? {
        if let known {
            let isSame = content.customer.map { $0.isExactly(known.customer) } ?? false
            // After the time for which responses are stored, an equal request is a new one.
            return isSame && now - known.createdAt < IdempotencyDecision.retention ? .created(known) : .isTaken
        }
        if try hasEvents() { return .isTaken }
        return try grants().count { $0.state(at: now) == .running } < maximumRunning ? nil : .refused
    }

    /// Decides a request to revoke a grant. Returns nil if the grant is to be revoked.
    package static func revocation(of grant: Grant, at now: Milliseconds) -> GrantRevocation? {
        if grant.revocation != nil { return .revoked(grant) }
        return grant.state(at: now) == .running ? nil : .isOver(grant)
    }
}
