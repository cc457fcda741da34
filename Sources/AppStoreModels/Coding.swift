package import Foundation

// The synthesized `Codable` code of every model in this module calls `decode(_:forKey:)` and related methods by name.
// Overload resolution prefers the more specific overloads in this file. Dates are therefore integers in milliseconds
// whatever date strategy a JSONDecoder or JSONEncoder has, UUIDs are lower-case text, and open enumerations need no
// nested decoder. No other code in the module depends on the JSON representation of a value.

extension Date {
    /// The dates that can be encoded: ±100,000,000 days, the range of ECMAScript. It is within ±2^53 ms, and within
    /// 2^43 s of the reference date, where neighbouring dates differ by less than a millisecond: every integer is
    /// encoded as it was decoded.
    package static let representableMilliseconds = -8_640_000_000_000_000...8_640_000_000_000_000 as ClosedRange<Int64>
    private static let referenceMilliseconds = 978_307_200_000 as Int64

    /// Creates a date from whole milliseconds since 1970-01-01T00:00:00Z; nil outside ``representableMilliseconds``.
    package init?(millisecondsSince1970 milliseconds: Int64) {
        guard Self.representableMilliseconds.contains(milliseconds) else { return nil }
        self.init(timeIntervalSinceReferenceDate: Double(milliseconds - Self.referenceMilliseconds) / 1000)
    }

    /// The nearest whole number of milliseconds since 1970-01-01T00:00:00Z; nil outside ``representableMilliseconds``.
    /// Returns exactly the number that was passed to `init(millisecondsSince1970:)`.
    package var millisecondsSince1970: Int64? {
        let seconds = timeIntervalSinceReferenceDate
        // Split first: far from the reference date, `seconds * 1000` would round a second time.
        let whole = seconds.rounded(.down)
        guard abs(whole) < 1e13, let thousands = Int64(exactly: whole),
            let rest = Int64(exactly: ((seconds - whole) * 1000).rounded())
        else { return nil }
        let result = thousands * 1000 + rest + Self.referenceMilliseconds
        return Self.representableMilliseconds.contains(result) ? result : nil
    }
}

/// The keys of signed payloads. In them an optional UUID with invalid text decodes as `nil`, so that one field does not
/// make a signed purchase unreadable. In all other models invalid text is an error.
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

    // Xcode signs fractional milliseconds. The fraction is truncated toward zero.
    private func instant(_ milliseconds: Double, forKey key: Key) throws -> Date {
        guard let number = Int64(exactly: milliseconds.rounded(.towardZero)) else {
            throw corrupted("is not an instant in milliseconds", forKey: key)
        }
        return try instant(number, forKey: key)
    }

    /// Decodes a date from a whole number of milliseconds.
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
            throw corrupted("is not a UUID", forKey: key)
        }
        return uuid
    }

    // In Apple's consumption and Advanced Commerce requests, an empty string means "none".
    func decodeIfPresent(_ type: UUID.Type, forKey key: Key) throws -> UUID? {
        guard let text = try decodeIfPresent(String.self, forKey: key), !text.isEmpty else { return nil }
        guard let uuid = UUID(text: text) else { throw corrupted("is not a UUID", forKey: key) }
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

    // The open enumerations accept every value, but their protocol, which closed enumerations share, does not guarantee
    // that.
    private func value<T: RawRepresentable>(_ rawValue: T.RawValue, forKey key: Key) throws -> T {
        guard let value = T(rawValue: rawValue) else { throw corrupted("is an unknown value", forKey: key) }
        return value
    }

    private func corrupted(_ description: String, forKey key: Key) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: description)
    }

    /// Returns a value; nil if it is missing or of another type.
    package func readable<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
        do { return try decodeIfPresent(type, forKey: key) } catch { return nil }
    }
}

extension KeyedDecodingContainer where Key: SignedPayloadKey {
    func decodeIfPresent(_ type: UUID.Type, forKey key: Key) throws -> UUID? {
        try decodeIfPresent(String.self, forKey: key).flatMap { UUID(text: $0) }
    }
}

extension KeyedEncodingContainer {
    mutating func encode(_ value: Date, forKey key: Key) throws { try encodeMilliseconds(of: value, forKey: key) }

    /// Encodes a date as a whole number of milliseconds, as in all of Apple's data. Modules with dates in their own
    /// types call this method from an overload of `encode(_:forKey:)`, which their synthesized `Encodable` code then
    /// uses.
    package mutating func encodeMilliseconds(of value: Date, forKey key: Key) throws {
        guard let milliseconds = value.millisecondsSince1970 else {
            // Do not describe the date itself: Foundation traps if it is not a number.
            throw EncodingError.invalidValue(
                value.timeIntervalSinceReferenceDate,
                .init(codingPath: codingPath + [key], debugDescription: "not an instant in milliseconds"))
        }
        try encode(milliseconds, forKey: key)
    }

    mutating func encodeIfPresent(_ value: Date?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    // Apple's promotional offers are signed over lower-case text, so UUIDs are always encoded in lower case.
    mutating func encode(_ value: UUID, forKey key: Key) throws {
        try encode(value.text, forKey: key)
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
