internal import Foundation

/// Parses instants in requests and commands, and writes those of tables.
package enum InstantText {
    /// A description of the accepted forms, for error messages.
    package static let form =
        "An instant is milliseconds since 1970, or ISO 8601 with time and zone, such as 2026-05-01T09:30:00Z."

    /// The maximum distance from 1970 in milliseconds, as for dates of JavaScript (ECMA-262, section 21.4.1.1).
    private static let farthest: UInt64 = 8_640_000_000_000_000

    /// Parses milliseconds since 1970, or ISO 8601 with a zone and an optional fraction of a second. Returns
    /// milliseconds since 1970; nil if the text is invalid.
    ///
    /// - Parameter acceptsDays: Whether to accept a day, or a time without a zone, as UTC: `2026-05-03`,
    ///   `2026-05-03T12:00`, `2026-05-03 12:00:00 UTC`.
    package static func milliseconds(_ text: some StringProtocol, acceptsDays: Bool = false) -> Int64? {
        guard text.utf8.count <= 40 else { return nil }
        if let number = Int64(text) { return number.magnitude <= farthest ? number : nil }
        return milliseconds(iso8601: text, acceptsDays: acceptsDays)
    }

    /// Parses only ISO 8601, where a number has another meaning.
    package static func milliseconds(iso8601 text: some StringProtocol, acceptsDays: Bool = false) -> Int64? {
        guard text.utf8.count <= 40 else { return nil }
        // In a query, a plus that is not percent-encoded is a space.
        if let instant = instant(text.replacingOccurrences(of: " ", with: "+")) { return instant }
        guard acceptsDays else { return nil }
        let name = text.hasSuffix(" UTC") ? String(text.dropLast(4)) : String(text)
        let time = name.replacing(" ", with: "T")
        return (time.contains("T") ? ["Z", ":00Z"] : ["T00:00:00Z"]).lazy.compactMap { instant(time + $0) }.first
    }

    /// Returns ISO 8601 with exactly three digits of the second, such as `2026-05-01T09:30:00.250Z`. Foundation's format
    /// with a fraction may show the millisecond before.
    package static func text(_ milliseconds: Int64) -> String {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let (second, fraction) = remainder < 0 ? (quotient - 1, remainder + 1000) : (quotient, remainder)
        let time = Date(timeIntervalSince1970: TimeInterval(second)).formatted(.iso8601)
        return "\(time.dropLast()).\(String(1000 + fraction).dropFirst())Z"
    }

    /// Returns ISO 8601 with milliseconds, or without a fraction if the instant is a whole second.
    package static func shortText(_ milliseconds: Int64) -> String {
        let text = text(milliseconds)
        return milliseconds.isMultiple(of: 1000) ? "\(text.dropLast(5))Z" : text
    }

    // Foundation's parser reads a 30th of February as a day of March and ignores text after the zone. Both are
    // mistakes.
    private static func instant(_ text: String) -> Int64? {
        var digits = DateDigits(text)
        guard let day = digits.day(), digits.skip("T"), let second = digits.timeOfDay(),
            let milliseconds = digits.fraction(), let offset = digits.skip("z") ? 0 : digits.offset(takesHours: true),
            digits.isAtEnd
        else { return nil }
        return Int64((day * 86_400 + second - offset) * 1000 + milliseconds)
    }
}
