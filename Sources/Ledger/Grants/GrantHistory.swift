internal import AppStoreModels
internal import Basics
package import Entitlements
internal import Foundation

/// What happened to a grant, as it is kept for good: it was made, taken back, or went to another customer.
package struct GrantEvent: Sendable, Hashable {
    /// The numbers are in files, and say what goes first at one instant.
    package enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// The customer has the entitlement from now on.
        case create = 0
        /// The customer has it no more.
        case revoke = 1
        /// It is another customer's, into whom the one who had it was merged.
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

    /// What the team said.
    package struct Content: Sendable, Hashable, Codable {
        /// Whose it is; of what was made and of what moved.
        package var customer: String?
        /// The name in the catalogue; only of what was made.
        package var entitlement: String?
        /// When it ends; nil if it does not.
        package var until: Milliseconds?
        /// Why, for people.
        package var reason: String
        /// Who did it.
        package var actor: String

        package init(
            customer: String? = nil, entitlement: String? = nil, until: Milliseconds? = nil, reason: String,
            actor: String
        ) {
            (self.customer, self.entitlement, self.until) = (customer, entitlement, until)
            (self.reason, self.actor) = (reason, actor)
        }

        /// As JSON, equal contents in equal bytes.
        package var text: String {
            get throws { String(decoding: try JSONEncoder.sorted.encode(self), as: UTF8.self) }
        }

        /// Reads ``text``.
        package init(text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
    }

    package var kind: Kind
    package var instant: Milliseconds
    package var content: Content

    package init(_ kind: Kind, at instant: Milliseconds, _ content: Content) {
        (self.kind, self.instant, self.content) = (kind, instant, content)
    }

    /// The one order of all events of a grant: that of time, and at one instant an order that is the same everywhere.
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
            return text.utf8.lexicographicallyPrecedes(other.utf8)
        }
        return false
    }
}

/// An entitlement that the team gave a customer without a purchase. Nothing of it was signed by the App Store.
package struct Grant: Sendable, Hashable {
    package var id: String
    package var customer: String
    /// Since when it is the customer's: others may have had it before, who were merged into the customer.
    package var heldSince: Milliseconds
    package var entitlement: String
    package var createdAt: Milliseconds
    /// When it ends; nil if it does not.
    package var until: Milliseconds?
    package var reason: String
    package var actor: String
    package var revocation: Revocation?

    package struct Revocation: Sendable, Hashable {
        package var instant: Milliseconds
        package var reason: String
        package var actor: String
    }

    /// How a grant stands.
    package enum State: String, Sendable, Hashable { case running, expired, revoked }

    /// How it stands at an instant. What ends at it has ended.
    package func state(at instant: Milliseconds) -> State {
        if let revocation, revocation.instant <= instant { return .revoked }
        return until.map { $0 <= instant } ?? false ? .expired : .running
    }

    /// What the engine counts.
    package var fact: GrantFact {
        GrantFact(
            id: id, entitlement: entitlement, from: Date(milliseconds: createdAt),
            until: until.map { Date(milliseconds: $0) },
            revokedAt: revocation.map { Date(milliseconds: $0.instant) })
    }
}

/// All that happened to one grant.
///
/// Events are only ever added, and how a grant stands follows from which there are: the order in which they came has no say.
package struct GrantHistory: Sendable, Hashable {
    /// In their order, each of them once.
    package let events: [GrantEvent]

    package init(_ events: some Sequence<GrantEvent>) {
        // What neither precedes is the same, byte for byte.
        self.events = events.inOrderOnce { $0.precedes($1) }
    }

    /// The grant; nil as long as it is not known to have been made.
    ///
    /// It is as it was made first, the customer's to whom it went last, and is taken back once. What was taken back was there
    /// before, whatever the clocks showed.
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

    /// What makes it another customer's: later than all that is known, whatever the clock shows.
    package func move(to customer: String, at now: Milliseconds) -> GrantEvent {
        let last = events.last?.instant ?? .min
        return GrantEvent(
            .move, at: max(now, last < .max ? last + 1 : last),
            .init(customer: customer, reason: "the customers were merged", actor: "merge"))
    }
}

/// What becomes of a request about grants: the rule, on values.
package enum GrantDecision {
    /// How many grants of a customer may run at once. More is a mistake in somebody's loop.
    package static let most = 100

    /// After how long a grant that cannot be read is looked at again.
    package static let retryOfDamaged: Milliseconds = 3_600_000

    /// What becomes of a grant that is to be made.
    package enum Creation: Sendable, Hashable {
        /// It is made now.
        case creates
        /// The same request made it: it came again.
        case isMade(Grant)
        /// The identifier is that of another grant.
        case isTaken
        /// The customer has too many that run.
        case isRefused
    }

    /// - Parameters:
    ///   - known: The grant that has the identifier.
    ///   - isTold: Whether the event is there that a grant of this identifier was made: an erasure leaves it.
    ///   - grants: The customer's grants.
    package static func creation(
        of content: GrantEvent.Content, known: Grant?, isTold: @autoclosure () throws -> Bool,
        beside grants: @autoclosure () throws -> [Grant], at now: Milliseconds
    ) rethrows -> Creation {
        if let known {
            let isSame = content.customer.map { $0.isExactly(known.customer) } ?? false
            // A request that comes later than its answer is remembered is another one.
            return isSame && now - known.createdAt < IdempotencyDecision.keeping ? .isMade(known) : .isTaken
        }
        if try isTold() { return .isTaken }
        return try grants().count { $0.state(at: now) == .running } < most ? .creates : .isRefused
    }

    /// What becomes of a grant that is to be taken back.
    package enum Revocation: Sendable, Hashable {
        /// It is taken back now.
        case revokes
        /// It was taken back already.
        case isRevoked
        /// It is over.
        case isOver
    }

    package static func revocation(of grant: Grant, at now: Milliseconds) -> Revocation {
        if grant.revocation != nil { return .isRevoked }
        return grant.state(at: now) == .running ? .revokes : .isOver
    }
}
