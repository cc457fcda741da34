package import Foundation

/// Reads an instant as people and clients write it.
package enum InstantText {
    /// What an instant looks like, for whoever wrote something else.
    package static let form = "An instant is milliseconds since 1970 or ISO 8601, such as 2026-05-01T09:30:00Z."

    /// The most milliseconds from 1970 that a date of JSON may be (ECMA-262, section 21.4.1.1).
    private static let farthest: UInt64 = 8_640_000_000_000_000

    /// Returns milliseconds since 1970 from such a number or from ISO 8601 with a zone, with or without a fraction of a
    /// second; nil for anything else.
    ///
    /// - Parameter acceptsDays: Whether a day, or a time without a zone, is read as UTC: `2026-05-03`, `2026-05-03T12:00`,
    ///   `2026-05-03 12:00:00 UTC`.
    package static func milliseconds(_ text: some StringProtocol, acceptsDays: Bool = false) -> Int64? {
        guard text.utf8.count <= 40 else { return nil }
        if let number = Int64(text) { return number.magnitude <= farthest ? number : nil }
        return milliseconds(iso8601: text, acceptsDays: acceptsDays)
    }

    /// The same of ISO 8601 alone, where a number is something else.
    package static func date(iso8601 text: some StringProtocol, acceptsDays: Bool = false) -> Date? {
        milliseconds(iso8601: text, acceptsDays: acceptsDays).map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    private static func milliseconds(iso8601 text: some StringProtocol, acceptsDays: Bool) -> Int64? {
        guard text.utf8.count <= 40 else { return nil }
        // A plus that was not encoded is a blank in a query.
        if let instant = instant(text.replacingOccurrences(of: " ", with: "+")) { return instant }
        guard acceptsDays else { return nil }
        let name = text.hasSuffix(" UTC") ? String(text.dropLast(4)) : String(text)
        let time = name.replacing(" ", with: "T")
        return (time.contains("T") ? ["Z", ":00Z"] : ["T00:00:00Z"]).lazy.compactMap { instant(time + $0) }.first
    }

    /// Foundation's reader counts a 30th of February on into March and looks at nothing behind the zone. Whoever wrote that meant
    /// something else.
    private static func instant(_ text: String) -> Int64? {
        var digits = DateDigits(text)
        guard let day = digits.day(), digits.skip("T"), let second = digits.timeOfDay(),
            let milliseconds = digits.fraction(), let offset = digits.skip("z") ? 0 : digits.offset(takesHours: true),
            digits.isAtEnd
        else { return nil }
        return Int64((day * 86_400 + second - offset) * 1000 + milliseconds)
    }
}
