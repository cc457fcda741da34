/// The stretches of time whose notifications were read and could not all be believed. The mark ends before the first of
/// them. Sorted, and apart from each other.
package struct UnverifiedSpans: Sendable, Hashable {
    /// A stretch; both ends belong to it.
    package struct Span: Sendable, Hashable {
        package var from: Milliseconds
        package var until: Milliseconds

        package init(from: Milliseconds, until: Milliseconds) {
            self.from = from
            self.until = until
        }
    }

    /// Beyond that many they become one: it says less, and nothing that is wrong.
    package static let most = 100

    package private(set) var spans: [Span] = []

    package init(_ spans: [Span] = []) {
        for span in spans { insert(span) }
    }

    package var isEmpty: Bool { spans.isEmpty }
    package var first: Span? { spans.first }

    /// Adds a stretch that holds something that could not be believed.
    package mutating func insert(_ span: Span) {
        guard span.from <= span.until else { return }
        var merged = span
        var apart: [Span] = []
        for known in spans {
            if known.until < merged.from || known.from > merged.until {
                apart.append(known)
            } else {
                merged = Span(from: min(known.from, merged.from), until: max(known.until, merged.until))
            }
        }
        spans = (apart + [merged]).sorted { $0.from < $1.from }
        guard spans.count > Self.most, let first = spans.first, let last = spans.last else { return }
        spans = [Span(from: first.from, until: last.until)]
    }

    /// Takes away a stretch all of which was read again and believed.
    package mutating func remove(_ span: Span) {
        guard span.from <= span.until else { return }
        spans = spans.flatMap { known -> [Span] in
            guard known.until >= span.from, known.from <= span.until else { return [known] }
            var rest: [Span] = []
            if known.from < span.from { rest.append(Span(from: known.from, until: span.from)) }
            if span.until < known.until { rest.append(Span(from: span.until, until: known.until)) }
            return rest
        }
    }

    /// Takes away those that end before `limit`, which nobody can read any more; gives the end of the last of them.
    package mutating func forget(before limit: Milliseconds) -> Milliseconds? {
        let gone = spans.filter { $0.until < limit }
        spans.removeFirst(gone.count)
        return gone.last?.until
    }
}
