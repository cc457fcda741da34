internal import AppStoreModels
internal import Foundation

/// A text or a number, as a text: the endpoint has both for the same member. Anything else has no text.
struct LenientText: Decodable {
    let text: String?
    /// Whether it is there and has no text.
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

/// The members of any name that are texts or numbers.
struct LenientObject: Decodable {
    private let members: [String: LenientText]

    init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: LenientText].self)
    }

    func text(_ name: String) -> String? {
        guard let text = members[name]?.text, !text.isEmpty else { return nil }
        return text
    }

    /// Whether there is something under a name that is neither nothing nor a text.
    func isUnreadable(_ name: String) -> Bool { members[name]?.isUnreadable ?? false }

    func flag(_ name: String) -> Bool {
        let text = text(name)
        return text == "true" || text == "1"
    }

    func number(_ name: String) -> Int32? { text(name).flatMap { Int32($0) } }

    /// The instant `name` + `_ms`; nil where there is none.
    func date(_ name: String) -> Date? { text(name + "_ms").flatMap(Self.milliseconds) }

    /// Legacy receipts have milliseconds in the member that is a formatted date in unified ones.
    func legacyDate(_ name: String) -> Date? { date(name) ?? text(name).flatMap(Self.milliseconds) }

    private static func milliseconds(_ text: String) -> Date? {
        Int64(text).flatMap { Date(millisecondsSince1970: $0) }
    }
}

/// A list, or the one object that older responses have in its place.
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

/// A response as it is written.
struct WrittenResponse: Decodable {
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
