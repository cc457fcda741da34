/// Suggests corrections of misspelled words.
package enum SpellingSuggestion {
    /// Returns the end of a message that suggests the nearest candidate, such as `; did you mean "period"?`. Empty if
    /// none is near.
    package static func suggestion(for word: String, among candidates: some Sequence<String>) -> String {
        nearest(to: word, among: candidates).map { "; did you mean \(quoted($0))?" } ?? ""
    }

    /// Returns a message about an unknown name that suggests the nearest candidate, or gives advice if none is near.
    package static func message(
        unknown name: String, of kind: String, among candidates: some Sequence<String>, or advice: String
    ) -> String {
        let suggestion = suggestion(for: name, among: candidates)
        return "there is no \(kind) \(quoted(name))" + (suggestion.isEmpty ? "; " + advice : suggestion)
    }

    /// Returns the candidate nearest to `word`; nil if none is near.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        guard word.utf8.count <= 40 else { return nil }
        let lowercase = Array(word.lowercased().utf8)
        let limit = max(1, lowercase.count / 3)
        let near = candidates.compactMap { candidate -> (String, Int)? in
            let other = Array(candidate.lowercased().utf8)
            // The distance is at least the difference in length.
            guard abs(other.count - lowercase.count) <= limit else { return nil }
            return (candidate, distance(lowercase, other))
        }
        guard let (candidate, distance) = near.min(by: { ($0.1, $0.0) < ($1.1, $1.0) }), distance <= limit else {
            return nil
        }
        return candidate
    }

    /// Returns the Damerau–Levenshtein distance, in its restricted form (optimal string alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var (before, row) = ([Int](), Array(0...right.count))
        for (i, letter) in left.enumerated() {
            var next = [i + 1]
            for (j, other) in right.enumerated() {
                var best = min(row[j] + (letter == other ? 0 : 1), next[j] + 1, row[j + 1] + 1)
                if i > 0, j > 0, letter == right[j - 1], other == left[i - 1] { best = min(best, before[j - 1] + 1) }
                next.append(best)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
