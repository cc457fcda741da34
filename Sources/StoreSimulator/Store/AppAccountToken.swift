internal import AppStoreModels
internal import Crypto
public import Foundation

/// The account of the app that a purchase names, or that it names none.
///
/// As JSON or YAML it is a UUID in text, or `null` for a purchase without an account. Left out of a command, the customer's
/// own account is meant.
public struct AppAccountToken: Sendable, Hashable, Codable {
    /// The account; nil for none.
    public let id: UUID?

    /// An account, or none.
    public init(_ id: UUID?) { self.id = id }

    /// The app names no account.
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
    /// `null` says something else than nothing. The decoders that the compiler writes come here, too.
    func decodeIfPresent(_ type: AppAccountToken.Type, forKey key: Key) throws -> AppAccountToken? {
        contains(key) ? try decode(type, forKey: key) : nil
    }
}

extension Store {
    /// The account that a purchase names: the chosen one, or the customer's own.
    func accountToken(of customer: String, choosing choice: AppAccountToken?) -> UUID? {
        if let choice { return choice.id }
        guard let customer = customers[customer] else { return defaultAccountToken(of: customer) }
        return customer.accountToken
    }

    /// The account that a customer has in the app unless somebody says otherwise.
    ///
    /// Made from the seed and the name alone, so that it is the same in both environments, whoever came first, and no
    /// other identifier shifts.
    func defaultAccountToken(of customer: String) -> UUID {
        var hash = SHA256()
        hash.update(data: Data("appAccountToken \(seed) ".utf8))
        // Names that look the same are the same customer.
        hash.update(data: Data(customer.precomposedStringWithCanonicalMapping.utf8))
        var bytes = Array(hash.finalize().prefix(16))
        // RFC 9562, 5.8: version 8 is for UUIDs of one's own making.
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
