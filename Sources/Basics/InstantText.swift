internal import Foundation

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
        // A plus that was not encoded is a blank in a query.
        if let instant = iso8601(text.replacingOccurrences(of: " ", with: "+")) { return instant }
        guard acceptsDays else { return nil }
        let name = text.hasSuffix(" UTC") ? String(text.dropLast(4)) : String(text)
        let time = name.replacing(" ", with: "T")
        return (time.contains("T") ? ["Z", ":00Z"] : ["T00:00:00Z"]).lazy.compactMap { iso8601(time + $0) }.first
    }

    private static func iso8601(_ text: String) -> Int64? {
        guard hasHourOfDay(text) else { return nil }
        for hasFraction in [false, true] {
            let format = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
            // Not this form: the other one may fit.
            guard let date = try? format.parse(text) else { continue }
            return Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
        }
        return nil
    }

    /// Foundation counts an hour 25 on into the next day. Whoever wrote it meant something else.
    private static func hasHourOfDay(_ text: String) -> Bool {
        guard let mark = text.firstIndex(of: "T") else { return true }
        return Int(text[mark...].dropFirst().prefix(2)).map { (0..<24).contains($0) } ?? false
    }
}
