/// Encodes one value after the other, each as a line of JSON, into a buffer that whoever owns it empties now and then.
///
/// Nothing is kept but the bytes: a value goes straight from its `encode(to:)` into the buffer. What was written is read
/// with ``StrictJSONDecoder``. Values that have a text of their own with Foundation's coder, such as `Data`, have none here.
package final class JSONLineEncoder {
    private struct State {
        var json: JSONWriter
        /// The brackets that have yet to be closed, the innermost last.
        var closing: [Unicode.Scalar] = []
    }

    // Behind a pointer, since the runtime checks each access to a variable of an object: a sixth of the time. Nobody else has
    // the pointer, and nothing is written while something is being written.
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

    /// What was written since it was last emptied.
    package var written: ArraySlice<UInt8> { json.written }
    package var count: Int { json.writtenCount }

    package func removeAll() { json.removeAll() }

    /// Writes `value` and a line feed. Where it throws there is no line, and what was written before stays.
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

    /// Writes a line that whoever writes it needs no coder for.
    ///
    /// - Parameter write: Writes one value. Returns whether it could; otherwise there is no line.
    package func line(_ write: (inout JSONWriter) -> Bool) -> Bool {
        let before = json.writtenCount
        guard write(&json) else {
            json.removeAll(after: before)
            return false
        }
        json.endLine()
        return true
    }

    // A container does not say that it is complete. It is when something is written outside of it.
    fileprivate func close(to depth: Int) {
        while closing.count > depth, let bracket = closing.popLast() { json.close(bracket) }
    }

    fileprivate func open(_ bracket: Unicode.Scalar, closing end: Unicode.Scalar) {
        json.open(bracket)
        closing.append(end)
    }
}

/// The place of one value, with `depth` brackets open around it.
private struct JSONLineValue: Encoder, SingleValueEncodingContainer {
    let line: JSONLineEncoder
    let depth: Int
    // Paths are for messages; what cannot be encoded here is a number that is not finite.
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
        // What has no members asks for no container.
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
    // Numbers of other types too.
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
