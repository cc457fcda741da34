import Ledger
import Testing

@Suite struct `Times that could not all be believed` {
    private typealias Span = UnverifiedSpans.Span

    @Test func `are joined where they touch, whatever their order`() {
        let spans = [
            Span(from: 40, until: 50), Span(from: 10, until: 20), Span(from: 20, until: 30), Span(from: 5, until: 6),
        ]
        let joined = [Span(from: 5, until: 6), Span(from: 10, until: 30), Span(from: 40, until: 50)]
        #expect(UnverifiedSpans(spans).spans == joined)
        #expect(UnverifiedSpans(spans.reversed()).spans == joined)
        #expect(UnverifiedSpans(spans + [Span(from: 0, until: 99)]).spans == [Span(from: 0, until: 99)])
    }

    @Test func `shrink by what was read again and believed`() {
        var spans = UnverifiedSpans([Span(from: 10, until: 30), Span(from: 40, until: 50)])
        spans.remove(Span(from: 15, until: 20))
        #expect(spans.spans == [Span(from: 10, until: 15), Span(from: 20, until: 30), Span(from: 40, until: 50)])
        spans.remove(Span(from: 0, until: 45))
        #expect(spans.spans == [Span(from: 45, until: 50)])
        spans.remove(Span(from: 45, until: 50))
        #expect(spans.isEmpty)
    }

    @Test func `are never forgotten because there are many`() {
        var spans = UnverifiedSpans()
        for number in 0..<Int64(UnverifiedSpans.most) {
            spans.insert(Span(from: number * 10, until: number * 10 + 5))
        }
        #expect(spans.spans.count == UnverifiedSpans.most)
        spans.insert(Span(from: -20, until: -10))
        #expect(spans.spans == [Span(from: -20, until: Int64(UnverifiedSpans.most) * 10 - 5)])
    }

    @Test func `are given up when nobody can read them any more`() {
        var spans = UnverifiedSpans([Span(from: 10, until: 20), Span(from: 30, until: 40)])
        #expect(spans.forget(before: 20) == nil)
        #expect(spans.forget(before: 35) == 20)
        #expect(spans.spans == [Span(from: 30, until: 40)])
    }
}
