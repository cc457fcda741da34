internal import AppStoreModels
internal import Foundation

// The compiler writes the Encodable code of the states. It calls `encode(_:forKey:)` by name, and of several candidates
// the most specific wins: these. So an instant is a whole number of milliseconds, as in everything Apple sends.

extension KeyedEncodingContainer {
    mutating func encode(_ value: Date, forKey key: Key) throws { try encodeMilliseconds(of: value, forKey: key) }

    mutating func encodeIfPresent(_ value: Date?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }
}
