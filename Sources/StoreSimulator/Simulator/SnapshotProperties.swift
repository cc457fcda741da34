/// A property of the simulator's state that older snapshots lack. If it is missing, it decodes to its default value.
@propertyWrapper package struct DefaultIfMissing<Value: Codable & Sendable & DefaultInitializable>: Codable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// A property that is computed from others. Snapshots do not contain it; it is recomputed after a snapshot is decoded.
@propertyWrapper package struct Derived<Value: Sendable & DefaultInitializable>: Codable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) { wrappedValue = Value() }

    package func encode(to encoder: any Encoder) {}
}

/// A type with a default value: nil, zero, false or empty.
package protocol DefaultInitializable {
    init()
}

extension Array: DefaultInitializable {}
extension Dictionary: DefaultInitializable {}
extension Int: DefaultInitializable {}
extension Bool: DefaultInitializable {}
extension Optional: DefaultInitializable {
    package init() { self = nil }
}

extension KeyedDecodingContainer {
    /// Synthesized decoders call this overload.
    package func decode<Value>(_ type: DefaultIfMissing<Value>.Type, forKey key: Key) throws -> DefaultIfMissing<Value>
    {
        try decodeIfPresent(type, forKey: key) ?? DefaultIfMissing(wrappedValue: Value())
    }

    package func decode<Value>(_ type: Derived<Value>.Type, forKey key: Key) -> Derived<Value> {
        Derived(wrappedValue: Value())
    }
}

extension KeyedEncodingContainer {
    package mutating func encode<Value>(_ value: Derived<Value>, forKey key: Key) {}
}
