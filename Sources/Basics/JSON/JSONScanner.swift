internal import Foundation

/// Scans a JSON text once, checks its grammar and records the position of each value.
struct JSONScanner {
    private let bytes: [UInt8]
    private var index = 0
    /// The innermost open object or array.
    private var parent = 0
    /// Whether all bytes so far are ASCII.
    private(set) var isASCII = true

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func value(into values: inout [JSONDocument.Value], depth: Int) throws(JSONProblem) {
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"): try object(into: &values, depth: depth + 1)
        case UInt8(ascii: "["): try array(into: &values, depth: depth + 1)
        case UInt8(ascii: "\""): try string(into: &values)
        case UInt8(ascii: "t"): try word("true", .bool, into: &values)
        case UInt8(ascii: "f"): try word("false", .bool, into: &values)
        case UInt8(ascii: "n"): try word("null", .null, into: &values)
        default: try number(into: &values)
        }
    }

    mutating func requireEnd() throws(JSONProblem) {
        skipSpace()
        guard index == bytes.count else { throw .syntax }
    }

    private mutating func object(into values: inout [JSONDocument.Value], depth: Int) throws(JSONProblem) {
        guard depth <= JSONDocument.maximumDepth else { throw .depth }
        let own = open(.object, into: &values)
        var members = 0
        skipSpace()
        if peek() != UInt8(ascii: "}") {
            repeat {
                skipSpace()
                members += 1
                guard peek() == UInt8(ascii: "\"") else { throw .syntax }
                try string(into: &values)
                // An escaped name could be another spelling of the same name.
                guard values[values.count - 1].kind == .string else { throw .escapedMember }
                skipSpace()
                guard take(UInt8(ascii: ":")) else { throw .syntax }
                try value(into: &values, depth: depth)
                skipSpace()
            } while take(UInt8(ascii: ","))
        }
        guard take(UInt8(ascii: "}")) else { throw .syntax }
        try requireUnique(members, of: own, in: values)
        close(own, in: &values)
    }

    private mutating func array(into values: inout [JSONDocument.Value], depth: Int) throws(JSONProblem) {
        guard depth <= JSONDocument.maximumDepth else { throw .depth }
        let own = open(.array, into: &values)
        skipSpace()
        if peek() != UInt8(ascii: "]") {
            repeat {
                try value(into: &values, depth: depth)
                skipSpace()
            } while take(UInt8(ascii: ","))
        }
        guard take(UInt8(ascii: "]")) else { throw .syntax }
        close(own, in: &values)
    }

    /// Records the string at `index`, the position of its opening quotation mark.
    private mutating func string(into values: inout [JSONDocument.Value]) throws(JSONProblem) {
        let start = index + 1
        var (end, hasEscapes) = (0, false)
        if let plain = bytes.withUnsafeBytes({ Self.endOfPlainString(in: $0, from: start) }) {
            end = plain
        } else {
            (end, hasEscapes) = try otherString(from: start)
        }
        index = end + 1
        // Resolve escapes here, so that an invalid one is found in any string.
        if hasEscapes, JSONEscapes.resolve(bytes[start..<end]) == nil { throw .syntax }
        values.append(
            .init(
                kind: hasEscapes ? .escapedString : .string, in: parent, start: start, end: end, next: values.count + 1)
        )
    }

    /// Returns the position of the next quotation mark if all bytes before it are ASCII without escapes and control
    /// characters. Most of the App Store's signed data is base64 in strings, which is scanned eight bytes at a time.
    private static func endOfPlainString(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = text.baseAddress, start < text.count,
            let quote = memchr(base + start, CInt(UInt8(ascii: "\"")), text.count - start)
        else { return nil }
        let end = UnsafeRawPointer(quote) - base
        let low = 0x0101_0101_0101_0101 as UInt64
        // All offsets below are between `start` and `end`.
        func mark(_ offset: Int) -> UInt64 {
            let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // A byte of `backslash` is zero where the text has a backslash. The subtraction then sets its highest bit.
            let backslash = word ^ (low &* UInt64(UInt8(ascii: "\\")))
            return (backslash &- low) | (word &- low &* 0x20) | word
        }
        var (marks, position) = (UInt64(0), start)
        while end &- position >= 8 {
            marks |= mark(position)
            position &+= 8
        }
        if position < end, end &- start >= 8 {
            marks |= mark(end &- 8)
        } else {
            while position < end {
                let byte = text[position]
                if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\\") { return nil }
                position &+= 1
            }
        }
        return marks & (low &* 0x80) == 0 ? end : nil
    }

    /// Returns the end of a string that contains escapes or bytes outside of ASCII, and whether it contains escapes.
    private mutating func otherString(from start: Int) throws(JSONProblem) -> (end: Int, hasEscapes: Bool) {
        var (position, hasEscapes) = (start, false)
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            let byte = bytes[position]
            guard byte >= 0x20 else { throw .syntax }
            if byte >= 0x80 { isASCII = false }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                position += 1
            }
            position += 1
        }
        guard position < bytes.count else { throw .syntax }
        return (position, hasEscapes)
    }

    private mutating func number(into values: inout [JSONDocument.Value]) throws(JSONProblem) {
        let start = index
        _ = take(UInt8(ascii: "-"))
        let first = peek()
        guard digits() > 0, first != UInt8(ascii: "0") || index == start + (bytes[start] == first ? 1 : 2) else {
            throw .syntax
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard digits() > 0 else { throw .syntax }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
            guard digits() > 0 else { throw .syntax }
        }
        values.append(
            .init(kind: isInteger ? .integer : .number, in: parent, start: start, end: index, next: values.count + 1))
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONDocument.Kind, into values: inout [JSONDocument.Value]
    ) throws(JSONProblem) {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[index..<end]) }) else { throw .syntax }
        values.append(.init(kind: kind, in: parent, start: index, end: end, next: values.count + 1))
        index = end
    }

    /// Checks that member names are unique. Up to 64 names are compared with each other; more are sorted, because
    /// comparing them takes quadratic time.
    private func requireUnique(_ count: Int, of object: Int, in values: [JSONDocument.Value]) throws(JSONProblem) {
        guard count > 1 else { return }
        let isRepeated = values.withUnsafeBufferPointer { values in
            let names = JSONMemberNames(values, of: object)
            return bytes.withUnsafeBufferPointer {
                count <= 64 ? Self.isRepeated(names, in: $0) : Self.isRepeated(sorting: names, in: $0)
            }
        }
        guard !isRepeated else { throw .repeatedMember }
    }

    private static func isRepeated(_ names: JSONMemberNames, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        // Nearly all names differ in their length, first or last byte.
        var seen: UInt64 = 0
        for name in names {
            let (start, count) = (name.start, name.end - name.start)
            let mark: UInt64 =
                count > 0 ? 1 &<< UInt64(count &* 7 &+ Int(base[start] ^ base[start + count - 1] &* 3)) : 1
            defer { seen |= mark }
            guard seen & mark != 0 else { continue }
            for other in names {
                // Compare only with earlier names.
                if other.start == start { break }
                if other.end - other.start == count, memcmp(base + start, base + other.start, count) == 0 {
                    return true
                }
            }
        }
        return false
    }

    /// Anybody can send tens of thousands of names. Sorting them is faster than hashing them byte by byte.
    private static func isRepeated(sorting names: JSONMemberNames, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        func difference(_ one: JSONDocument.Value, _ other: JSONDocument.Value) -> Int {
            let (count, otherCount) = (one.end - one.start, other.end - other.start)
            guard count == otherCount else { return count - otherCount }
            return Int(memcmp(base + one.start, base + other.start, count))
        }
        let sorted = names.sorted { difference($0, $1) < 0 }
        return zip(sorted, sorted.dropFirst()).contains { difference($0, $1) == 0 }
    }

    /// Opens an object or array. Following values belong to it until ``close(_:in:)``.
    private mutating func open(_ kind: JSONDocument.Kind, into values: inout [JSONDocument.Value]) -> Int {
        values.append(.init(kind: kind, in: parent, start: index, end: index, next: 0))
        index += 1
        parent = values.count - 1
        return parent
    }

    private mutating func close(_ own: Int, in values: inout [JSONDocument.Value]) {
        values[own].close(at: index, next: values.count)
        parent = values[own].parent
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { index += 1 }
        return index - start
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        index += 1
        return true
    }

    private func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }
}

/// The member names of the last object in `values`.
private struct JSONMemberNames: Sequence, IteratorProtocol {
    private let values: UnsafeBufferPointer<JSONDocument.Value>
    private var place: Int

    init(_ values: UnsafeBufferPointer<JSONDocument.Value>, of object: Int) {
        self.values = values
        place = object + 1
    }

    mutating func next() -> JSONDocument.Value? {
        guard place < values.count else { return nil }
        let name = values[place]
        // The member's value follows its name, and the next name follows that value.
        place = values[place + 1].next
        return name
    }
}
