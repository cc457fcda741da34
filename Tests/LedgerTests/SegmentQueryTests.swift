import Entitlements
import Foundation
import Testing

@testable import Ledger

@Suite struct `A page of a segment` {
    private static func query(
        _ segment: Segment, within: Milliseconds? = nil, reason: String? = nil, after: SegmentPlace? = nil
    ) -> SegmentQuery {
        SegmentQuery(
            segment, in: 1, at: 1000, within: within, reason: reason.map { StateDetail(rawValue: $0) }, after: after,
            limit: 10)
    }

    private static func row(
        _ begins: Milliseconds, _ ends: Milliseconds, reason: String? = nil
    ) -> SegmentRow {
        SegmentRow(.refunded, begins: begins, ends: ends, place: 0, since: nil, reason: reason)
    }

    @Test func `begins at the present where it is ordered by ends, and at the latest where not`() {
        let ends = Self.query(.willNotRenew).range
        #expect(ends.after == SegmentPlace(number: 1001, originalTransactionID: "") && ends.upTo == .max)
        let latest = Self.query(.refunded).range
        #expect(latest.after == SegmentPlace(number: .min, originalTransactionID: "") && latest.upTo == .max)
    }

    @Test func `ends with the days that are asked for, ahead or back`() {
        #expect(Self.query(.trialEnding, within: 300).range.upTo == 1300)
        #expect(Self.query(.refunded, within: 300).range.upTo == -700)
    }

    @Test func `goes on after the last one, unless time has passed it`() {
        let later = SegmentPlace(number: 5000, originalTransactionID: "7")
        #expect(Self.query(.inGrace, after: later).range.after == later)
        let gone = SegmentPlace(number: 900, originalTransactionID: "7")
        #expect(Self.query(.inGrace, after: gone).range.after.number == 1001)
        let last = SegmentPlace(number: -900, originalTransactionID: "7")
        #expect(Self.query(.inBillingRetry, after: last).range.after == last)
        #expect(
            SegmentPlace(number: 1, originalTransactionID: "9") < SegmentPlace(number: 2, originalTransactionID: "1"))
        #expect(
            SegmentPlace(number: 1, originalTransactionID: "1") < SegmentPlace(number: 1, originalTransactionID: "9"))
    }

    @Test func `has who is in the segment at the instant, and no one else`() {
        let query = Self.query(.refunded)
        #expect(query.holds(Self.row(.min, .max)) && query.holds(Self.row(1000, 1001)))
        #expect(!query.holds(Self.row(1001, .max)) && !query.holds(Self.row(.min, 1000)))
        let reasoned = Self.query(.refunded, reason: "cancelled")
        #expect(reasoned.holds(Self.row(.min, .max, reason: "cancelled")))
        #expect(!reasoned.holds(Self.row(.min, .max, reason: "billing_error")))
        #expect(!reasoned.holds(Self.row(.min, .max)))
    }
}
