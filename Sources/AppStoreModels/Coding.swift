package import Foundation

// The compiler writes the Codable code of every model in this module. It calls `decode(_:forKey:)` and its relatives by
// name, and of several candidates the most specific wins: the overloads here. So a date is an integer number of
// milliseconds whatever strategy the JSONDecoder or JSONEncoder has, a UUID is lower-case text, and an open enumeration
// costs no nested decoder. Nothing else in the module knows how a value looks on the wire.

extension Date {
    // ±100,000,000 days, the range of ECMAScript. It lies within ±2^53 ms, and within 2^43 s of the reference date, where
    // two neighbouring values of `Date` are less than a millisecond apart: every integer comes back as it was.
    private static let milliseconds = -8_640_000_000_000_000...8_640_000_000_000_000 as ClosedRange<Int64>
    private static let referenceMilliseconds = 978_307_200_000 as Int64

    /// The instant a whole number of milliseconds after 1970-01-01T00:00:00Z. `nil` outside ±8,640,000,000,000,000.
    package init?(millisecondsSince1970 milliseconds: Int64) {
        guard Self.milliseconds.contains(milliseconds) else { return nil }
        self.init(timeIntervalSinceReferenceDate: Double(milliseconds - Self.referenceMilliseconds) / 1000)
    }

    /// The nearest whole number of milliseconds since 1970-01-01T00:00:00Z. `nil` outside ±8,640,000,000,000,000.
    ///
    /// Gives back exactly the number that `init(millisecondsSince1970:)` was given.
    package var millisecondsSince1970: Int64? {
        let seconds = timeIntervalSinceReferenceDate
        // Split first: far from the reference date `seconds * 1000` would round a second time.
        let whole = seconds.rounded(.down)
        guard abs(whole) < 1e13, let thousands = Int64(exactly: whole),
            let rest = Int64(exactly: ((seconds - whole) * 1000).rounded())
        else { return nil }
        let result = thousands * 1000 + rest + Self.referenceMilliseconds
        return Self.milliseconds.contains(result) ? result : nil
    }
}

/// The keys of what Apple signs. An optional UUID in there that is no UUID reads as `nil`: the rest of a signed purchase
/// is worth more than one field. Everywhere else such a text is an error.
protocol SignedPayloadKey: CodingKey {}

extension KeyedDecodingContainer {
    func decode(_ type: Date.Type, forKey key: Key) throws -> Date {
        let number: Int64
        do { number = try decode(Int64.self, forKey: key) } catch {
            return try instant(decode(Double.self, forKey: key), forKey: key)
        }
        return try instant(number, forKey: key)
    }

    func decodeIfPresent(_ type: Date.Type, forKey key: Key) throws -> Date? {
        let number: Int64?
        do { number = try decodeIfPresent(Int64.self, forKey: key) } catch {
            return try decodeIfPresent(Double.self, forKey: key).map { try instant($0, forKey: key) }
        }
        return try number.map { try instant($0, forKey: key) }
    }

    // Xcode signs fractional milliseconds. Those after the point are cut off, toward zero.
    private func instant(_ milliseconds: Double, forKey key: Key) throws -> Date {
        guard let number = Int64(exactly: milliseconds.rounded(.towardZero)) else {
            throw corrupted("\(milliseconds) is not an instant in milliseconds", forKey: key)
        }
        return try instant(number, forKey: key)
    }

    /// Reads an instant from a whole number of milliseconds.
    package func decodeMilliseconds(forKey key: Key) throws -> Date {
        try instant(decode(Int64.self, forKey: key), forKey: key)
    }

    private func instant(_ milliseconds: Int64, forKey key: Key) throws -> Date {
        guard let date = Date(millisecondsSince1970: milliseconds) else {
            throw corrupted("\(milliseconds) is not an instant in milliseconds", forKey: key)
        }
        return date
    }

    func decode(_ type: UUID.Type, forKey key: Key) throws -> UUID {
        guard let uuid = UUID(text: try decode(String.self, forKey: key)) else {
            throw corrupted("not a UUID", forKey: key)
        }
        return uuid
    }

    // The empty string is what Apple's consumption and Advanced Commerce requests say for "none".
    func decodeIfPresent(_ type: UUID.Type, forKey key: Key) throws -> UUID? {
        guard let text = try decodeIfPresent(String.self, forKey: key), !text.isEmpty else { return nil }
        guard let uuid = UUID(text: text) else { throw corrupted("not a UUID", forKey: key) }
        return uuid
    }

    func decode<T: RawRepresentable & Decodable>(_ type: T.Type, forKey key: Key) throws -> T
    where T.RawValue == String {
        try value(decode(String.self, forKey: key), forKey: key)
    }

    func decodeIfPresent<T: RawRepresentable & Decodable>(_ type: T.Type, forKey key: Key) throws -> T?
    where T.RawValue == String {
        try decodeIfPresent(String.self, forKey: key).map { try value($0, forKey: key) }
    }

    func decode<T: RawRepresentable & Decodable>(_ type: T.Type, forKey key: Key) throws -> T
    where T.RawValue == Int32 {
        try value(decode(Int32.self, forKey: key), forKey: key)
    }

    func decodeIfPresent<T: RawRepresentable & Decodable>(_ type: T.Type, forKey key: Key) throws -> T?
    where T.RawValue == Int32 {
        try decodeIfPresent(Int32.self, forKey: key).map { try value($0, forKey: key) }
    }

    // The open enumerations take every value; the protocol they share with closed ones does not promise it.
    private func value<T: RawRepresentable>(_ rawValue: T.RawValue, forKey key: Key) throws -> T {
        guard let value = T(rawValue: rawValue) else { throw corrupted("unknown value", forKey: key) }
        return value
    }

    private func corrupted(_ description: String, forKey key: Key) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: description)
    }
}

extension KeyedDecodingContainer where Key: SignedPayloadKey {
    func decodeIfPresent(_ type: UUID.Type, forKey key: Key) throws -> UUID? {
        try decodeIfPresent(String.self, forKey: key).flatMap { UUID(text: $0) }
    }
}

extension KeyedEncodingContainer {
    mutating func encode(_ value: Date, forKey key: Key) throws { try encodeMilliseconds(of: value, forKey: key) }

    /// Writes an instant as a whole number of milliseconds, as in everything Apple sends. Modules whose types have instants of
    /// their own call it from an overload of `encode(_:forKey:)`, which the compiler's Encodable code then takes.
    package mutating func encodeMilliseconds(of value: Date, forKey key: Key) throws {
        guard let milliseconds = value.millisecondsSince1970 else {
            // Not the date itself: Foundation traps when it describes one that is not a number.
            throw EncodingError.invalidValue(
                value.timeIntervalSinceReferenceDate,
                .init(codingPath: codingPath + [key], debugDescription: "not an instant in milliseconds"))
        }
        try encode(milliseconds, forKey: key)
    }

    mutating func encodeIfPresent(_ value: Date?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    // Apple's promotional offers are signed over the lower-case text, so that is what goes out everywhere.
    mutating func encode(_ value: UUID, forKey key: Key) throws {
        try encode(value.uuidString.lowercased(), forKey: key)
    }

    mutating func encodeIfPresent(_ value: UUID?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    mutating func encode<T: RawRepresentable & Encodable>(_ value: T, forKey key: Key) throws
    where T.RawValue == String {
        try encode(value.rawValue, forKey: key)
    }

    mutating func encodeIfPresent<T: RawRepresentable & Encodable>(_ value: T?, forKey key: Key) throws
    where T.RawValue == String {
        if let value { try encode(value.rawValue, forKey: key) }
    }

    mutating func encode<T: RawRepresentable & Encodable>(_ value: T, forKey key: Key) throws
    where T.RawValue == Int32 {
        try encode(value.rawValue, forKey: key)
    }

    mutating func encodeIfPresent<T: RawRepresentable & Encodable>(_ value: T?, forKey key: Key) throws
    where T.RawValue == Int32 {
        if let value { try encode(value.rawValue, forKey: key) }
    }
}
