/// Decodes a value from strict JSON (``JSONDocument``).
package enum StrictJSONDecoder {
    /// Decodes a value. Throws ``JSONProblem`` if the bytes are not strict JSON, `DecodingError` if they are not a
    /// `Value`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try Value(from: JSONValueDecoder(document: JSONDocument(bytes), index: 0))
    }
}

/// A decoder of one value of a document. It contains only a reference and an index, because generated decoding code
/// copies it in each step. The coding path is computed on demand, for errors.
struct JSONValueDecoder: Decoder {
    let document: JSONDocument
    let index: Int

    var codingPath: [any CodingKey] { document.codingPath(to: index) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard document.values[index].kind == .object else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(JSONObjectContainer<Key>(document: document, index: index))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard document.values[index].kind == .array else { throw mismatch([Any].self) }
        return JSONArrayContainer(document: document, index: index)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    var isNull: Bool { document.values[index].kind == .null }

    func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "another type of value")
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

/// A coding key on the path to a value. Its name is read on demand: names may be long, and decoders that try several
/// types discard most errors.
private struct JSONMemberName: CodingKey {
    let document: JSONDocument
    let index: Int

    var stringValue: String { document.name(at: index) }
    var intValue: Int? { nil }

    init(in document: JSONDocument, at index: Int) { (self.document, self.index) = (document, index) }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}

extension JSONDocument {
    fileprivate func codingPath(to index: Int) -> [any CodingKey] {
        path(to: index).map { JSONMemberName(in: self, at: $0) }
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        let value = document.values[index]
        guard value.kind == .bool else { throw mismatch(type) }
        return value.end - value.start == 4
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = document.string(document.values[index]) else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let number = document.double(document.values[index]) else { throw mismatch(type) }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func integer<Integer: FixedWidthInteger>() throws -> Integer {
        guard let number: Integer = document.integer(document.values[index]) else { throw mismatch(Integer.self) }
        return number
    }
}

/// The members of an object. One lookup per member finds whether it is missing, null or has a value.
struct JSONObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let document: JSONDocument
    let index: Int

    var codingPath: [any CodingKey] { document.codingPath(to: index) }
    var allKeys: [Key] { document.names(of: index).compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { document.member(key.stringValue, of: index) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).decode(type) }
    // Also for numbers of other types.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try Value(from: member(key))
    }

    // The standard library's default implementations look up each member three times.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.decode(type) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.decode(type) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.decode(type) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try present(key)?.decode(type) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(key)?.decode(type) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try present(key).map { try Value(from: $0) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        JSONValueDecoder(document: document, index: index)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

    private func member(_ key: Key) throws -> JSONValueDecoder {
        guard let found = document.member(key.stringValue, of: index) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "no such member"))
        }
        return JSONValueDecoder(document: document, index: found)
    }

    private func present(_ key: Key) -> JSONValueDecoder? {
        guard let found = document.member(key.stringValue, of: index), document.values[found].kind != .null else {
            return nil
        }
        return JSONValueDecoder(document: document, index: found)
    }
}

/// The elements of an array.
struct JSONArrayContainer: UnkeyedDecodingContainer {
    private let document: JSONDocument
    private let index: Int
    private let end: Int
    private var position: Int
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { document.codingPath(to: index) }

    init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
        position = index + 1
        end = document.values[index].next
    }

    var count: Int? { nil }
    var isAtEnd: Bool { position >= end }

    mutating func decodeNil() throws -> Bool {
        guard try current().isNull else { return false }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try Value(from: current())
        advance()
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        defer { advance() }
        return try current().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        defer { advance() }
        return try current().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try current() }

    private func current() throws -> JSONValueDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self, .init(codingPath: codingPath, debugDescription: "the array has ended"))
        }
        return JSONValueDecoder(document: document, index: position)
    }

    private mutating func advance() {
        guard !isAtEnd else { return }
        position = document.values[position].next
        currentIndex += 1
    }
}
