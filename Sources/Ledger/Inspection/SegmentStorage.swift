package import AppStoreModels
package import Entitlements
internal import Foundation

/// Finds the purchases of a segment.
package protocol SegmentStorage: Sendable {
    /// The members of a segment, those that end first or, of what does not end by itself, the latest first.
    ///
    /// - Returns: Them, and where the next page begins; nil when there is no more. Only so many are looked through at a time.
    func members(_ query: SegmentQuery) async throws -> (items: [SegmentMember], next: SegmentPlace?)

    /// How many are in a segment at an instant, counted up to a limit.
    func count(of segment: Segment, in scope: Int64, at now: Milliseconds, limit: Int) async throws -> Int
}

/// Which members are asked for.
package struct SegmentQuery: Sendable {
    package var segment: Segment
    package var scope: Int64
    /// The instant that is asked about.
    package var now: Milliseconds
    /// Only those that end, or began, within so many milliseconds; nil for all.
    package var within: Milliseconds?
    /// Only those with this reason; nil for all.
    package var reason: StateDetail?
    /// Where to go on: those after it.
    package var after: SegmentPlace?
    /// How many at most.
    package var limit: Int

    package init(
        _ segment: Segment, in scope: Int64, at now: Milliseconds, within: Milliseconds? = nil,
        reason: StateDetail? = nil, after: SegmentPlace? = nil, limit: Int
    ) {
        (self.segment, self.scope, self.now, self.within) = (segment, scope, now, within)
        (self.reason, self.after, self.limit) = (reason, after, limit)
    }

    /// The places that may have members: after the first one, and up to the number.
    package var range: (after: SegmentPlace, upTo: Int64) {
        let first = SegmentPlace(number: segment.endsByItself ? now.next : .min, originalTransactionID: "")
        let last = within.map { SegmentPlace.number(of: segment, at: segment.endsByItself ? now + $0 : now - $0) }
        return (after.map { max($0, first) } ?? first, last ?? .max)
    }

    /// Whether a membership is one that is asked for.
    package func holds(_ row: SegmentRow) -> Bool {
        row.holds(at: now) && (reason.map { $0.rawValue.isExactly(row.reason ?? "") } ?? true)
    }
}

/// The place of a member in the list of its segment.
package struct SegmentPlace: Sendable, Hashable, Comparable {
    /// Grows along the list.
    package var number: Int64
    /// Tells apart what has the same number.
    package var originalTransactionID: String

    package init(number: Int64, originalTransactionID: String) {
        (self.number, self.originalTransactionID) = (number, originalTransactionID)
    }

    /// The number of what ends, or began, at an instant.
    package static func number(of segment: Segment, at instant: Milliseconds) -> Int64 {
        segment.endsByItself ? instant : -instant
    }

    /// The order of a database, which compares bytes.
    package static func < (one: Self, other: Self) -> Bool {
        one.number != other.number
            ? one.number < other.number
            : one.originalTransactionID.utf8.lexicographicallyPrecedes(other.originalTransactionID.utf8)
    }
}

/// A purchase in a segment.
package struct SegmentMember: Sendable {
    package var lineage: Lineage
    /// Whose it is.
    package var owners: [String]
    /// Why it is in the segment.
    package var reason: StateDetail?
    /// When it will leave the segment by itself.
    package var until: Milliseconds?
    /// Since when it is there, where that is known.
    package var since: Milliseconds?

    package init(
        lineage: Lineage, owners: [String], reason: StateDetail? = nil, until: Milliseconds? = nil,
        since: Milliseconds? = nil
    ) {
        (self.lineage, self.owners, self.reason) = (lineage, owners, reason)
        (self.until, self.since) = (until, since)
    }
}

/// A membership as it is kept: numbers that an index has an order for.
package struct SegmentRow: Sendable, Hashable {
    package var segment: Segment
    /// When it begins; the least number if it has begun.
    package var begins: Milliseconds
    /// When it ends; the greatest number if it does not end by itself.
    package var ends: Milliseconds
    /// See ``SegmentPlace``.
    package var place: Int64
    /// Since when; nil where nothing says it.
    package var since: Milliseconds?
    package var reason: String?

    package init(_ membership: SegmentMembership) {
        let segment = membership.entry.segment
        self.segment = segment
        begins = membership.from?.milliseconds ?? .min
        ends = membership.until?.milliseconds ?? .max
        place = membership.instant.map { SegmentPlace.number(of: segment, at: $0.milliseconds) } ?? .max
        since = membership.entry.since?.milliseconds
        reason = membership.entry.reason?.rawValue
    }

    package init(
        _ segment: Segment, begins: Milliseconds, ends: Milliseconds, place: Int64, since: Milliseconds?,
        reason: String?
    ) {
        (self.segment, self.begins, self.ends, self.place) = (segment, begins, ends, place)
        (self.since, self.reason) = (since, reason)
    }

    /// Whether it is a membership at an instant. What ends at it has ended.
    package func holds(at now: Milliseconds) -> Bool { begins <= now && now < ends }
}

extension Lineage {
    /// The segments of a purchase, now and later.
    ///
    /// - Parameter successors: The transactions of other purchases that go on with this one.
    package func segments(successors: [TransactionFact] = []) -> [SegmentRow] {
        let facts = CustomerFacts(
            transactions: transactions + successors, renewals: renewal.map { [$0] } ?? [])
        return SegmentMembership.of(originalTransactionID, in: facts).map { SegmentRow($0) }
    }

    /// The purchases that this one goes on with.
    package var predecessors: Set<ExactText> {
        var found: Set<ExactText> = []
        for fact in transactions {
            guard let old = fact.previousOriginalTransactionID, !old.isExactly(originalTransactionID) else { continue }
            found.insert(ExactText(old))
        }
        return found
    }
}

extension Milliseconds {
    /// The instant after this one.
    fileprivate var next: Milliseconds { self == .max ? self : self + 1 }
}
