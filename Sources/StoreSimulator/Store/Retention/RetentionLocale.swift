internal import Basics

/// A language tag of the Retention Messaging API, such as `en`, `en-US` or `zh-Hant-TW`.
///
/// Only the syntax is checked (RFC 5646 §2.1: language, script, region, variants), not whether the language exists.
/// Tags that differ only in case are equal.
package struct RetentionLocale: Sendable, Hashable, Codable {
    /// The tag with conventional capitalization.
    package let text: String

    /// Returns nil if the syntax is wrong.
    package init?(_ text: some StringProtocol) {
        guard (2...35).contains(text.utf8.count) else { return nil }
        var rest = text.split(separator: "-", omittingEmptySubsequences: false)[...]
        guard let language = rest.popFirst(), Self.isAlphabetic(language, 2...3) else { return nil }
        var parts = [language.lowercased()]
        if let script = rest.first, Self.isAlphabetic(script, 4...4) {
            parts.append(script.capitalized)
            rest.removeFirst()
        }
        if let region = rest.first, Self.isAlphabetic(region, 2...2) || Self.isNumeric(region) {
            parts.append(region.uppercased())
            rest.removeFirst()
        }
        for variant in rest {
            guard Self.isVariant(variant) else { return nil }
            parts.append(variant.lowercased())
        }
        self.text = parts.joined(separator: "-")
    }

    private static func isAlphabetic(_ text: some StringProtocol, _ count: ClosedRange<Int>) -> Bool {
        count.contains(text.utf8.count) && text.allSatisfy { $0.isASCII && $0.isLetter }
    }

    // UN M.49, such as 419 for Latin America.
    private static func isNumeric(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 3 && text.isDigits()
    }

    // Five to eight letters or digits, or four that begin with a digit, such as `1996`.
    private static func isVariant(_ text: some StringProtocol) -> Bool {
        let length = text.utf8.count
        return text.utf8.allSatisfy(\.isASCIIAlphanumeric)
            && ((5...8).contains(length) || length == 4 && text.prefix(1).isDigits())
    }
}

extension StringProtocol {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
