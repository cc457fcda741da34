internal import AppStoreModels
internal import Foundation

/// A string, number or Boolean, read as text, because the endpoint sends the same member in different types. Other
/// values have no text.
struct LenientText: Decodable {
    let text: String?
    /// Whether there is a value other than null that has no text.
    let isUnreadable: Bool

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = Self.read({ try container.decode(String.self) }) {
            self.text = text
        } else if let number = Self.read({ try container.decode(Int64.self) }) {
            text = String(number)
        } else if let flag = Self.read({ try container.decode(Bool.self) }) {
            text = flag ? "true" : "false"
        } else {
            text = nil
        }
        isUnreadable = text == nil && !container.decodeNil()
    }

    private static func read<Value>(_ decode: () throws -> Value) -> Value? {
        do { return try decode() } catch { return nil }
    }
}

/// All members that are strings, numbers or Booleans.
struct LenientObject: Decodable {
    private let members: [String: LenientText]

    init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: LenientText].self)
    }

    func text(_ name: String) -> String? {
        guard let text = members[name]?.text, !text.isEmpty else { return nil }
        return text
    }

    /// Whether a member is present, is not null and has no text.
    func isUnreadable(_ name: String) -> Bool { members[name]?.isUnreadable ?? false }

    func flag(_ name: String) -> Bool {
        let text = text(name)
        return text == "true" || text == "1"
    }

    func number(_ name: String) -> Int32? { text(name).flatMap { Int32($0) } }

    /// Returns the instant in the member `name` + `_ms`; nil if there is none.
    func date(_ name: String) -> Date? { text(name + "_ms").flatMap(Self.milliseconds) }

    /// Returns the instant in `name` + `_ms`, or in `name`: legacy receipts have milliseconds where unified receipts
    /// have a formatted date.
    func legacyDate(_ name: String) -> Date? { date(name) ?? text(name).flatMap(Self.milliseconds) }

    private static func milliseconds(_ text: String) -> Date? {
        Int64(text).flatMap { Date(millisecondsSince1970: $0) }
    }
}

/// A list, or the single object that older responses contain instead.
struct OneOrMany: Decodable {
    let items: [LenientObject]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            items = try container.decode([LenientObject].self)
        } catch {
            items = [try container.decode(LenientObject.self)]
        }
    }
}

/// The decoded members of a response.
struct DecodedResponse: Decodable {
    struct Receipt: Decodable {
        let members: LenientObject
        let purchases: OneOrMany?

        enum CodingKeys: String, CodingKey { case purchases = "in_app" }

        init(from decoder: any Decoder) throws {
            members = try LenientObject(from: decoder)
            purchases = try decoder.container(keyedBy: CodingKeys.self)
                .decodeIfPresent(OneOrMany.self, forKey: .purchases)
        }
    }

    let members: LenientObject
    let receipt: Receipt?
    let latest: OneOrMany?
    let latestExpired: OneOrMany?
    let renewals: OneOrMany?

    enum CodingKeys: String, CodingKey {
        case receipt
        case latest = "latest_receipt_info"
        case latestExpired = "latest_expired_receipt_info"
        case renewals = "pending_renewal_info"
    }

    init(from decoder: any Decoder) throws {
        members = try LenientObject(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        receipt = try container.decodeIfPresent(Receipt.self, forKey: .receipt)
        latest = try container.decodeIfPresent(OneOrMany.self, forKey: .latest)
        latestExpired = try container.decodeIfPresent(OneOrMany.self, forKey: .latestExpired)
        renewals = try container.decodeIfPresent(OneOrMany.self, forKey: .renewals)
    }
}
