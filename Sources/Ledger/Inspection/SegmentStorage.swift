package import AppStoreModels
package import Entitlements
internal import Foundation

/// Reads the purchases of a segment.
package protocol SegmentStorage: Sendable {
    /// Returns the members of a segment: those that end first, or, in a segment without ends, those that began last
    /// first.
    ///
    /// - Returns: The members, and the cursor of the next page; nil if there are no more. The number of rows that are
    ///   read is limited.
    func members(_ query: SegmentQuery) async throws -> (items: [SegmentMember], next: SegmentPosition?)

    /// Counts the members of a segment at an instant, up to a limit.
    func count(of segment: Segment, in scope: Int64, at now: Milliseconds, limit: Int) async throws -> Int
}

/// A query for members of a segment.
package struct SegmentQuery: Sendable {
    package var segment: Segment
    package var scope: Int64
    /// The instant of the query.
    package var now: Milliseconds
    /// Only members that end, or began, within this many milliseconds; nil for all.
    package var within: Milliseconds?
    /// Only members with this reason; nil for all.
    package var reason: StateDetail?
    /// The cursor: only members after it.
    package var after: SegmentPosition?
    /// The maximum number of members.
    package var limit: Int

    package init(
        _ segment: Segment, in scope: Int64, at now: Milliseconds, within: Milliseconds? = nil,
        reason: StateDetail? = nil, after: SegmentPosition? = nil, limit: Int
    ) {
        (self.segment, self.scope, self.now, self.within) = (segment, scope, now, within)
        (self.reason, self.after, self.limit) = (reason, after, limit)
    }

    /// The range of positions to search: after the first, up to the number.
    package var range: (after: SegmentPosition, upTo: Int64) {
        let first = SegmentPosition(number: segment.endsWithTime ? now.next : .min, originalTransactionID: "")
        let last = within.map { SegmentPosition.number(of: segment, at: segment.endsWithTime ? now + $0 : now - $0) }
        return (after.map { max($0, first) } ?? first, last ?? .max)
    }

    /// Whether a membership matches the query.
    package func matches(_ row: SegmentRow) -> Bool {
        row.includes(now) && (reason.map { $0.rawValue.isExactly(row.reason ?? "") } ?? true)
    }
}

/// The position of a member in its segment.
package struct SegmentPosition: Sendable, Hashable, Comparable {
    /// Ascending in the order of the segment.
    package var number: Int64
    /// Orders members with the same number.
    package var originalTransactionID: String

    package init(number: Int64, originalTransactionID: String) {
        (self.number, self.originalTransactionID) = (number, originalTransactionID)
    }

    /// Returns the number for a membership that ends, or began, at an instant.
    package static func number(of segment: Segment, at instant: Milliseconds) -> Int64 {
        segment.endsWithTime ? instant : -instant
    }

    /// By number, then by the bytes of the identifier, as in the database.
    package static func < (one: Self, other: Self) -> Bool {
        (one.number, ExactText(one.originalTransactionID)) < (other.number, ExactText(other.originalTransactionID))
    }
}

/// A purchase in a segment.
package struct SegmentMember: Sendable {
    package var lineage: Lineage
    /// The owners of the purchase, without erased customers.
    package var owners: [String]
    /// Why the purchase is in the segment.
    package var reason: StateDetail?
    /// When the membership ends by itself.
    package var until: Milliseconds?
    /// The beginning of the membership, if it is known.
    package var since: Milliseconds?

    package init(
        lineage: Lineage, owners: [String], reason: StateDetail? = nil, until: Milliseconds? = nil,
        since: Milliseconds? = nil
    ) {
        (self.lineage, self.owners, self.reason) = (lineage, owners, reason)
        (self.until, self.since) = (until, since)
    }
}

/// A membership as it is stored, with integers for the index.
package struct SegmentRow: Sendable, Hashable {
    package var segment: Segment
    /// The beginning; the least number if it has already begun.
    package var begins: Milliseconds
    /// The end; the greatest number if it does not end by itself.
    package var ends: Milliseconds
    /// The ``SegmentPosition/number``.
    package var positionNumber: Int64
    /// The beginning that the API reports; nil if it is unknown.
    package var since: Milliseconds?
    package var reason: String?

    package init(_ membership: SegmentMembership) {
        let segment = membership.entry.segment
        self.segment = segment
        begins = membership.from?.milliseconds ?? .min
        ends = membership.until?.milliseconds ?? .max
        positionNumber = membership.instant.map { SegmentPosition.number(of: segment, at: $0.milliseconds) } ?? .max
        since = membership.entry.since?.milliseconds
        reason = membership.entry.reason?.rawValue
    }

    package init(
        _ segment: Segment, begins: Milliseconds, ends: Milliseconds, positionNumber: Int64,
        since: Milliseconds?, reason: String?
    ) {
        (self.segment, self.begins, self.ends) = (segment, begins, ends)
        (self.positionNumber, self.since, self.reason) = (positionNumber, since, reason)
    }

    /// Whether the membership includes an instant. The end is excluded.
    package func includes(_ instant: Milliseconds) -> Bool { begins <= instant && instant < ends }
}

extension Lineage {
    /// Returns the present and future memberships of the purchase.
    ///
    /// - Parameter successors: The transactions of other purchases that continue this one.
    package func segments(successors: [TransactionFact] = []) -> [SegmentRow] {
        SegmentMembership.memberships(of: originalTransactionID, in: facts(succeededBy: successors)).map {
            SegmentRow($0)
        }
    }

    /// The original transaction identifiers of the purchases that this one continues.
    package var predecessors: Set<ExactText> {
        let named = transactions.compactMap(\.previousOriginalTransactionID)
        return Set(named.filter { !$0.isExactly(originalTransactionID) }.map { ExactText($0) })
    }
}
