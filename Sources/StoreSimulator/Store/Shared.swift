/// A large value that is kept in several places and changed in few: copies share it until one of them is changed.
@propertyWrapper package struct Shared<Value: Codable & Sendable>: Codable, Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    package var wrappedValue: Value {
        get { storage.value }
        set { storage = Storage(newValue) }
    }

    /// What another place can share.
    package var projectedValue: Self {
        get { self }
        set { self = newValue }
    }

    package init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }

    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}
