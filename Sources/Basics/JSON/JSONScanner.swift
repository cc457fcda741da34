internal import Foundation

/// Walks over a JSON text once, checking its grammar and noting where each value lies.
struct JSONScanner {
    private let bytes: [UInt8]
    private var index = 0
    /// Whether no byte so far was above 127.
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
        var names: [Int] = []
        names.reserveCapacity(32)
        skipSpace()
        if peek() != UInt8(ascii: "}") {
            repeat {
                skipSpace()
                names.append(values.count)
                guard peek() == UInt8(ascii: "\"") else { throw .syntax }
                try string(into: &values)
                // It could be a second spelling of another name.
                guard values[values.count - 1].kind == .string else { throw .escapedMember }
                skipSpace()
                guard take(UInt8(ascii: ":")) else { throw .syntax }
                try value(into: &values, depth: depth)
                skipSpace()
            } while take(UInt8(ascii: ","))
        }
        guard take(UInt8(ascii: "}")) else { throw .syntax }
        try requireUnique(names, in: values)
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

    /// Notes the string at `index`, which is its opening quotation mark.
    private mutating func string(into values: inout [JSONDocument.Value]) throws(JSONProblem) {
        let start = index + 1
        var (position, hasEscapes, union) = (start, false, UInt8(0))
        let end: Int? = bytes.withUnsafeBufferPointer { bytes in
            while position < bytes.count {
                position += Self.plainLetters(in: bytes, from: position)
                guard position < bytes.count else { return nil }
                let byte = bytes[position]
                if byte == UInt8(ascii: "\"") { return position }
                guard byte >= 0x20 else { return nil }
                union |= byte
                if byte == UInt8(ascii: "\\") {
                    hasEscapes = true
                    position += 1
                }
                position += 1
            }
            return nil
        }
        guard let end else { throw .syntax }
        isASCII = isASCII && union < 0x80
        index = end + 1
        // Escapes are resolved here once, so that a wrong one is found wherever it stands.
        if hasEscapes, JSONEscapes.resolve(bytes[start..<end]) == nil { throw .syntax }
        values.append(
            .init(kind: hasEscapes ? .escapedString : .string, start: start, end: end, next: values.count + 1))
    }

    /// How many letters follow that mean nothing but themselves, eight at a time: most of what the App Store signs is
    /// base64 within strings.
    private static func plainLetters(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let (low, high) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        let text = UnsafeRawBufferPointer(bytes)
        var position = start
        while position + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            // A byte of the word is zero where the letter is: then the borrow of the subtraction reaches its highest bit.
            let quote = word ^ (low &* UInt64(UInt8(ascii: "\"")))
            let backslash = word ^ (low &* UInt64(UInt8(ascii: "\\")))
            let special = (quote &- low) | (backslash &- low) | (word &- low &* 0x20) | word
            guard special & high == 0 else { break }
            position += 8
        }
        return position - start
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
        values.append(.init(kind: isInteger ? .integer : .number, start: start, end: index, next: values.count + 1))
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONDocument.Kind, into values: inout [JSONDocument.Value]
    ) throws(JSONProblem) {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[index..<end]) }) else { throw .syntax }
        values.append(.init(kind: kind, start: index, end: end, next: values.count + 1))
        index = end
    }

    /// Few names are compared with each other; many would take quadratic time, so those are hashed.
    private func requireUnique(_ names: [Int], in values: [JSONDocument.Value]) throws(JSONProblem) {
        guard names.count <= 64 else {
            let unique = Set(names.map { bytes[values[$0].start..<values[$0].end] })
            guard unique.count == names.count else { throw .repeatedMember }
            return
        }
        let isRepeated = bytes.withUnsafeBufferPointer { bytes in
            for (position, name) in names.enumerated() {
                let (start, count) = (values[name].start, values[name].end - values[name].start)
                for other in names[..<position] where values[other].end - values[other].start == count {
                    guard let base = bytes.baseAddress else { return false }
                    if memcmp(base + start, base + values[other].start, count) == 0 { return true }
                }
            }
            return false
        }
        guard !isRepeated else { throw .repeatedMember }
    }

    private mutating func open(_ kind: JSONDocument.Kind, into values: inout [JSONDocument.Value]) -> Int {
        values.append(.init(kind: kind, start: index, end: index, next: 0))
        index += 1
        return values.count - 1
    }

    private func close(_ own: Int, in values: inout [JSONDocument.Value]) {
        values[own].end = index
        values[own].next = values.count
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
