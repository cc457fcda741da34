internal import AppStoreModels
internal import Basics
internal import Foundation

/// Formats members of API responses and of signed payloads.
enum MemberFormatter {
    /// A scalar member of a payload.
    private struct Member {
        /// The path, such as `data.bundleId` or `items[0].price`.
        var path: String
        var name: String
        var value: APIValue
        /// The enclosing objects and lists, outermost first.
        var around: [APIValue]
    }

    /// Returns all scalar members with their paths in Apple's names.
    static func all(of part: APIValue) -> [(String, ConsolePage.Cell)] {
        members(of: part).map { ($0.path, readable($0) ?? cell($0.name, $0.value)) }
    }

    /// Adds a table of a payload's members: the readable value, and the exact value if it differs.
    static func table(of payload: APIValue, caption: String, isProven: Bool, _ page: inout ConsolePage) {
        let members = members(of: payload)
        let rows = members.map { member -> [ConsolePage.Cell] in
            let readable = readable(member)
            let exact = member.value.text ?? member.value.pretty
            return [
                .code(member.path), readable ?? .foreign(exact, limit: 300), readable == nil ? .none : .code(exact),
            ]
        }
        page.table(
            caption, ["Member", "Value", "Exact value"], rows, empty: "It has no members.", isProven: isProven)
        if members.count == mostMembers {
            page.paragraph("There is more than these \(mostMembers) members. The API has all of them.", "empty")
        }
    }

    /// Returns the members of a response as facts, without those that the page shows apart.
    static func facts(of json: APIValue, without shownApart: Set<String>) -> [(String, ConsolePage.Cell)] {
        json.members.compactMap { name, value in
            shownApart.contains(name) ? nil : (label(name), cell(name, value))
        }
    }

    /// Returns the name of a member of a response as the label of a fact or as a heading: `Received at`.
    static func label(_ name: String) -> String {
        name.words.prefix(1).uppercased() + name.words.dropFirst()
    }

    static func cell(_ name: String, _ value: APIValue) -> ConsolePage.Cell {
        switch value {
        case .nothing: return .none
        case .number(let number) where isInstant(name, number): return .time(value.instant)
        case .list(let items) where items.isEmpty: return .none
        case .list, .object: return .code(value.pretty, limit: 2000)
        case .text(let text) where text.utf8.count > 200: return .code(text, limit: 120)
        default: return .foreign(value.text ?? "", limit: 300)
        }
    }

    // MARK: - Members

    /// The maximum number of members that are shown. A receipt of many years has thousands.
    private static let mostMembers = 400

    private static func members(of payload: APIValue) -> [Member] {
        var found: [Member] = []
        collect(payload, at: "", around: [], into: &found)
        return found
    }

    private static func collect(
        _ value: APIValue, at path: String, around: [APIValue], into found: inout [Member]
    ) {
        let children: [(String, APIValue)] =
            switch value {
            case .object: value.members
            case .list(let items): items.enumerated().map { ("[\($0.offset)]", $0.element) }
            default: []
            }
        // The content of nested signed texts is shown separately.
        for (name, child) in children
        where !PayloadDifference.signedTexts.contains(name) && found.count < mostMembers {
            let childPath = path + (path.isEmpty || name.hasPrefix("[") ? "" : ".") + name
            switch child {
            case .object, .list: collect(child, at: childPath, around: around + [value], into: &found)
            default:
                found.append(Member(path: childPath, name: name, value: child, around: around + [value]))
            }
        }
    }

    // MARK: - Readable values

    /// Returns the readable value of a date, a price or an enumeration; nil for other members.
    private static func readable(_ member: Member) -> ConsolePage.Cell? {
        guard let number = member.value.number else {
            return PayloadValueNames.word(for: member.value.text ?? "", of: member.name).map { .plain($0) }
        }
        if isInstant(member.name, number) { return .time(member.value.instant) }
        if let word = PayloadValueNames.word(for: String(number), of: member.name) { return .plain(word) }
        let currency = member.around.reversed().compactMap { $0["currency"].text }.first
        if PayloadValueNames.prices.contains(member.name), let currency {
            return .foreign(PriceText.price(number, currency))
        }
        // Thousandths of a percent.
        if member.name == "revocationPercentage" { return .plain("\(Decimal(thousandths: number)) %") }
        return nil
    }

    /// The end of the year 9999 in milliseconds. Later dates would be formatted wrongly.
    private static let yearTenThousand: Int64 = 253_402_300_800_000

    private static func isInstant(_ name: String, _ number: Int64) -> Bool {
        let name = name.lowercased()
        return number > 100_000_000_000 && number < yearTenThousand
            && ["date", "_at", "until", "since", "deadline", "from", "to", "as_of", "date_ms"].contains {
                name.hasSuffix($0)
            }
    }
}
