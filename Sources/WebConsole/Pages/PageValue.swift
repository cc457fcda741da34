/// A value that a template can name.
///
/// Every text is escaped. What decides is where it comes from: ``text(_:)`` is a sentence of ours, ``foreign(_:limit:)`` was
/// written by somebody else, ``exact(_:)`` is what a form shows to send it back unchanged.
package indirect enum PageValue: Sendable {
    /// Renders as nothing, and its section is left out.
    case nothing
    /// Decides about a section.
    case flag(Bool)
    /// A text of ours. Characters that change how others are read are spelled out: `⟨U+202E⟩`.
    case text(String)
    /// A text as it is, for the value of a field and for text to copy.
    case exact(String)
    /// A link. Its name in the template is `url` or ends in `URL`, and no other value has such a name.
    case link(PageLink)
    /// A picture made by this process, for the template `drawing`.
    case drawing(Drawing)
    /// A section for each.
    case list([PageValue])
    /// A section with names of its own.
    case object([String: PageValue])

    /// The text, or ``nothing``.
    package static func optional(_ text: String?) -> PageValue { text.map { .text($0) } ?? .nothing }

    /// The link, or ``nothing``.
    package static func optional(_ link: PageLink?) -> PageValue { link.map { .link($0) } ?? .nothing }

    /// A number.
    package static func number(_ number: some BinaryInteger) -> PageValue { .text(number.grouped) }

    /// A text that a stranger wrote, for the template `foreign`: `{{#name}}{{>foreign}}{{/name}}`.
    ///
    /// Control, format and direction characters become chips, and what is longer than `limit` is cut.
    ///
    /// - Parameter showsWhole: Whether the reader can open the rest. It takes a place where `<details>` may stand: no link
    ///   and no heading.
    package static func foreign(_ text: String, limit: Int = 200, showsWhole: Bool = false) -> PageValue {
        let scalars = text.unicodeScalars
        let isCut = scalars.count > limit
        let shown = isCut ? String(String.UnicodeScalarView(scalars.prefix(limit))) : text
        let whole = PageValue.object([
            "count": .number(scalars.count), "allRuns": isCut && showsWhole ? VisibleText.runs(text) : .list([]),
        ])
        return .object([
            "runs": VisibleText.runs(shown), "isCut": .flag(isCut), "whole": isCut && showsWhole ? whole : .nothing,
        ])
    }

    /// The same, or ``nothing``.
    package static func foreign(_ text: String?, limit: Int = 200, showsWhole: Bool = false) -> PageValue {
        text.map { .foreign($0, limit: limit, showsWhole: showsWhole) } ?? .nothing
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
