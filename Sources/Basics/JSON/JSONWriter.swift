package import Foundation

/// Writes JSON directly as bytes. Responses and signed payloads are on the hot path, where `Codable` takes longer than
/// all other steps.
///
/// Generic methods are inlinable, so that they are specialized in other modules. This makes responses about customers
/// some 6 % faster.
///
/// Members appear in the order in which they are written.
@usableFromInline
package struct JSONWriter: Sendable {
    /// The written bytes, followed by free space.
    private var buffer: [UInt8]
    private var count = 0
    @usableFromInline var needsComma = false

    package init(capacity: Int = 2048) { buffer = [UInt8](repeating: 0, count: capacity) }

    /// The written bytes.
    package var bytes: [UInt8] { Array(buffer[..<count]) }

    /// The written bytes, without a copy.
    package var written: ArraySlice<UInt8> { buffer[..<count] }

    /// Writes an object. `members` writes its members.
    @inlinable
    package mutating func object<Failure: Error>(
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        separate()
        append(UInt8(ascii: "{"))
        needsComma = false
        try members(&self)
        append(UInt8(ascii: "}"))
        needsComma = true
    }

    @inlinable
    package mutating func array<Item>(_ items: some Sequence<Item>, _ element: (inout JSONWriter, Item) throws -> Void)
        rethrows
    {
        separate()
        append(UInt8(ascii: "["))
        needsComma = false
        for item in items { try element(&self, item) }
        append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Opens an object or array that ``close(_:)`` ends, for callers that cannot write its members in a closure.
    package mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        append(UInt8(ascii: bracket))
        needsComma = false
    }

    /// Closes an object or array opened by ``open(_:)``.
    package mutating func close(_ bracket: Unicode.Scalar) {
        append(UInt8(ascii: bracket))
        needsComma = true
    }

    /// Ends a line, so that the next value begins on a new line.
    mutating func endLine() {
        append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// The number of written bytes.
    var writtenCount: Int { count }

    /// Removes all bytes after the first `line` bytes, the value of ``writtenCount`` at the end of a line. Keeps the
    /// capacity.
    package mutating func removeAll(after line: Int = 0) {
        count = max(0, min(line, count))
        needsComma = false
    }

    @usableFromInline
    package mutating func key(_ name: StaticString) {
        let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        let comma = needsComma ? 1 : 0
        // Write the comma, the quoted name and the colon in one step, because names are most of a response.
        write(comma + name.count + 3) { buffer in
            buffer[0] = UInt8(ascii: ",")
            buffer[comma] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: buffer[(comma + 1)...]).copyMemory(from: name)
            buffer[comma + name.count + 1] = UInt8(ascii: "\"")
            buffer[comma + name.count + 2] = UInt8(ascii: ":")
        }
        needsComma = false
    }

    package mutating func key(text name: String) {
        string(name)
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member. `write` writes its value.
    @inlinable
    package mutating func value(_ name: StaticString, _ write: (inout JSONWriter) -> Void) {
        key(name)
        write(&self)
    }

    package mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    @inlinable
    package mutating func member(_ name: StaticString, _ value: some BinaryInteger) {
        key(name)
        number(Int64(clamping: value))
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// Writes a member unless the value is nil.
    package mutating func member(_ name: StaticString, _ value: String?) { if let value { member(name, value) } }
    package mutating func member(_ name: StaticString, _ value: Int64?) { if let value { member(name, value) } }
    package mutating func member(_ name: StaticString, _ value: Bool?) { if let value { member(name, value) } }

    @inlinable
    package mutating func member<Failure: Error>(
        _ name: StaticString, _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        try object(members)
    }

    @inlinable
    package mutating func member<Item>(
        _ name: StaticString, _ items: some Sequence<Item>, _ element: (inout JSONWriter, Item) throws -> Void
    ) rethrows {
        key(name)
        try array(items, element)
    }

    /// Writes a UUID in lower case, as Apple does, unless it is nil.
    package mutating func member(_ name: StaticString, _ uuid: UUID?) {
        guard let uuid else { return }
        key(name)
        withUnsafeBytes(of: uuid.uuid) { raw in
            write(38) { buffer in
                var place = 0
                func put(_ byte: UInt8) {
                    buffer[place] = byte
                    place += 1
                }
                put(UInt8(ascii: "\""))
                for (index, byte) in raw.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 { put(UInt8(ascii: "-")) }
                    put((byte >> 4).hexadecimalDigit)
                    put(byte.hexadecimalDigit)
                }
                put(UInt8(ascii: "\""))
            }
        }
        needsComma = true
    }

    @usableFromInline
    package mutating func number(_ value: Int64) {
        separate()
        needsComma = true
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        var count = 1
        while rest > 9 { (rest, count) = (rest / 10, count + 1) }
        rest = value.magnitude
        write(count) { buffer in
            for place in (0..<count).reversed() {
                buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
    }

    package mutating func unsigned(_ value: UInt64) {
        guard let small = Int64(exactly: value) else { return raw(String(value).utf8) }
        number(small)
    }

    /// Writes the shortest digits that parse to the same number. `value` must be finite.
    package mutating func double(_ value: Double) { raw(value.description.utf8) }

    package mutating func bool(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
        needsComma = true
    }

    package mutating func null() {
        separate()
        append("null")
        needsComma = true
    }

    /// Writes bytes that are JSON already.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        Array(json).withUnsafeBytes { json in write(json.count) { $0.copyMemory(from: json) } }
        needsComma = true
    }

    package mutating func string(_ text: String) {
        let comma = needsComma ? 1 : 0
        var text = text
        text.withUTF8 { utf8 in
            guard Self.isPlain(utf8) else {
                separate()
                return escape(utf8)
            }
            write(comma + utf8.count + 2) { buffer in
                buffer[0] = UInt8(ascii: ",")
                buffer[comma] = UInt8(ascii: "\"")
                UnsafeMutableRawBufferPointer(rebasing: buffer[(comma + 1)...])
                    .copyMemory(from: UnsafeRawBufferPointer(utf8))
                buffer[comma + utf8.count + 1] = UInt8(ascii: "\"")
            }
        }
        needsComma = true
    }

    /// Whether a text needs no escapes. The loop has no branches, so that the compiler can vectorize it.
    private static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var special: UInt8 = 0
        for byte in utf8 {
            special |= byte < 0x20 ? 1 : 0
            special |= byte == UInt8(ascii: "\"") ? 1 : 0
            special |= byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return special == 0
    }

    // RFC 8259 §7 allows several escapes; these are the ones of Foundation.
    private mutating func escape(_ utf8: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(byte)
            case 0x08: append("\\b")
            case 0x09: append("\\t")
            case 0x0A: append("\\n")
            case 0x0C: append("\\f")
            case 0x0D: append("\\r")
            case 0..<0x20:
                append("\\u00")
                append((byte >> 4).hexadecimalDigit)
                append(byte.hexadecimalDigit)
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    @usableFromInline mutating func separate() {
        if needsComma { append(UInt8(ascii: ",")) }
    }

    @usableFromInline mutating func append(_ byte: UInt8) { write(1) { $0[0] = byte } }

    private mutating func append(_ text: StaticString) {
        let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        write(text.count) { $0.copyMemory(from: text) }
    }

    /// Appends `more` bytes. The closure must set all of them.
    private mutating func write(_ more: Int, _ set: (UnsafeMutableRawBufferPointer) -> Void) {
        let end = count + more
        if end > buffer.count { buffer += repeatElement(0, count: max(buffer.count, more)) }
        buffer.withUnsafeMutableBytes { set(UnsafeMutableRawBufferPointer(rebasing: $0[count..<end])) }
        count = end
    }
}
