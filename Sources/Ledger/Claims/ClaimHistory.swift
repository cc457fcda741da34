internal import AppStoreModels

/// A claim in the append-only log: an app stated that a purchase, or everything that an Apple account buys, belongs to
/// a customer.
package struct ClaimEvent: Sendable, Hashable {
    /// The effect of a claim on other owners. Files contain the raw values, which are also the order of events at the
    /// same instant.
    package enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// The customer owns the purchase if it has no owner yet.
        case link = 0
        /// The customer becomes the only owner.
        case take = 1
        /// The customer becomes an additional owner.
        case join = 2

        /// The name in exports.
        package var name: String {
            switch self {
            case .link: "link"
            case .take: "take"
            case .join: "join"
            }
        }
    }

    package var instant: Milliseconds
    package var kind: Kind
    package var customer: String

    package init(at instant: Milliseconds, _ kind: Kind, _ customer: String) {
        (self.instant, self.kind, self.customer) = (instant, kind, customer)
    }

    /// The total order of the claims of a purchase: by instant, then by kind and customer. It does not depend on the
    /// order of arrival.
    func precedes(_ other: ClaimEvent) -> Bool {
        (instant, kind.rawValue, ExactText(customer)) < (other.instant, other.kind.rawValue, ExactText(other.customer))
    }
}

/// All claims of one purchase or one Apple account.
///
/// Claims are only ever added. The owners follow from the set of claims and not from the order in which they arrived,
/// so two ledgers agree once each has the claims of the other.
package struct ClaimHistory: Sendable, Hashable {
    /// An owner, and the beginning of the ownership.
    package struct Owner: Sendable, Hashable {
        package var customer: String
        package var since: Milliseconds

        package init(customer: String, since: Milliseconds) { (self.customer, self.since) = (customer, since) }

        /// Whether both have the same instant and the same customer, byte for byte.
        package func isExactly(_ other: Owner) -> Bool {
            since == other.since && customer.isExactly(other.customer)
        }
    }

    /// The events in their order, without duplicates.
    package let events: [ClaimEvent]

    package init(_ events: some Sequence<ClaimEvent>) {
        // Two events of which neither precedes the other are equal, byte for byte.
        self.events = events.sortedUnique { $0.precedes($1) }
    }

    /// The owners after all events, sorted by name.
    package var owners: [Owner] { owners(at: .max) }

    /// Returns the owners at an instant, according to the events up to that instant.
    package func owners(at instant: Milliseconds) -> [Owner] {
        var reader = Reader(self)
        return reader.owners(at: instant)
    }

    /// The customer of an Apple account after all events. An account has one, also if an import has added others.
    package var accountOwner: Owner? { owners.first }

    /// Reads a history forward from its beginning.
    struct Reader {
        private var events: ArraySlice<ClaimEvent>
        private var owners: [Owner] = []

        init(_ history: ClaimHistory) { events = history.events[...] }

        /// Returns the owners at an instant. Calls must not go back in time.
        mutating func owners(at instant: Milliseconds) -> [Owner] {
            while let event = events.first, event.instant <= instant {
                ClaimHistory.apply(event, to: &owners)
                events.removeFirst()
            }
            return owners.sorted { $0.customer.precedesExactly($1.customer) }
        }
    }

    /// Returns the instant of a claim that is decided now. The decision knew all other claims, so the new one comes
    /// after them, even within the same millisecond or if the clock was set back.
    package func next(after now: Milliseconds) -> Milliseconds { now.advanced(past: events.last?.instant) }

    /// Whether ``OwnerChangeLimit`` is reached at an instant.
    func hasReachedLimit(at now: Milliseconds) -> Bool {
        OwnerChangeLimit.isReached(events.lazy.map(\.instant), at: now)
    }

    fileprivate static func apply(_ event: ClaimEvent, to owners: inout [Owner]) {
        let own = owners.first { $0.customer.isExactly(event.customer) }
        switch event.kind {
        case .link where !owners.isEmpty: break
        case .link, .take: owners = [own ?? Owner(customer: event.customer, since: event.instant)]
        case .join: if own == nil { owners.append(Owner(customer: event.customer, since: event.instant)) }
        }
    }
}

/// The owners of a purchase over time.
///
/// Claims of the purchase itself have priority, then the account that the app named at the purchase
/// (`appAccountToken`), then the claims of the Apple account that bought it.
package struct Ownership: Sendable, Hashable {
    /// A change of the owners of a purchase.
    package struct Change: Sendable, Hashable {
        package var instant: Milliseconds
        /// The customers who lost the purchase.
        package var from: [String]
        /// The customers who got the purchase.
        package var to: [String]
    }

    package var claims: ClaimHistory
    /// The customer of the account that the app named at the purchase.
    package var named: String?
    package var account: ClaimHistory
    /// When the purchase was made; `.min` if unknown. It begins with the customer whom the Apple account has then:
    /// earlier customers of the account never had the purchase.
    package var madeAt: Milliseconds

    package init(claims: ClaimHistory, named: String?, account: ClaimHistory, madeAt: Milliseconds = .min) {
        (self.claims, self.named, self.account, self.madeAt) = (claims, named, account, madeAt)
    }

    /// The owners after all events.
    package var owners: [String] { knownOwners(at: .max) }

    /// Returns the owners at an instant. Before the first known owners, the result is those owners: they had bought the
    /// purchase, and the app claimed it later.
    package func owners(at instant: Milliseconds) -> [String] {
        let known = knownOwners(at: instant)
        guard known.isEmpty, let first = instants.first else { return known }
        return knownOwners(at: first)
    }

    /// Returns the owners according to what was known at the instant.
    private func knownOwners(at instant: Milliseconds) -> [String] {
        knownOwners(claims.owners(at: instant), account.owners(at: max(instant, madeAt)))
    }

    private func knownOwners(_ claims: [ClaimHistory.Owner], _ account: [ClaimHistory.Owner]) -> [String] {
        Self.owners(claimed: claims.map(\.customer), named: named) { account.map(\.customer) }
    }

    /// Returns the owners of a purchase at one instant.
    ///
    /// - Parameters:
    ///   - claimed: The owners by the claims of the purchase.
    ///   - named: The customer of the account that the app named.
    ///   - account: Returns the owners by the claims of the Apple account. Called only if they decide.
    package static func owners(
        claimed: [String], named: String?, account: () throws -> [String]
    ) rethrows -> [String] {
        if !claimed.isEmpty { return claimed }
        if let named { return [named] }
        return try account()
    }

    /// Whether the present owners follow from the Apple account, so that they change with its claims.
    package var followsAccount: Bool { claims.owners.isEmpty && named == nil }

    /// The instants at which the owners may have changed.
    private var instants: [Milliseconds] {
        let others = named == nil ? account.events.map(\.instant) : []
        return Set(claims.events.map(\.instant) + others).sorted()
    }

    /// The changes of ownership in chronological order. The first owners of a purchase have an empty `from`. Those who
    /// owned it when it was made have no such change.
    package var changes: [Change] {
        var changes: [Change] = []
        var (claims, account) = (ClaimHistory.Reader(claims), ClaimHistory.Reader(account))
        var before = knownOwners([], account.owners(at: madeAt))
        for instant in instants {
            let after = knownOwners(claims.owners(at: instant), account.owners(at: max(instant, madeAt)))
            defer { before = after }
            let change = Change(
                instant: instant, from: before.filter { !after.containsExactly($0) },
                to: after.filter { !before.containsExactly($0) })
            if !change.from.isEmpty || !change.to.isEmpty { changes.append(change) }
        }
        return changes
    }

    /// Returns the changes by which a customer got or lost the purchase.
    package func changes(for customer: String) -> [Change] {
        changes.filter { $0.from.containsExactly(customer) || $0.to.containsExactly(customer) }
    }

    /// Returns the periods in which a customer owned the purchase. The end of a period is excluded.
    package func spans(of customer: String) -> [Range<Milliseconds>] {
        var spans: [Range<Milliseconds>] = []
        var begin: Milliseconds? = owners(at: .min).containsExactly(customer) ? .min : nil
        for change in changes {
            if change.to.containsExactly(customer), begin == nil { begin = change.instant }
            if change.from.containsExactly(customer), let since = begin {
                spans.append(since..<change.instant)
                begin = nil
            }
        }
        if let begin { spans.append(begin..<Milliseconds.max) }
        return spans
    }
}
