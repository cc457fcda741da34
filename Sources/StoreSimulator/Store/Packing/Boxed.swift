/// Stores a rarely present value on the heap, so that its absence only takes the space of a reference.
@propertyWrapper package struct Boxed<Value: Codable & Sendable>: Codable, Sendable {
    private final class Storage: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage?

    package init(wrappedValue: Value?) { storage = wrappedValue.map(Storage.init) }

    package var wrappedValue: Value? {
        get { storage?.value }
        set { storage = newValue.map(Storage.init) }
    }

    package init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }

    package func encode(to encoder: any Encoder) throws { try wrappedValue?.encode(to: encoder) }
}

// Synthesized coders call these overloads. They omit nil, as without the wrapper.

extension KeyedDecodingContainer {
    package func decode<Value>(_ type: Boxed<Value>.Type, forKey key: Key) throws -> Boxed<Value> {
        Boxed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    package mutating func encode<Value>(_ value: Boxed<Value>, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }
}
