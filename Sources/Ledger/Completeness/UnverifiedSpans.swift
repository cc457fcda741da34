/// The spans of time with notifications that were read and could not all be verified. The mark ends before the first of
/// them. The spans are sorted and do not overlap.
package struct UnverifiedSpans: Sendable, Hashable {
    /// A span of time; both ends are included.
    package struct Span: Sendable, Hashable {
        package var from: Milliseconds
        package var until: Milliseconds

        package init(from: Milliseconds, until: Milliseconds) {
            self.from = from
            self.until = until
        }
    }

    /// The maximum number of spans. Beyond it all are merged into one: less precise, but not wrong.
    package static let maximumCount = 100

    package private(set) var spans: [Span] = []

    package init(_ spans: [Span] = []) {
        for span in spans { insert(span) }
    }

    package var isEmpty: Bool { spans.isEmpty }
    package var first: Span? { spans.first }

    /// Adds a span that contains an unverified notification.
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
        guard spans.count > Self.maximumCount, let first = spans.first, let last = spans.last else { return }
        spans = [Span(from: first.from, until: last.until)]
    }

    /// Removes a span that was read again and completely verified.
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

    /// Removes the spans that end before `limit`, which the App Store no longer keeps; returns the end of the last of
    /// them.
    package mutating func removeExpired(before limit: Milliseconds) -> Milliseconds? {
        let expired = spans.filter { $0.until < limit }
        spans.removeFirst(expired.count)
        return expired.last?.until
    }
}
