/// Encodes values as lines of JSON into a buffer, which its owner empties from time to time.
///
/// Values write their bytes directly into the buffer, without an intermediate representation. ``StrictJSONDecoder``
/// decodes them. The encoder does not support the special encodings that Foundation's encoder has for types such as
/// `Data`.
package final class JSONLineEncoder {
    private struct State {
        var json: JSONWriter
        /// The closing brackets of all open containers, innermost last.
        var closing: [Unicode.Scalar] = []
    }

    // A pointer avoids the runtime's exclusivity checks for class properties, which take a sixth of the time. The
    // pointer is never shared, and accesses never overlap.
    private let state: UnsafeMutablePointer<State>

    fileprivate var json: JSONWriter {
        get { state.pointee.json }
        _modify { yield &state.pointee.json }
    }
    private var closing: [Unicode.Scalar] {
        get { state.pointee.closing }
        _modify { yield &state.pointee.closing }
    }

    package init(capacity: Int = 1 << 16) {
        state = .allocate(capacity: 1)
        state.initialize(to: State(json: JSONWriter(capacity: capacity)))
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// The bytes written since the buffer was last emptied.
    package var written: ArraySlice<UInt8> { json.written }
    package var count: Int { json.writtenCount }

    package func removeAll() { json.removeAll() }

    /// Writes `value` and a line feed. If encoding throws, the buffer is unchanged.
    package func encode(_ value: some Encodable) throws {
        let before = json.writtenCount
        do { try JSONLineValue(line: self, depth: 0).encode(value) } catch {
            closing = []
            json.removeAll(after: before)
            throw error
        }
        close(to: 0)
        json.endLine()
    }

    /// Writes a line without `Encodable`.
    ///
    /// - Parameter write: Writes one value. If it returns false, the buffer is unchanged.
    /// - Returns: Whether the line was written.
    package func line(_ write: (inout JSONWriter) -> Bool) -> Bool {
        let before = json.writtenCount
        guard write(&json) else {
            json.removeAll(after: before)
            return false
        }
        json.endLine()
        return true
    }

    // Containers have no end call, so they are closed when a value outside of them is written.
    fileprivate func close(to depth: Int) {
        while closing.count > depth, let bracket = closing.popLast() { json.close(bracket) }
    }

    fileprivate func open(_ bracket: Unicode.Scalar, closing end: Unicode.Scalar) {
        json.open(bracket)
        closing.append(end)
    }
}

/// The encoder of one value inside of `depth` open brackets.
private struct JSONLineValue: Encoder, SingleValueEncodingContainer {
    let line: JSONLineEncoder
    let depth: Int
    // Empty, because paths are only for messages, and the only error here is a number that is not finite.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        line.close(to: depth)
        line.open("{", closing: "}")
        return KeyedEncodingContainer(JSONLineObject<Key>(line: line, depth: depth + 1))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        line.close(to: depth)
        line.open("[", closing: "]")
        return JSONLineArray(line: line, depth: depth + 1)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { line.json.null() }
    func encode(_ value: Bool) { line.json.bool(value) }
    func encode(_ value: String) { line.json.string(value) }
    func encode(_ value: Float) throws { try encode(Double(value)) }
    func encode(_ value: Int) { line.json.number(Int64(value)) }
    func encode(_ value: Int8) { line.json.number(Int64(value)) }
    func encode(_ value: Int16) { line.json.number(Int64(value)) }
    func encode(_ value: Int32) { line.json.number(Int64(value)) }
    func encode(_ value: Int64) { line.json.number(value) }
    func encode(_ value: UInt) { line.json.unsigned(UInt64(value)) }
    func encode(_ value: UInt8) { line.json.number(Int64(value)) }
    func encode(_ value: UInt16) { line.json.number(Int64(value)) }
    func encode(_ value: UInt32) { line.json.number(Int64(value)) }
    func encode(_ value: UInt64) { line.json.unsigned(value) }

    func encode(_ value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "not a number in JSON"))
        }
        line.json.double(value)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        let before = line.json.writtenCount
        try value.encode(to: self)
        // A type without members may request no container: write an empty object.
        if line.json.writtenCount == before { _ = container(keyedBy: JSONName.self) }
    }
}

private struct JSONLineObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let line: JSONLineEncoder
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    private func member(_ name: String) -> JSONLineValue {
        line.close(to: depth)
        line.json.key(text: name)
        return JSONLineValue(line: line, depth: depth)
    }

    func encodeNil(forKey key: Key) { member(key.stringValue).encodeNil() }
    func encode(_ value: Bool, forKey key: Key) { member(key.stringValue).encode(value) }
    func encode(_ value: String, forKey key: Key) { member(key.stringValue).encode(value) }
    func encode(_ value: Double, forKey key: Key) throws { try member(key.stringValue).encode(value) }
    func encode(_ value: Int, forKey key: Key) { member(key.stringValue).encode(value) }
    func encode(_ value: Int32, forKey key: Key) { member(key.stringValue).encode(value) }
    func encode(_ value: Int64, forKey key: Key) { member(key.stringValue).encode(value) }
    func encode(_ value: UInt16, forKey key: Key) { member(key.stringValue).encode(value) }
    // Also for numbers of other types.
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try member(key.stringValue).encode(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        member(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        member(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { member("super") }
    func superEncoder(forKey key: Key) -> any Encoder { member(key.stringValue) }
}

private struct JSONLineArray: UnkeyedEncodingContainer {
    let line: JSONLineEncoder
    let depth: Int
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(line: JSONLineEncoder, depth: Int) { (self.line, self.depth) = (line, depth) }

    private mutating func element() -> JSONLineValue {
        line.close(to: depth)
        count += 1
        return JSONLineValue(line: line, depth: depth)
    }

    mutating func encodeNil() { element().encodeNil() }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try element().encode(value) }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        element().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { element() }
}
