/// A member of the simulator's state that older snapshots lack. It has its plain beginning then: nothing, zero, empty.
@propertyWrapper package struct Later<Value: Codable & Sendable & Beginning>: Codable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// A member that follows from the others: snapshots have none of it, and it is made again when one was read.
@propertyWrapper package struct Derived<Value: Sendable & Beginning>: Codable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) { wrappedValue = Value() }

    package func encode(to encoder: any Encoder) {}
}

/// What has a value to begin with.
package protocol Beginning {
    init()
}

extension Array: Beginning {}
extension Dictionary: Beginning {}
extension Int: Beginning {}
extension Bool: Beginning {}
extension Optional: Beginning {
    package init() { self = nil }
}

extension KeyedDecodingContainer {
    /// The decoders that the compiler writes come here.
    package func decode<Value>(_ type: Later<Value>.Type, forKey key: Key) throws -> Later<Value> {
        try decodeIfPresent(type, forKey: key) ?? Later(wrappedValue: Value())
    }

    package func decode<Value>(_ type: Derived<Value>.Type, forKey key: Key) -> Derived<Value> {
        Derived(wrappedValue: Value())
    }
}

extension KeyedEncodingContainer {
    package mutating func encode<Value>(_ value: Derived<Value>, forKey key: Key) {}
}
