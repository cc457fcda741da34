internal import AppStoreModels
internal import Foundation

// The synthesized `Encodable` code of the states calls `encode(_:forKey:)` by name. Overload resolution prefers these
// more specific overloads, so that dates are encoded as whole milliseconds, as in Apple's data.

extension KeyedEncodingContainer {
    mutating func encode(_ value: Date, forKey key: Key) throws { try encodeMilliseconds(of: value, forKey: key) }

    mutating func encodeIfPresent(_ value: Date?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }
}
