internal import AppStoreModels

/// A claim as it is kept, for good: an app said of a customer that a purchase, or all that an Apple account buys, is theirs.
package struct ClaimEvent: Sendable, Hashable {
    /// What a claim does to those who have it already. The numbers are in files, and say what goes first at one instant.
    package enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// The customer has it if nobody else has.
        case link = 0
        /// The customer has it, and nobody else.
        case take = 1
        /// The customer has it too.
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

    /// The one order of all claims of a purchase: that of time, and at one instant an order that is the same everywhere.
    func precedes(_ other: ClaimEvent) -> Bool {
        if instant != other.instant { return instant < other.instant }
        if kind != other.kind { return kind.rawValue < other.kind.rawValue }
        return customer.utf8.lexicographicallyPrecedes(other.customer.utf8)
    }
}

/// All claims of one purchase, or of one Apple account.
///
/// Claims are only ever added, and whose a purchase is follows from which there are: the order in which they came has no
/// say, so ledgers that have been apart agree once each has the claims of the other.
package struct ClaimHistory: Sendable, Hashable {
    /// Somebody who has it, and since when.
    package struct Owner: Sendable, Hashable {
        package var customer: String
        package var since: Milliseconds

        package init(customer: String, since: Milliseconds) { (self.customer, self.since) = (customer, since) }

        /// Whether it is the same name, byte for byte, and the same instant.
        package func isExactly(_ other: Owner) -> Bool {
            since == other.since && customer.isExactly(other.customer)
        }
    }

    /// In their order, each of them once.
    package let events: [ClaimEvent]

    package init(_ events: some Sequence<ClaimEvent>) {
        // What neither precedes is the same, byte for byte.
        self.events = events.inOrderOnce { $0.precedes($1) }
    }

    /// Who has it when all of this has happened, in the order of their names.
    package var owners: [Owner] { owners(at: .max) }

    /// Who has it at an instant by what was claimed until then.
    package func owners(at instant: Milliseconds) -> [Owner] {
        var reader = Reader(self)
        return reader.owners(at: instant)
    }

    /// Goes through a history from its beginning.
    struct Reader {
        private var events: ArraySlice<ClaimEvent>
        private var owners: [Owner] = []

        init(_ history: ClaimHistory) { events = history.events[...] }

        /// Who has it at an instant, which is none before one that was asked about already.
        mutating func owners(at instant: Milliseconds) -> [Owner] {
            while let event = events.first, event.instant <= instant {
                ClaimHistory.apply(event, to: &owners)
                events.removeFirst()
            }
            return owners.sorted { $0.customer.utf8.lexicographicallyPrecedes($1.customer.utf8) }
        }
    }

    /// What a claim that is decided now has for an instant. It was decided knowing all others, so it comes after them,
    /// even within a millisecond, and even where the clock was set back.
    package func next(after now: Milliseconds) -> Milliseconds {
        guard let last = events.last?.instant, last >= now else { return now }
        return last == .max ? last : last + 1
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

/// Whose a purchase was at any instant.
///
/// Claims of the purchase itself go first, then the account that the app named when it was bought, then the claims of the
/// Apple account that bought it.
package struct Ownership: Sendable, Hashable {
    /// A purchase changed hands.
    package struct Change: Sendable, Hashable {
        package var instant: Milliseconds
        /// Who had it until then and has it no more.
        package var from: [String]
        /// Who has it since.
        package var to: [String]

        package init(instant: Milliseconds, from: [String], to: [String]) {
            (self.instant, self.from, self.to) = (instant, from, to)
        }
    }

    package var claims: ClaimHistory
    /// The customer of the account that the app named.
    package var named: String?
    package var account: ClaimHistory

    package init(claims: ClaimHistory, named: String?, account: ClaimHistory) {
        (self.claims, self.named, self.account) = (claims, named, account)
    }

    /// Who has it when all of this has happened.
    package var owners: [String] { stated(at: .max) }

    /// Who had it at an instant. Before anybody was known to have it, it was theirs who are the first that are known: they
    /// bought it, and the app said so later.
    package func owners(at instant: Milliseconds) -> [String] {
        let stated = stated(at: instant)
        guard stated.isEmpty, let first = instants.first else { return stated }
        return self.stated(at: first)
    }

    /// Who had it at an instant by what was known then.
    private func stated(at instant: Milliseconds) -> [String] {
        stated(claims.owners(at: instant), account.owners(at: instant))
    }

    private func stated(_ claims: [ClaimHistory.Owner], _ account: [ClaimHistory.Owner]) -> [String] {
        if !claims.isEmpty { return claims.map(\.customer) }
        return named.map { [$0] } ?? account.map(\.customer)
    }

    /// When anything may have changed.
    private var instants: [Milliseconds] {
        let others = named == nil ? account.events.map(\.instant) : []
        return Set(claims.events.map(\.instant) + others).sorted()
    }

    /// Whenever it changed hands, in the order of time. The first customer of a purchase has it from nobody.
    package var changes: [Change] {
        var changes: [Change] = []
        var before = named.map { [$0] } ?? []
        var (claims, account) = (ClaimHistory.Reader(claims), ClaimHistory.Reader(account))
        for instant in instants {
            let after = stated(claims.owners(at: instant), account.owners(at: instant))
            defer { before = after }
            let change = Change(
                instant: instant, from: before.filter { !after.containsExactly($0) },
                to: after.filter { !before.containsExactly($0) })
            if !change.from.isEmpty || !change.to.isEmpty { changes.append(change) }
        }
        return changes
    }

    /// From when until when a customer had it, the last instant not included.
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
