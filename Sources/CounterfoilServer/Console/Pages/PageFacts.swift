internal import Basics
internal import AppStoreModels
internal import Foundation

/// How members of answers, and of what the App Store signs, are shown.
enum PageFacts {
    /// The signed texts inside of a notification. What they say is shown as parts of their own.
    private static let signedTexts: Set<String> = [
        "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
    ]

    /// A member by its name, with what it stands in.
    private struct Member {
        /// The name with those around it, as in `data.bundleId` and `items[0].price`.
        var path: String
        var name: String
        var value: APIValue
        /// What stands beside it, and around it.
        var around: [APIValue]
    }

    /// All members by Apple's names; those of an object inside by both names.
    static func all(of part: APIValue) -> [(String, ConsolePage.Cell)] {
        members(of: part).map { ($0.path, human($0) ?? cell($0.name, $0.value)) }
    }

    /// A table of all that a payload says: what people read, and beside it what stands there, where that is another text.
    static func table(of payload: APIValue, caption: String, isProven: Bool, _ page: inout ConsolePage) {
        let members = members(of: payload)
        let rows = members.map { member -> [ConsolePage.Cell] in
            let human = human(member)
            let exact = member.value.text ?? member.value.pretty
            return [.code(member.path), human ?? .foreign(exact, limit: 300), human == nil ? .none : .code(exact)]
        }
        page.table(
            caption, ["Member", "Value", "As it stands there"], rows, empty: "It says nothing.", isProven: isProven)
        if members.count == mostMembers {
            page.paragraph("There is more than these \(mostMembers) members. The API has all of them.", "empty")
        }
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

    /// How many members of one payload are shown. A receipt of many years has thousands.
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
        for (name, child) in children where !signedTexts.contains(name) && found.count < mostMembers {
            let childPath = path + (path.isEmpty || name.hasPrefix("[") ? "" : ".") + name
            switch child {
            case .object, .list: collect(child, at: childPath, around: around + [value], into: &found)
            default:
                found.append(Member(path: childPath, name: name, value: child, around: around + [value]))
            }
        }
    }

    // MARK: - What people read

    /// A date, a price or an enumeration as people read it; nil for what is read as it stands.
    private static func human(_ member: Member) -> ConsolePage.Cell? {
        guard let number = member.value.number else {
            return SignedWords.word(for: member.value.text ?? "", of: member.name).map { .plain($0) }
        }
        if isInstant(member.name, number) { return .time(member.value.instant) }
        if let word = SignedWords.word(for: String(number), of: member.name) { return .plain(word) }
        let currency = member.around.reversed().compactMap { $0["currency"].text }.first
        if SignedWords.prices.contains(member.name), let currency {
            return .foreign(PriceText.price(number, currency))
        }
        // Thousandths of a percent.
        if member.name == "revocationPercentage" { return .plain("\(Decimal(thousandths: number)) %") }
        return nil
    }

    /// No calendar here goes further: what is later would be shown as some other day.
    private static let yearTenThousand: Int64 = 253_402_300_800_000

    private static func isInstant(_ name: String, _ number: Int64) -> Bool {
        let name = name.lowercased()
        return number > 100_000_000_000 && number < yearTenThousand
            && ["date", "_at", "until", "since", "deadline", "from", "to", "as_of", "date_ms"].contains {
                name.hasSuffix($0)
            }
    }
}
