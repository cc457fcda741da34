internal import Foundation
internal import WebConsole

/// A page of the server's console: a list of blocks, and forms.
struct ConsolePage: Sendable {
    var heading: String
    /// The part of the heading that is untrusted text, such as a customer ID. `heading` then names its kind.
    var foreignHeading: String?
    var up: (title: String, link: PageLink)?
    /// The topics whose changes refresh the page while it is open.
    var topics: [String] = []
    /// The path of the API with the same data.
    var api: String?
    /// The equivalent command; nil for the command that requests `api`.
    var command: String?
    /// The page's own path and query.
    var location: Location?
    var problem: Shell.Problem?
    /// The parameter that the API rejected. The form of the page's parameters marks its field.
    var wrongField: String?
    var notes: [String] = []
    var status = 200
    /// The number of blocks that are replaced immediately on a change. The blocks after them are a list whose new rows
    /// are held back until the user requests them.
    private var replaced: Int?
    private(set) var blocks: [PageValue] = []
    /// The filters of the list, above it. Like the other forms, they are not replaced while the page is open.
    private var filters: [PageValue] = []
    /// The forms without a title.
    private var forms: [PageValue] = []
    private var cards: [Card] = []
    private var formCount = 0

    /// Forms with a common title.
    private struct Card: Sendable {
        var title: String
        var forms: [PageValue] = []
    }

    /// The time to which relative times refer; nil to show no relative times.
    private let now: Date?

    init(_ heading: String, foreign: String? = nil, now: Date? = nil) {
        (self.heading, foreignHeading, self.now) = (heading, foreign, now)
    }

    /// Marks the blocks that are added from now on as a list whose new rows are held back until the user requests them.
    mutating func holdFollowingBlocks() { replaced = blocks.count }

    // MARK: Blocks

    mutating func title(_ text: String) { add(["isTitle": true, "title": .text(text)]) }

    /// Adds a heading below a title.
    mutating func subtitle(_ text: String) { add(["isSubtitle": true, "title": .text(text)]) }

    mutating func paragraph(_ text: String, _ kind: String = "") {
        add([
            "isParagraph": true, "paragraph": .foreign(text, limit: 1000), "paragraphKind": .text(kind),
        ])
    }

    mutating func facts(_ facts: [(String, Cell)]) {
        let shown = Self.values(facts, now)
        if !shown.isEmpty { add(["isFacts": true, "facts": .list(shown)]) }
    }

    private static func values(_ facts: [(String, Cell)], _ now: Date?) -> [PageValue] {
        facts.compactMap { name, cell -> PageValue? in
            if case .none = cell { return nil }
            return .object(cell.values(now).merging(["name": .text(name)]) { $1 })
        }
    }

    /// Adds a table, or without rows the sentence `empty`.
    ///
    /// - Parameters:
    ///   - caption: What the heading above does not say.
    ///   - isProven: Whether the content is verified. Unverified content has a marked background.
    mutating func table(
        _ caption: String?, _ columns: [String], _ rows: [[Cell]], empty: String, isProven: Bool = true
    ) {
        guard !rows.isEmpty else { return paragraph(empty, "empty") }
        let titles = columns.enumerated().map { index, title -> PageValue in
            let isNumber = rows.contains { $0.indices.contains(index) && $0[index].isNumber }
            return ["columnTitle": .text(title), "isNumber": .flag(isNumber)]
        }
        var keys = RowKeys()
        let values = rows.map { row -> PageValue in
            let cells = zip(columns, row).enumerated().map { index, pair -> PageValue in
                let label: [String: PageValue] = ["label": .text(pair.0), "isHeader": .flag(index == 0)]
                return .object(pair.1.values(now, isInTable: true).merging(label) { $1 })
            }
            return ["cells": .list(cells), "rowKey": .exact(keys.key(of: row.first?.identity ?? ""))]
        }
        add([
            "isTable": true, "caption": .optional(caption), "columns": .list(titles), "rows": .list(values),
            "isUnproven": .flag(!isProven),
        ])
    }

    /// - Parameter legend: The meaning of the styles, from ``TimeBars/legend``.
    mutating func drawing(_ drawing: Drawing, caption: String, legend: PageValue? = nil) {
        add([
            "isDrawing": true, "drawing": .drawing(drawing), "caption": .text(caption),
            "hasLegend": .flag(legend != nil), "legend": legend ?? .list([]),
        ])
    }

    /// Makes the keys of a list's rows, by which an open page counts the new rows: the identity of a row, with a number
    /// if an earlier row has the same one.
    fileprivate struct RowKeys {
        private var counts: [String: Int] = [:]

        mutating func key(of identity: String) -> String {
            let count = counts[identity, default: 0]
            counts[identity] = count + 1
            return count == 0 ? identity : "\(identity) \(count + 1)"
        }
    }

    /// An entry of a timeline. It can be expanded in place.
    struct Entry: Sendable {
        /// The sentence. It may contain untrusted text.
        var sentence: String
        /// The link of the sentence: the same page with this entry expanded or collapsed.
        var link: PageLink?
        /// The `id` of the entry's element.
        var anchor = ""
        var facts: [(String, Cell)] = []
        var links: [(String, PageLink)] = []
        /// The expanded content; nil if the entry is collapsed.
        var inside: ConsolePage?

        init(_ sentence: String) { self.sentence = sentence }

        private var sentenceCell: Cell { link.map { .link(sentence, $0) } ?? .foreign(sentence) }

        /// The sentence, shortened unless the entry is expanded.
        private var shownSentence: PageValue {
            .foreign(sentence, limit: inside == nil ? 300 : 4000, showsWhole: link == nil)
        }

        fileprivate func values(_ now: Date?, _ keys: inout RowKeys) -> PageValue {
            [
                // An entry with an anchor is identified by the anchor, another by its sentence.
                "entryKey": .exact(anchor.isEmpty ? keys.key(of: sentence) : ""), "hasAnchor": .flag(!anchor.isEmpty),
                "anchor": .exact(anchor), "isOpen": .flag(inside != nil),
                "sentence": .object(sentenceCell.values(now).merging(["foreign": shownSentence]) { $1 }),
                "entryFacts": .list(ConsolePage.values(facts, now)),
                "entryLinks": .list(links.map { ["linkText": .text($0.0), "url": .link($0.1)] }),
                "inside": .list(inside?.blocks ?? []),
            ]
        }
    }

    /// Adds a timeline, or without entries the sentence `empty`.
    mutating func entries(_ entries: [Entry], empty: String) {
        guard !entries.isEmpty else { return paragraph(empty, "empty") }
        var keys = RowKeys()
        add(["isEntries": true, "entries": .list(entries.map { $0.values(now, &keys) })])
    }

    /// Adds a preformatted text that expands below its title.
    mutating func exact(
        _ title: String, _ text: String, isOpen: Bool = false, isProven: Bool = true, limit: Int = 65_536
    ) {
        add([
            "isExact": true, "title": .text(title), "exact": .foreign(text, limit: limit, keepsLines: true),
            "isOpen": .flag(isOpen),
            "exactKind": .text(isProven ? "exact" : "exact unproven"),
        ])
    }

    /// A link, with its `rel` if it leads to another page of the same list.
    private typealias RelatedLink = (text: String, link: PageLink, relation: String?)

    /// - Parameter current: The index of the link to what the page shows, among links to choose from.
    mutating func links(_ links: [(String, PageLink)], current: Int? = nil) {
        add(links: links.map { (text: $0.0, link: $0.1, relation: nil) }, current: current)
    }

    /// Adds links, and the links to the previous and next pages of a list.
    mutating func links(_ links: [(String, PageLink)], next: PageLink?) {
        var all: [RelatedLink] = links.map { (text: $0.0, link: $0.1, relation: nil) }
        if let previous = location?.previous { all.append(("Previous page", previous, "prev")) }
        if let next { all.append(("Next page", location?.following(next) ?? next, "next")) }
        add(links: all)
    }

    private mutating func add(links: [RelatedLink], current: Int? = nil) {
        guard !links.isEmpty else { return }
        add([
            "isLinks": true,
            "links": .list(
                links.enumerated().map { index, link in
                    [
                        "text": .foreign(link.text, limit: 120), "url": .link(link.link),
                        "relation": .optional(link.relation), "isCurrent": .flag(index == current),
                    ]
                }),
        ])
    }

    /// Adds a form: to the last card, or without a card below the blocks.
    ///
    /// - Parameter isInPlace: Whether the form is one of the blocks, which are replaced while the page is open. Such a
    ///   form must have no inputs.
    mutating func form(
        _ action: PageLink, _ fields: [FormField], button: String, method: String = "post", isInPlace: Bool = false
    ) {
        let form = values(ofForm: action, fields, button: button, method: method)
        if isInPlace {
            blocks.append(form)
        } else if cards.isEmpty {
            forms.append(form)
        } else {
            cards[cards.count - 1].forms.append(form)
        }
    }

    /// - Parameter filter: The name of a filter; nil for another form.
    private mutating func values(
        ofForm action: PageLink, _ fields: [FormField], button: String, method: String, filter: String? = nil
    ) -> PageValue {
        let number = formCount
        formCount += 1
        // Link the error message to the rejected field.
        if let index = fields.firstIndex(where: \.isWrong) { problem?.field = Self.id(ofField: index, form: number) }
        let values = fields.enumerated().map { index, field in field.values(id: Self.id(ofField: index, form: number)) }
        return Self.block([
            "isForm": true, "isUpload": .flag(fields.contains { if case .file = $0.kind { true } else { false } }),
            "filterName": .optional(filter), "actionURL": .link(action),
            "method": .exact(method), "fields": .list(values), "button": .text(button),
        ])
    }

    private static func id(ofField index: Int, form: Int) -> String { "field-\(form)-\(index)" }

    /// Adds a form for the parameters of a page, which keeps the app and the environment.
    mutating func form(
        _ title: String, parametersOf link: PageLink, _ fields: [FormField], _ pageRequest: PageRequest, button: String
    ) {
        formTitle(title)
        form(link, parameters(fields, pageRequest), button: button, method: "get")
    }

    /// Adds a filter of the page's list. It keeps the app and the environment.
    mutating func filter(_ name: String, of link: PageLink, _ fields: [FormField], _ pageRequest: PageRequest) {
        filter(name, of: link, parameters(fields, pageRequest), isUsed: fields.contains { !$0.value.isEmpty })
    }

    /// - Parameter isUsed: Whether the list is filtered. On a phone, another filter is closed.
    mutating func filter(_ name: String, of link: PageLink, _ fields: [FormField], isUsed: Bool) {
        let form = values(ofForm: link, fields, button: "Filter", method: "get", filter: name)
        filters.append([
            "filterTitle": .text(name), "isFiltered": .flag(isUsed), "filterForms": .list([form]),
        ])
    }

    /// Returns the fields for the parameters of a page, with the rejected one marked.
    private func parameters(_ fields: [FormField], _ pageRequest: PageRequest) -> [FormField] {
        let marked = fields.map { field in
            var field = field
            field.isWrong = field.isNamed(wrongField)
            return field
        }
        return FormField.hidden(pageRequest.selection.query) + marked
    }

    /// Begins a card for the forms that are added from now on.
    mutating func formTitle(_ text: String) { cards.append(Card(title: text)) }

    private mutating func add(_ values: [String: PageValue]) { blocks.append(Self.block(values)) }

    private static let kinds = [
        "isTitle", "isSubtitle", "isParagraph", "isFacts", "isTable", "isDrawing", "isEntries", "isExact", "isLinks",
        "isForm",
    ]

    private static func block(_ values: [String: PageValue]) -> PageValue {
        .object(Dictionary(kinds.map { ($0, PageValue.flag(false)) }) { first, _ in first }.merging(values) { $1 })
    }

    /// The values of the template `page`.
    var values: [String: PageValue] {
        let count = replaced ?? blocks.count
        return [
            "blocks": .list(Array(blocks.prefix(count))), "held": .list(Array(blocks.dropFirst(count))),
            "filters": .list(filters), "forms": .list(forms), "hasCards": .flag(!cards.isEmpty),
            "cards": .list(cards.map { ["cardTitle": .text($0.title), "cardForms": .list($0.forms)] }),
            "isLive": .flag(!topics.isEmpty), "hasHeld": .flag(count < blocks.count),
        ]
    }
}
