/// Checks texts that people write and read: who changed something, and why.
enum WrittenText {
    /// Returns the text. Throws 400 if it is empty or too long, or has line breaks or invisible characters.
    static func checked(_ text: String, _ name: String, maximumBytes: Int) throws(APIFailure) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
            case .format: isJoiner($0)
            default: true
            }
        }
        let isVisible = text.unicodeScalars.contains { !$0.properties.isWhitespace && !isJoiner($0) }
        guard (1...maximumBytes).contains(text.utf8.count), isPlain, isVisible else {
            throw APIFailure(
                "invalid_\(name)",
                "`\(name)` has 1 to \(maximumBytes) bytes, without line breaks and invisible characters.",
                parameter: name)
        }
        return text
    }

    /// Whether this is a joiner or non-joiner of zero width, as in composed emoji and in Persian and Hindi words.
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { (0x200C...0x200D).contains(scalar.value) }
}
