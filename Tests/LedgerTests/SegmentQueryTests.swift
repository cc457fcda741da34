import Entitlements
import Foundation
import Testing

@testable import Ledger

@Suite struct `A page of a segment` {
    private static func query(
        _ segment: Segment, within: Milliseconds? = nil, reason: String? = nil, after: SegmentPosition? = nil
    ) -> SegmentQuery {
        SegmentQuery(
            segment, in: 1, at: 1000, within: within, reason: reason.map { StateDetail(rawValue: $0) }, after: after,
            limit: 10)
    }

    private static func row(
        _ begins: Milliseconds, _ ends: Milliseconds, reason: String? = nil
    ) -> SegmentRow {
        SegmentRow(.refunded, begins: begins, ends: ends, positionNumber: 0, since: nil, reason: reason)
    }

    @Test func `A segment page starts at the present or, if ordered by latest, at the beginning`() {
        let ends = Self.query(.willNotRenew).range
        #expect(ends.after == SegmentPosition(number: 1001, originalTransactionID: "") && ends.upTo == .max)
        let latest = Self.query(.refunded).range
        #expect(latest.after == SegmentPosition(number: .min, originalTransactionID: "") && latest.upTo == .max)
    }

    @Test func `A segment page ends after the requested days, ahead or back`() {
        #expect(Self.query(.trialEnding, within: 300).range.upTo == 1300)
        #expect(Self.query(.refunded, within: 300).range.upTo == -700)
    }

    @Test func `A segment page continues after the last item, unless that lies in the past`() {
        let later = SegmentPosition(number: 5000, originalTransactionID: "7")
        #expect(Self.query(.inGrace, after: later).range.after == later)
        let past = SegmentPosition(number: 900, originalTransactionID: "7")
        #expect(Self.query(.inGrace, after: past).range.after.number == 1001)
        let last = SegmentPosition(number: -900, originalTransactionID: "7")
        #expect(Self.query(.inBillingRetry, after: last).range.after == last)
        #expect(
            SegmentPosition(number: 1, originalTransactionID: "9")
                < SegmentPosition(number: 2, originalTransactionID: "1"))
        #expect(
            SegmentPosition(number: 1, originalTransactionID: "1")
                < SegmentPosition(number: 1, originalTransactionID: "9"))
    }

    @Test func `A segment row matches if its period contains the instant and its reason is the requested one`() {
        let query = Self.query(.refunded)
        #expect(query.matches(Self.row(.min, .max)) && query.matches(Self.row(1000, 1001)))
        #expect(!query.matches(Self.row(1001, .max)) && !query.matches(Self.row(.min, 1000)))
        let reasoned = Self.query(.refunded, reason: "cancelled")
        #expect(reasoned.matches(Self.row(.min, .max, reason: "cancelled")))
        #expect(!reasoned.matches(Self.row(.min, .max, reason: "billing_error")))
        #expect(!reasoned.matches(Self.row(.min, .max)))
    }
}
