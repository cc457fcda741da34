internal import AppStoreModels
internal import Crypto
public import Foundation

/// The `appAccountToken` of a purchase, or its explicit absence.
///
/// In JSON and YAML the value is a UUID string, or `null` for a purchase without an account. If a command omits the
/// field, the customer's own account applies.
public struct AppAccountToken: Sendable, Hashable, Codable {
    /// The account's UUID; nil for none.
    public let id: UUID?

    /// Creates a token for an account, or for none.
    public init(_ id: UUID?) { self.id = id }

    /// The purchase has no `appAccountToken`.
    public static let absent = Self(nil)

    /// Reads a UUID or `null`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard !container.decodeNil() else {
            self = .absent
            return
        }
        guard let id = UUID(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "is neither a UUID nor null")
        }
        self.init(id)
    }

    /// Writes the UUID in lower case, as the App Store does, or `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let id { try container.encode(id.text) } else { try container.encodeNil() }
    }
}

extension KeyedDecodingContainer {
    /// Tells an explicit `null` from a missing key. Synthesized decoders call this overload, too.
    func decodeIfPresent(_ type: AppAccountToken.Type, forKey key: Key) throws -> AppAccountToken? {
        contains(key) ? try decode(type, forKey: key) : nil
    }
}

extension Store {
    /// Returns the `appAccountToken` of a purchase: the chosen one, or the customer's own.
    func accountToken(of customer: String, choosing choice: AppAccountToken?) -> UUID? {
        if let choice { return choice.id }
        guard let customer = customers[customer] else { return defaultAccountToken(of: customer) }
        return customer.accountToken
    }

    /// Returns the `appAccountToken` that a customer has unless a command sets another.
    ///
    /// The token is derived from the seed and the name alone. It is therefore the same in both environments and in any
    /// order of customers, and consumes no other identifier.
    func defaultAccountToken(of customer: String) -> UUID {
        var hash = SHA256()
        hash.update(data: Data("appAccountToken \(seed) ".utf8))
        // Canonically equivalent names are the same customer.
        hash.update(data: Data(customer.precomposedStringWithCanonicalMapping.utf8))
        var bytes = Array(hash.finalize().prefix(16))
        // RFC 9562 §5.8: version 8 is for custom UUID formats.
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
