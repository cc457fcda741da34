/// A dictionary that is computed from other properties. Snapshots do not contain it; it is recomputed after a snapshot is
/// decoded.
@propertyWrapper package struct Derived<Name: Hashable & Sendable, Value: Sendable>: Codable, Sendable {
    package var wrappedValue: [Name: Value]

    package init(wrappedValue: [Name: Value]) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) { wrappedValue = [:] }

    package func encode(to encoder: any Encoder) {}
}

// Synthesized coders call these overloads.

extension KeyedDecodingContainer {
    package func decode<Name, Value>(_ type: Derived<Name, Value>.Type, forKey key: Key) -> Derived<Name, Value> {
        Derived(wrappedValue: [:])
    }
}

extension KeyedEncodingContainer {
    package mutating func encode<Name, Value>(_ value: Derived<Name, Value>, forKey key: Key) {}
}
