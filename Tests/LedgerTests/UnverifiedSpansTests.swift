import Ledger
import Testing

@Suite struct `Unverified time spans` {
    private typealias Span = UnverifiedSpans.Span

    @Test func `Unverified spans are joined where they touch, in any order`() {
        let spans = [
            Span(from: 40, until: 50), Span(from: 10, until: 20), Span(from: 20, until: 30), Span(from: 5, until: 6),
        ]
        let joined = [Span(from: 5, until: 6), Span(from: 10, until: 30), Span(from: 40, until: 50)]
        #expect(UnverifiedSpans(spans).spans == joined)
        #expect(UnverifiedSpans(spans.reversed()).spans == joined)
        #expect(UnverifiedSpans(spans + [Span(from: 0, until: 99)]).spans == [Span(from: 0, until: 99)])
    }

    @Test func `Unverified spans shrink by verified spans`() {
        var spans = UnverifiedSpans([Span(from: 10, until: 30), Span(from: 40, until: 50)])
        spans.remove(Span(from: 15, until: 20))
        #expect(spans.spans == [Span(from: 10, until: 15), Span(from: 20, until: 30), Span(from: 40, until: 50)])
        spans.remove(Span(from: 0, until: 45))
        #expect(spans.spans == [Span(from: 45, until: 50)])
        spans.remove(Span(from: 45, until: 50))
        #expect(spans.isEmpty)
    }

    @Test func `Too many unverified spans are joined instead of dropped`() {
        var spans = UnverifiedSpans()
        for number in 0..<Int64(UnverifiedSpans.maximumCount) {
            spans.insert(Span(from: number * 10, until: number * 10 + 5))
        }
        #expect(spans.spans.count == UnverifiedSpans.maximumCount)
        spans.insert(Span(from: -20, until: -10))
        #expect(spans.spans == [Span(from: -20, until: Int64(UnverifiedSpans.maximumCount) * 10 - 5)])
    }

    @Test func `Unverified spans that the App Store no longer keeps are removed`() {
        var spans = UnverifiedSpans([Span(from: 10, until: 20), Span(from: 30, until: 40)])
        #expect(spans.removeExpired(before: 20) == nil)
        #expect(spans.removeExpired(before: 35) == 20)
        #expect(spans.spans == [Span(from: 30, until: 40)])
    }
}
