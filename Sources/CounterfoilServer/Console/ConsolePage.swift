internal import Foundation
internal import WebConsole

/// A page of the server's console: blocks in their order.
struct ConsolePage: Sendable {
    var heading: String
    var foreignHeading: String?
    var up: (title: String, link: PageLink)?
    /// What it is told of while it is open.
    var topics: [String] = []
    /// The path of the API that has the same.
    var api: String?
    /// The command, where it is not the one that asks the API for just that.
    var command: String?
    /// Where the page is.
    var place: Place?
    var problem: Shell.Problem?
    var notes: [String] = []
    var status = 200
    /// How many blocks are replaced at once when something changes. What comes after them is a list, whose new rows wait until
    /// the reader asks for them.
    private var replaced: Int?
    private(set) var blocks: [PageValue] = []
    /// What is not replaced while the page is open.
    private(set) var forms: [PageValue] = []

    /// What instants are told relative to; nil where nobody is told.
    private let now: Date?

    init(_ heading: String, foreign: String? = nil, now: Date? = nil) {
        (self.heading, foreignHeading, self.now) = (heading, foreign, now)
    }

    /// What stands in a table or beside a name.
    enum Cell: Sendable {
        case plain(String)
        case foreign(String, limit: Int = 120)
        case code(String, limit: Int = 200)
        case tag(String, Tone)
        /// How far it is from now is said too, unless told otherwise.
        case time(Date?, isRelative: Bool = true)
        case link(String, PageLink)
        /// What is compared from row to row: digits stand below digits.
        case number(String)
        /// How much of a whole is done, with a text that says it.
        case progress(Int64, of: Int64, String)
        case none
    }

    enum Tone: String, Sendable { case good, warn, bad, plain }

    /// What is added from here on is a list that does not move under its reader.
    mutating func holdFromHere() { replaced = blocks.count }

    // MARK: Blocks

    mutating func title(_ text: String) { add(["isTitle": true, "title": .text(text)]) }

    /// A heading below a title.
    mutating func subtitle(_ text: String) { add(["isSubtitle": true, "title": .text(text)]) }

    mutating func paragraph(_ text: String, _ kind: String = "") {
        add([
            "isParagraph": true, "paragraph": .foreign(text, limit: 1000), "paragraphKind": .text(kind),
        ])
    }

    mutating func facts(_ facts: [(String, Cell)]) {
        let shown = facts.filter { if case .none = $0.1 { false } else { true } }
        guard !shown.isEmpty else { return }
        add([
            "isFacts": true,
            "facts": .list(shown.map { .object($0.1.values(now).merging(["name": .text($0.0)]) { $1 }) }),
        ])
    }

    /// A table; without rows, the sentence that says what would fill it.
    ///
    /// - Parameter isProven: Whether it is to be believed. What is not stands on a marked ground.
    mutating func table(
        _ caption: String, _ columns: [String], _ rows: [[Cell]], empty: String, isProven: Bool = true
    ) {
        guard !rows.isEmpty else { return paragraph(empty, "empty") }
        let titles = columns.enumerated().map { index, title -> PageValue in
            let isNumber = rows.contains { $0.indices.contains(index) && $0[index].isNumber }
            return ["columnTitle": .text(title), "isNumber": .flag(isNumber)]
        }
        let values = rows.map { row -> PageValue in
            let cells = zip(columns, row).enumerated().map { index, pair -> PageValue in
                .object(
                    pair.1.values(now).merging(["label": .text(pair.0), "isHeader": .flag(index == 0)]) { $1 })
            }
            return ["cells": .list(cells), "rowKey": .exact(row.first?.identity ?? "")]
        }
        add([
            "isTable": true, "caption": .text(caption), "columns": .list(titles), "rows": .list(values),
            "isUnproven": .flag(!isProven),
        ])
    }

    /// - Parameter legend: What its looks mean, as ``TimeBars/legend`` says it.
    mutating func drawing(_ drawing: Drawing, caption: String, legend: PageValue? = nil) {
        add([
            "isDrawing": true, "drawing": .drawing(drawing), "caption": .text(caption),
            "hasLegend": .flag(legend != nil), "legend": legend ?? .list([]),
        ])
    }

    /// Something in a list of what happened. It can be open in its place.
    struct Entry: Sendable {
        /// Foreign.
        var sentence: String
        /// Where a click on the sentence leads: the same page with this open, or closed.
        var link: PageLink?
        /// Its name on the page.
        var anchor = ""
        var facts: [(String, Cell)] = []
        var links: [(String, PageLink)] = []
        /// What is shown where it is open.
        var inside: ConsolePage?

        init(_ sentence: String) { self.sentence = sentence }

        private var sentenceCell: Cell { link.map { .link(sentence, $0) } ?? .foreign(sentence) }

        /// Where the entry is open, all of it.
        private var shownSentence: PageValue {
            .foreign(sentence, limit: inside == nil ? 300 : 4000, showsWhole: link == nil)
        }

        fileprivate func values(_ now: Date?) -> PageValue {
            let shown = facts.filter { if case .none = $0.1 { false } else { true } }
            return [
                // What has a name on the page is told from others by it.
                "entryKey": .exact(anchor.isEmpty ? sentence : ""), "hasAnchor": .flag(!anchor.isEmpty),
                "anchor": .exact(anchor), "isOpen": .flag(inside != nil),
                "sentence": .object(sentenceCell.values(now).merging(["foreign": shownSentence]) { $1 }),
                "entryFacts": .list(shown.map { .object($0.1.values(now).merging(["name": .text($0.0)]) { $1 }) }),
                "entryLinks": .list(links.map { ["linkText": .text($0.0), "url": .link($0.1)] }),
                "inside": .list(inside?.blocks ?? []),
            ]
        }
    }

    /// What happened, in order; without any, the sentence that says what would fill it.
    mutating func entries(_ entries: [Entry], empty: String) {
        guard !entries.isEmpty else { return paragraph(empty, "empty") }
        add(["isEntries": true, "entries": .list(entries.map { $0.values(now) })])
    }

    /// A text as it is, behind a summary.
    mutating func exact(
        _ title: String, _ text: String, isOpen: Bool = false, isProven: Bool = true, limit: Int = 65_536
    ) {
        add([
            "isExact": true, "title": .text(title), "exact": .foreign(text, limit: limit), "isOpen": .flag(isOpen),
            "exactKind": .text(isProven ? "exact" : "exact unproven"),
        ])
    }

    /// A link, and what it leads to where that is another page of the same list.
    private typealias RelatedLink = (text: String, link: PageLink, relation: String?)

    mutating func links(_ links: [(String, PageLink)]) {
        add(links: links.map { (text: $0.0, link: $0.1, relation: nil) })
    }

    /// The same, and where the list goes on in both directions.
    mutating func links(_ links: [(String, PageLink)], next: PageLink?) {
        var all: [RelatedLink] = links.map { (text: $0.0, link: $0.1, relation: nil) }
        if let previous = place?.previous { all.append(("Previous page", previous, "prev")) }
        if let next { all.append(("Next page", place?.following(next) ?? next, "next")) }
        add(links: all)
    }

    private mutating func add(links: [RelatedLink]) {
        guard !links.isEmpty else { return }
        add([
            "isLinks": true,
            "links": .list(
                links.map {
                    [
                        "text": .foreign($0.text, limit: 120), "url": .link($0.link),
                        "relation": .optional($0.relation),
                    ]
                }),
        ])
    }

    /// A field of a form.
    struct Field: Sendable {
        var name: String
        var label = ""
        var value = ""
        var type = "text"
        var options: [(String, String)] = []
        /// Whether what was typed was refused.
        var isWrong = false

        static func hidden(_ name: String, _ value: String) -> Field { Field(name: name, value: value, type: "hidden") }
    }

    /// - Parameter isInPlace: Whether it stands among the blocks, which are replaced while the page is open. Then it has
    ///   nothing to fill in.
    mutating func form(
        _ action: PageLink, _ fields: [Field], button: String, method: String = "post", isInPlace: Bool = false
    ) {
        let start = forms.count
        // The reason why it was refused leads to it.
        if let index = fields.firstIndex(where: \.isWrong) { problem?.field = Self.id(ofField: index, form: start) }
        let values = fields.enumerated().map { index, field -> PageValue in
            [
                "id": .exact(Self.id(ofField: index, form: start)), "fieldName": .exact(field.name),
                "label": .text(field.label),
                "value": .exact(field.value), "type": .exact(field.type), "isHidden": .flag(field.type == "hidden"),
                "isArea": .flag(field.type == "area"), "isChoice": .flag(!field.options.isEmpty),
                "isInput": .flag(!["hidden", "area"].contains(field.type) && field.options.isEmpty),
                "isWrong": .flag(field.isWrong),
                "options": .list(
                    field.options.map {
                        [
                            "option": .exact($0.0), "optionTitle": .text($0.1),
                            "isChosen": .flag($0.0 == field.value),
                        ]
                    }),
            ]
        }
        let form = Self.block([
            "isForm": true, "isUpload": .flag(fields.contains { $0.type == "file" }), "actionURL": .link(action),
            "method": .exact(method), "fields": .list(values), "button": .text(button),
        ])
        if isInPlace { blocks.append(form) } else { forms.append(form) }
    }

    private static func id(ofField index: Int, form: Int) -> String { "field-\(form)-\(index)" }

    /// A heading among the forms.
    mutating func formTitle(_ text: String) { forms.append(Self.block(["isTitle": true, "title": .text(text)])) }

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
            "forms": .list(forms), "isLive": .flag(!topics.isEmpty), "hasHeld": .flag(count < blocks.count),
        ]
    }
}
