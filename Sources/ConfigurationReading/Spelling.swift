/// Finds out what somebody meant to type.
package enum Spelling {
    /// The candidate nearest to `word`, if it is near: the end of a message, such as `; did you mean "period"?`.
    package static func suggestion(for word: String, among candidates: some Sequence<String>) -> String {
        nearest(to: word, among: candidates).map { "; did you mean \(quoted($0))?" } ?? ""
    }

    /// The candidate nearest to `word`, if it is near.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        guard word.utf8.count <= 40 else { return nil }
        let lowercase = Array(word.lowercased().utf8)
        let nearest = candidates.map { ($0, distance(lowercase, Array($0.lowercased().utf8))) }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }
        guard let (candidate, distance) = nearest, distance <= max(1, lowercase.count / 3) else { return nil }
        return candidate
    }

    /// How many letters have to be changed, put in, left out or swapped with their neighbour (the distance of Damerau and
    /// Levenshtein, each letter touched once).
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
