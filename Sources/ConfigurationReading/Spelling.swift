/// Finds out what somebody meant to type.
package enum Spelling {
    /// The candidate nearest to `word`, if it is near: the end of a message, such as `; did you mean "period"?`.
    package static func suggestion(for word: String, among candidates: some Sequence<String>) -> String {
        guard word.utf8.count <= 40 else { return "" }
        let lowercase = Array(word.lowercased().utf8)
        let nearest = candidates.map { ($0, distance(lowercase, Array($0.lowercased().utf8))) }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }
        guard let (candidate, distance) = nearest, distance <= max(1, lowercase.count / 3) else { return "" }
        return "; did you mean \(quoted(candidate))?"
    }

    /// How many letters have to be changed, put in or left out (Levenshtein's distance).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let best = min(diagonal + (letter == other ? 0 : 1), row[j] + 1, row[j + 1] + 1)
                (diagonal, row[j + 1]) = (row[j + 1], best)
            }
        }
        return row[right.count]
    }
}
