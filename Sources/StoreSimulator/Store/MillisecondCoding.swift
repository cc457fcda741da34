internal import AppStoreModels
internal import Foundation

extension Decoder {
    /// Decodes one of the values. The error about another one lists them.
    func value<Value: RawRepresentable>(among values: [Value]) throws -> Value
    where Value.RawValue: Decodable & Equatable {
        let container = try singleValueContainer()
        let name = try container.decode(Value.RawValue.self)
        guard let value = values.first(where: { $0.rawValue == name }) else {
            let names = values.map { "\($0.rawValue)" }.joined(separator: ", ")
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "is none of \(names)")
        }
        return value
    }
}

/// Coding keys of a type whose dates are whole milliseconds in JSON, as in everything Apple sends.
///
/// Synthesized `Codable` implementations call the overloads below because they are more specific than the standard
/// ones.
protocol MillisecondKey: CodingKey {}

extension KeyedEncodingContainer where Key: MillisecondKey {
    mutating func encode(_ value: Date, forKey key: Key) throws { try encodeMilliseconds(of: value, forKey: key) }

    mutating func encodeIfPresent(_ value: Date?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }
}

extension KeyedDecodingContainer where Key: MillisecondKey {
    func decode(_ type: Date.Type, forKey key: Key) throws -> Date { try decodeMilliseconds(forKey: key) }

    func decodeIfPresent(_ type: Date.Type, forKey key: Key) throws -> Date? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decode(Date.self, forKey: key)
    }
}
