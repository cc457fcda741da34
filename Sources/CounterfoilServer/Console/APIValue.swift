internal import AppStoreModels
internal import Basics
internal import Foundation

/// A JSON value in a response of the API.
indirect enum APIValue: Sendable {
    case nothing
    case flag(Bool)
    case number(Int64)
    case decimal(Decimal)
    case text(String)
    case list([APIValue])
    case object([String: APIValue])

    /// Decodes JSON; invalid JSON becomes `nothing`.
    init(json: Data) {
        let text = json.keepingByteOrderMarks
        guard let value = try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed) else {
            self = .nothing
            return
        }
        self.init(value)
    }

    private init(_ value: Any) {
        switch value {
        case let text as String: self = .text(text)
        case let list as [Any]: self = .list(list.map { APIValue($0) })
        case let object as [String: Any]: self = .object(object.mapValues { APIValue($0) })
        case let number as NSNumber:
            if number.isBoolean {
                self = .flag(number.boolValue)
            } else if let whole = Int64(exactly: number.doubleValue) {
                self = .number(number.doubleValue.magnitude < 9e15 ? whole : number.int64Value)
            } else {
                let decimal = Decimal(string: "\(number)") ?? number.decimalValue
                // A number that is too large for Decimal becomes text.
                self = decimal.isNaN ? .text("\(number)") : .decimal(decimal)
            }
        default: self = .nothing
        }
    }

    subscript(_ name: String) -> APIValue {
        guard case .object(let members) = self else { return .nothing }
        return members[name] ?? .nothing
    }

    var text: String? {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        case .decimal(let number): "\(number)"
        case .flag(let flag): flag ? "yes" : "no"
        default: nil
        }
    }

    /// The text of a member; empty if the object does not have it.
    func string(_ name: String) -> String { self[name].text ?? "" }

    /// The texts of a member that is a list.
    func strings(_ name: String) -> [String] { self[name].items.compactMap(\.text) }

    /// The first of these members that the object has.
    func first(_ names: String...) -> APIValue { names.map { self[$0] }.first { !$0.isNothing } ?? .nothing }

    /// The app and the environment of an item, as parameters of a page.
    var scope: [(String, String)] { ["app", "environment"].map { ($0, string($0)) } }

    /// The app and the environment of an item, as a text.
    var scopeName: String { scope.map(\.1).joined(separator: " ") }

    var number: Int64? { if case .number(let number) = self { number } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var items: [APIValue] { if case .list(let items) = self { items } else { [] } }
    var members: [(String, APIValue)] {
        guard case .object(let members) = self else { return [] }
        return members.sorted { $0.key < $1.key }
    }
    var isNothing: Bool { if case .nothing = self { true } else { false } }

    /// The value as a date, from milliseconds or ISO 8601.
    var instant: Date? {
        switch self {
        case .number(let number): Date(millisecondsSince1970: number)
        case .text(let text):
            InstantText.milliseconds(iso8601: text).flatMap { Date(millisecondsSince1970: $0) }
        default: nil
        }
    }

    /// The value as formatted JSON with sorted keys.
    var pretty: String {
        let options: JSONSerialization.WritingOptions = [
            .prettyPrinted, .sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed,
        ]
        guard let data = try? JSONSerialization.data(withJSONObject: plain, options: options) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    private var plain: Any {
        switch self {
        case .nothing: NSNull()
        case .flag(let flag): flag
        case .number(let number): number
        case .decimal(let number): number
        case .text(let text): text
        case .list(let items): items.map(\.plain)
        case .object(let members): members.mapValues(\.plain)
        }
    }
}
