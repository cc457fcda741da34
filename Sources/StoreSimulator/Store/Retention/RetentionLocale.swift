/// A language tag of the Retention Messaging API, such as `en`, `en-US` or `zh-Hant-TW`.
///
/// Only the syntax is checked (RFC 5646 §2.1: language, script, region, variants), not whether the language exists.
/// Tags that differ only in case are equal.
package struct RetentionLocale: Sendable, Hashable, Codable {
    /// The tag with conventional capitalization.
    package let text: String

    /// Returns nil if the syntax is wrong.
    package init?(_ text: some StringProtocol) {
        // A region has letters or is a UN M.49 number, such as 419 for Latin America. Variants have five to eight
        // letters or digits, or four that begin with a digit, such as `1996`.
        let tag = /([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|[0-9]{3}))?((?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)/
        guard text.utf8.count <= 35, text.utf8.allSatisfy({ $0 < 0x80 }),
            let match = text.lowercased().wholeMatch(of: tag)
        else { return nil }
        let (_, language, script, region, variants) = match.output
        let capitalized = script.map { $0.prefix(1).uppercased() + String($0.dropFirst()) }
        let parts = [String(language), capitalized, region?.uppercased()].compactMap { $0 }
        self.text = parts.joined(separator: "-") + String(variants)
    }
}
