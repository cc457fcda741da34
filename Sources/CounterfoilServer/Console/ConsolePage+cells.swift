internal import Foundation
internal import WebConsole

extension ConsolePage {
    /// The content of a table cell or of a fact.
    enum Cell: Sendable {
        case plain(String)
        /// Untrusted text, cut to `limit` characters. Control and direction characters are made visible.
        case foreign(String, limit: Int = 120)
        case code(String, limit: Int = 200)
        case tag(String, Tone)
        /// A time, by default with its distance from now.
        case time(Date?, isRelative: Bool = true)
        case link(String, PageLink)
        /// A number, aligned to the right with tabular digits.
        case number(String)
        /// A progress bar with a text.
        case progress(Int64, of: Int64, String)
        case none
    }

    enum Tone: String, Sendable { case good, warn, bad, plain }
}

extension ConsolePage.Cell {
    /// Returns the tag that says whether there is access.
    static func access(_ flag: APIValue) -> Self {
        flag.flag == true ? .tag("access", .good) : .tag("no access", .bad)
    }

    /// Returns the instant of a member, or `other` if the response does not have the member.
    static func instant(_ member: APIValue, or other: Self = .none) -> Self {
        member.isNothing ? other : .time(member.instant)
    }

    var isNumber: Bool { if case .number = self { true } else { false } }

    /// The text that identifies a row by its first cell.
    var identity: String {
        switch self {
        case .plain(let text), .foreign(let text, _), .code(let text, _), .tag(let text, _), .number(let text): text
        // Several rows may link to the same page.
        case .link(let text, let link): "\(link) \(text)"
        case .progress(_, _, let text): text
        case .time(let date, _): date?.consoleText ?? ""
        case .none: ""
        }
    }

    /// The values of the template `cell`.
    ///
    /// - Parameter isInTable: Whether the cell is in a column, where a long name needs a place to break.
    func values(_ now: Date?, isInTable: Bool = false) -> [String: PageValue] {
        var values: [String: PageValue] = [
            "hasLink": false, "cellURL": .nothing, "isNumber": false, "plain": .nothing, "foreign": .nothing,
            "code": .nothing, "tag": .nothing, "instant": .nothing, "progress": .nothing,
        ]
        switch self {
        case .none: break
        case .plain(let text): values["plain"] = .text(text)
        case .foreign(let text, let limit):
            values["foreign"] = .foreign(text, limit: limit, showsWhole: true, breaksNames: isInTable)
        case .code(let text, let limit): values["code"] = .foreign(text, limit: limit, showsWhole: true)
        case .number(let text): (values["plain"], values["isNumber"]) = (.text(text), true)
        case .tag(let text, let tone): values["tag"] = ["text": .text(text), "tagKind": .text(tone.rawValue)]
        case .progress(let amount, let whole, let text):
            values["progress"] = [
                "amount": .exact(String(max(0, min(amount, whole)))), "whole": .exact(String(max(1, whole))),
                "text": .text(text),
            ]
        case .time(nil, _): values["plain"] = "none"
        case .time(let date?, let isRelative): values["instant"] = .time(date, now: isRelative ? now : nil)
        case .link(let text, let link):
            values["foreign"] = .foreign(text, limit: 120, breaksNames: isInTable)
            (values["hasLink"], values["cellURL"]) = (true, .link(link))
        }
        return values
    }
}
