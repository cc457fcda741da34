internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Foundation
internal import WebConsole

/// Decodes texts that this simulator has signed.
enum SignedText {
    /// Returns rows for the template `facts`: the members of the payload by name, with readable dates.
    static func rows(_ text: String) -> PageValue { rows(payload(of: text) ?? .null) }

    /// Returns a row for each member of an object; no rows for any other value.
    static func rows(_ json: JSONValue) -> PageValue {
        guard case .object(let members) = json else { return .list([]) }
        return .list(
            members.sorted { $0.key < $1.key }.map { name, value in
                var date: Date?
                if case .integer(let milliseconds) = value, name.hasSuffix("Date") || name.hasSuffix("_date_ms") {
                    date = Date(millisecondsSince1970: milliseconds)
                }
                return [
                    "factName": .foreign(name), "factValue": .foreign(Self.text(value), limit: 300, showsWhole: true),
                    "factDate": .time(date),
                ]
            })
    }

    /// Returns the payload of a JWS. Does not verify it, because the simulator itself has signed it.
    static func payload(of text: String) -> JSONValue? {
        CompactJWS.payload(of: text).flatMap { try? JSONValue(json: $0) }
    }

    /// Returns a value as JSON; a string without quotes.
    static func text(_ value: JSONValue) -> String {
        if case .string(let text) = value { return text }
        return (try? String(decoding: ControlJSON.encode(value), as: UTF8.self)) ?? ""
    }

    /// Returns indented JSON.
    static func pretty(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return (try? String(decoding: encoder.encode(value), as: UTF8.self)) ?? ""
    }
}
