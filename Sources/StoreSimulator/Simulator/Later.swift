/// A member of the simulator's state that older snapshots lack. It has its plain beginning then: nothing, zero, empty.
@propertyWrapper package struct Later<Value: Codable & Sendable & Beginning>: Codable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws { wrappedValue = try Value(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
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
}
