internal import Basics
internal import Foundation
internal import WebConsole

/// A page of the server's console: blocks in their order.
struct ConsolePage: Sendable {
    var heading: String
    var foreignHeading: String?
    var up: (title: String, link: PageLink)?
    /// What it is told of while it is open.
    var topics: [String] = []
    /// The path of the API that has the same, and the command.
    var api: String?
    var command: String?
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
        case time(Date?)
        case link(String, PageLink)
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
    mutating func table(_ caption: String, _ columns: [String], _ rows: [[Cell]], empty: String) {
        guard !rows.isEmpty else { return paragraph(empty, "empty") }
        let rows = rows.map { row -> PageValue in
            let cells = zip(columns, row).enumerated().map { index, pair -> PageValue in
                .object(
                    pair.1.values(now).merging(["label": .text(pair.0), "isHeader": .flag(index == 0)]) { $1 })
            }
            return ["cells": .list(cells), "rowKey": .exact(row.first?.identity ?? "")]
        }
        add([
            "isTable": true, "caption": .text(caption), "columns": .list(columns.map { .text($0) }),
            "rows": .list(rows),
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

        fileprivate func values(_ now: Date?) -> PageValue {
            let shown = facts.filter { if case .none = $0.1 { false } else { true } }
            return [
                "entryKey": .exact(anchor.isEmpty ? sentence : anchor), "hasAnchor": .flag(!anchor.isEmpty),
                "anchor": .exact(anchor), "isOpen": .flag(inside != nil),
                "sentence": .object(
                    (link.map { Cell.link(sentence, $0) } ?? .foreign(sentence, limit: 300)).values(now)),
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
    mutating func exact(_ title: String, _ text: String, isOpen: Bool = false, isProven: Bool = true) {
        add([
            "isExact": true, "title": .text(title), "exact": .foreign(text, limit: 65_536), "isOpen": .flag(isOpen),
            "exactKind": .text(isProven ? "exact" : "exact unproven"),
        ])
    }

    mutating func links(_ links: [(String, PageLink)], next: PageLink? = nil) {
        let all = links.map { ($0.0, $0.1, false) } + (next.map { [("Next page", $0, true)] } ?? [])
        guard !all.isEmpty else { return }
        add([
            "isLinks": true,
            "links": .list(
                all.map { ["text": .foreign($0.0, limit: 120), "url": .link($0.1), "isNext": .flag($0.2)] }),
        ])
    }

    /// A field of a form.
    struct Field: Sendable {
        var name: String
        var label = ""
        var value = ""
        var type = "text"
        var options: [(String, String)] = []

        static func hidden(_ name: String, _ value: String) -> Field { Field(name: name, value: value, type: "hidden") }
    }

    mutating func form(_ action: PageLink, _ fields: [Field], button: String, method: String = "post") {
        let start = forms.count
        let values = fields.enumerated().map { index, field -> PageValue in
            [
                "id": .exact("field-\(start)-\(index)"), "fieldName": .exact(field.name), "label": .text(field.label),
                "value": .exact(field.value), "type": .exact(field.type), "isHidden": .flag(field.type == "hidden"),
                "isArea": .flag(field.type == "area"), "isChoice": .flag(!field.options.isEmpty),
                "isInput": .flag(!["hidden", "area"].contains(field.type) && field.options.isEmpty),
                "options": .list(
                    field.options.map {
                        [
                            "option": .exact($0.0), "optionTitle": .text($0.1),
                            "isChosen": .flag($0.0 == field.value),
                        ]
                    }),
            ]
        }
        forms.append(
            Self.block([
                "isForm": true, "isUpload": .flag(fields.contains { $0.type == "file" }), "actionURL": .link(action),
                "method": .exact(method), "fields": .list(values),
                "button": .text(button),
            ]))
    }

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

extension ConsolePage.Cell {
    /// What tells a row from others.
    var identity: String {
        switch self {
        case .plain(let text), .foreign(let text, _), .code(let text, _), .tag(let text, _): text
        case .link(_, let link): link.description
        case .time(let date): date?.consoleText ?? ""
        case .none: ""
        }
    }

    /// The values of the template `cell`.
    func values(_ now: Date?) -> [String: PageValue] {
        var values: [String: PageValue] = [
            "hasLink": false, "cellURL": .nothing, "isTag": false, "isTime": false, "isPlain": false,
            "isForeign": false, "isCode": false, "text": .nothing, "tagKind": .nothing, "instant": .nothing,
            "foreign": .nothing,
        ]
        switch self {
        case .none: break
        case .plain(let text): (values["isPlain"], values["text"]) = (true, .text(text))
        case .foreign(let text, let limit):
            (values["isForeign"], values["foreign"]) = (true, .foreign(text, limit: limit))
        case .code(let text, let limit): (values["isCode"], values["foreign"]) = (true, .foreign(text, limit: limit))
        case .tag(let text, let tone):
            (values["isTag"], values["text"]) = (true, .text(text))
            values["tagKind"] = .text(tone.rawValue)
        case .time(nil): (values["isPlain"], values["text"]) = (true, "none")
        case .time(let date?): (values["isTime"], values["instant"]) = (true, .time(date, now: now))
        case .link(let text, let link):
            (values["isForeign"], values["foreign"]) = (true, .foreign(text, limit: 120))
            (values["hasLink"], values["cellURL"]) = (true, .link(link))
        }
        return values
    }
}
