/// A value for a template.
///
/// Every text is escaped. The case depends on the source: ``text(_:)`` is for the console's own texts,
/// ``foreign(_:limit:showsWhole:keepsLines:breaksNames:marksCode:)`` for untrusted texts, ``exact(_:)`` for values of
/// form fields that must be sent back unchanged.
package indirect enum PageValue: Sendable {
    /// Renders as nothing. Its section is omitted.
    case nothing
    /// Whether to render a section.
    case flag(Bool)
    /// A text of the console. Characters that change how others are displayed are spelled out: `⟨U+202E⟩`.
    case text(String)
    /// An unchanged text, for the value of a field and for text to copy.
    case exact(String)
    /// A link. Its name in the template is `url` or ends in `URL`. No other value has such a name.
    case link(PageLink)
    /// A drawing, for the template `drawing`.
    case drawing(Drawing)
    /// Renders its section once for each element.
    case list([PageValue])
    /// Renders its section with names of its own.
    case object([String: PageValue])

    /// Returns the text, or ``nothing``.
    package static func optional(_ text: String?) -> PageValue { text.map { .text($0) } ?? .nothing }

    /// Returns the link, or ``nothing``.
    package static func optional(_ link: PageLink?) -> PageValue { link.map { .link($0) } ?? .nothing }

    /// Returns a number with commas between thousands.
    package static func number(_ number: some BinaryInteger) -> PageValue { .text(number.grouped) }

    /// Returns an untrusted text for the template `foreign`, `{{#name}}{{>foreign}}{{/name}}`, or ``nothing``.
    ///
    /// Control, format and direction characters are shown as chips. A text longer than `limit` code points is cut.
    ///
    /// - Parameter showsWhole: Whether the user can expand the rest. Only where `<details>` is allowed: not in links or
    ///   headings.
    /// - Parameter keepsLines: Whether line feeds stay. Only for a preformatted text: elsewhere they would be spaces.
    /// - Parameter breaksNames: Whether a line may end after a dot between letters, for names in headings and
    ///   narrow columns.
    /// - Parameter marksCode: Whether the parts between backticks are code, as in messages of the API.
    package static func foreign(
        _ text: String?, limit: Int = 200, showsWhole: Bool = false, keepsLines: Bool = false,
        breaksNames: Bool = false, marksCode: Bool = false
    ) -> PageValue {
        guard let text else { return .nothing }
        let scalars = text.unicodeScalars
        let isCut = scalars.count > limit
        let shown = isCut ? String(String.UnicodeScalarView(scalars.prefix(limit))) : text
        let whole: PageValue =
            isCut && showsWhole
            ? [
                "count": .number(scalars.count),
                "allRuns": VisibleText.runs(text, keepsLines: keepsLines, marksCode: marksCode),
            ] : .nothing
        let runs = VisibleText.runs(shown, keepsLines: keepsLines, breaksNames: breaksNames, marksCode: marksCode)
        return ["runs": runs, "isCut": .flag(isCut), "whole": whole]
    }
}

extension PageValue: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(booleanLiteral value: Bool) { self = .flag(value) }
    package init(arrayLiteral elements: PageValue...) { self = .list(elements) }
    package init(dictionaryLiteral elements: (String, PageValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension BinaryInteger {
    /// The number with commas between thousands.
    package var grouped: String {
        let digits = Array(magnitude.description)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
