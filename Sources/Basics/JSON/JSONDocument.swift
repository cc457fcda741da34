internal import Foundation

/// A fully validated JSON text, as a list of values in the order of the text.
///
/// It is stricter than Foundation's parser, because signed data must have only one interpretation: only UTF-8, no
/// repeated or escaped member names, no bytes after the value, limited nesting (RFC 8259 §4, §8.1, §9). It is also so
/// fast that verifying a text with a known chain costs little more than its P-256 signature; docs/performance.md has
/// the figures.
final class JSONDocument: Sendable {
    enum Kind: UInt8 { case object, array, string, escapedString, integer, number, bool, null }

    /// A value. A member's name is a separate value before the member's value. It has only twenty bytes, because a
    /// document has many values.
    struct Value {
        let kind: Kind
        private let container: UInt32
        private let first: UInt32
        private var last: UInt32
        private var following: UInt32

        /// The index of the enclosing object or array. The outermost value has its own index.
        var parent: Int { Int(container) }
        /// The offset of the first byte, after the quotation mark for strings.
        var start: Int { Int(first) }
        /// The offset after the last byte, before the quotation mark for strings.
        var end: Int { Int(last) }
        /// The index of the value after this one and its contents.
        var next: Int { Int(following) }

        /// All numbers fit into 32 bits, because no text is longer than ``JSONDocument/maximumBytes``.
        init(kind: Kind, in parent: Int, start: Int, end: Int, next: Int) {
            self.kind = kind
            container = UInt32(truncatingIfNeeded: parent)
            first = UInt32(truncatingIfNeeded: start)
            last = UInt32(truncatingIfNeeded: end)
            following = UInt32(truncatingIfNeeded: next)
        }

        /// Sets the end of an object or array.
        mutating func close(at end: Int, next: Int) {
            last = UInt32(truncatingIfNeeded: end)
            following = UInt32(truncatingIfNeeded: next)
        }
    }

    /// The maximum depth of nesting. The App Store's data has four levels at most today.
    static let maximumDepth = 32

    /// The maximum size of a text: 1 GiB.
    static let maximumBytes = 1 << 30

    let bytes: [UInt8]
    let values: [Value]

    /// Parses `bytes`. Throws ``JSONProblem`` if they are not strict JSON or more than `limit`.
    init(_ bytes: [UInt8], limit: Int = maximumBytes) throws(JSONProblem) {
        guard bytes.count <= limit else { throw .size }
        var values: [Value] = []
        values.reserveCapacity(64)
        var scanner = JSONScanner(bytes)
        try scanner.value(into: &values, depth: 0)
        try scanner.requireEnd()
        // The scanner accepts only ASCII outside of strings. This checks the strings.
        guard scanner.isASCII || String(validating: bytes, as: UTF8.self) != nil else { throw .syntax }
        self.bytes = bytes
        self.values = values
    }

    /// Returns the text of a string or of a member's name; nil for other values.
    func string(_ value: Value) -> String? {
        switch value.kind {
        case .string:
            bytes.withUnsafeBufferPointer { bytes in
                String(decoding: UnsafeBufferPointer(rebasing: bytes[value.start..<value.end]), as: UTF8.self)
            }
        case .escapedString: JSONEscapes.resolve(bytes[value.start..<value.end])
        default: nil
        }
    }

    /// Returns an integer; nil if the number has a fraction other than zero or an exponent, or does not fit the type.
    func integer<Integer: FixedWidthInteger>(_ value: Value) -> Integer? {
        guard let end = endOfInteger(value) else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            let isNegative = bytes[value.start] == UInt8(ascii: "-")
            var result: Integer = 0
            for index in (isNegative ? value.start + 1 : value.start)..<end {
                let digit = Integer(truncatingIfNeeded: bytes[index] &- UInt8(ascii: "0"))
                let (product, overflow) = result.multipliedReportingOverflow(by: 10)
                let (sum, carry) =
                    isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
                guard !overflow, !carry else { return nil }
                result = sum
            }
            return result
        }
    }

    /// Returns the offset after the digits of an integer; nil for other values. A fraction of zeros counts as none: some
    /// languages write a whole number as `1.0`. They compute with Double, which is exact up to 15 digits.
    private func endOfInteger(_ value: Value) -> Int? {
        if value.kind == .integer { return value.end }
        guard value.kind == .number, let point = bytes[value.start..<value.end].firstIndex(of: UInt8(ascii: ".")),
            point - value.start <= 15, bytes[(point + 1)..<value.end].allSatisfy({ $0 == UInt8(ascii: "0") })
        else { return nil }
        return point
    }

    /// Returns a number; nil for other values.
    func double(_ value: Value) -> Double? {
        guard value.kind == .integer || value.kind == .number else { return nil }
        return Double(String(decoding: bytes[value.start..<value.end], as: UTF8.self))
    }

    /// Returns the index of the value of the member `name` of the object at `object`; nil if it is missing.
    func member(_ name: String, of object: Int) -> Int? {
        var name = name
        return name.withUTF8 { name in
            bytes.withUnsafeBufferPointer { bytes in
                guard let text = bytes.baseAddress, let wanted = name.baseAddress else { return nil }
                return values.withUnsafeBufferPointer { values in
                    var index = object + 1
                    while index < values[object].next {
                        let key = values[index]
                        if key.end - key.start == name.count, memcmp(text + key.start, wanted, name.count) == 0 {
                            return index + 1
                        }
                        index = values[index + 1].next
                    }
                    return nil
                }
            }
        }
    }

    /// Returns the indices of the names on the path from the outermost value to the one at `index`. The time depends
    /// only on the depth, because a decoder that tries several types needs the path of each element of a long list.
    func path(to index: Int) -> [Int] {
        var (path, place): ([Int], Int) = ([], index)
        while place > 0 {
            let parent = values[place].parent
            // A member's name is directly before its value.
            if values[parent].kind == .object { path.append(place - 1) }
            place = parent
        }
        return path.reversed()
    }

    /// Returns the member name at `index`.
    func name(at index: Int) -> String { string(values[index]) ?? "" }

    /// Returns the names of an object's members.
    func names(of object: Int) -> [String] {
        var names: [String] = []
        var index = object + 1
        while index < values[object].next {
            names.append(name(at: index))
            index = values[index + 1].next
        }
        return names
    }
}

/// The reason why a text is not strict JSON.
package enum JSONProblem: Error {
    case syntax, size, depth, repeatedMember, escapedMember

    package var description: String {
        switch self {
        case .syntax: "the syntax is wrong"
        case .size: "it is too long"
        case .depth: "it nests more than \(JSONDocument.maximumDepth) levels deep"
        case .repeatedMember: "a member is repeated"
        case .escapedMember: "a member's name is escaped"
        }
    }
}

/// Resolves the escapes of a JSON string (RFC 8259 §7).
enum JSONEscapes {
    /// Returns the text of a string; nil if an escape is invalid. Anybody can send a megabyte of escapes, so each takes
    /// only a few nanoseconds.
    static func resolve(_ text: ArraySlice<UInt8>) -> String? {
        var resolved: [UInt8] = []
        resolved.reserveCapacity(text.count)
        var lead: UInt16?
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "\\"), index + 1 < text.endIndex else {
                // The second escape of a surrogate pair must directly follow the first.
                guard lead == nil else { return nil }
                resolved.append(text[index])
                index += 1
                continue
            }
            let letter = text[index + 1]
            guard letter == UInt8(ascii: "u") else {
                guard lead == nil, let byte = letters[letter] else { return nil }
                resolved.append(byte)
                index += 2
                continue
            }
            guard let unit = codeUnit(text[(index + 2)...].prefix(4)) else { return nil }
            index += 6
            if lead == nil, UTF16.isLeadSurrogate(unit) {
                lead = unit
                continue
            }
            guard let character = scalar(after: lead, unit) else { return nil }
            resolved += character.utf8
            lead = nil
        }
        return lead == nil ? String(decoding: resolved, as: UTF8.self) : nil
    }

    /// Returns the UTF-16 code unit of four hexadecimal digits.
    private static func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard digits.count == 4 else { return nil }
        var unit: UInt16 = 0
        for digit in digits {
            guard let value = digit.valueOfHexadecimalDigit else { return nil }
            unit = unit << 4 | UInt16(value)
        }
        return unit
    }

    /// Returns the scalar of a code unit, or of a surrogate pair; nil if there is none.
    private static func scalar(after lead: UInt16?, _ unit: UInt16) -> Unicode.Scalar? {
        guard let lead else { return Unicode.Scalar(unit) }
        guard UTF16.isTrailSurrogate(unit) else { return nil }
        let (high, low) = (UInt32(lead) - 0xD800, UInt32(unit) - 0xDC00)
        return Unicode.Scalar(0x10000 + (high << 10) + low)
    }

    private static let letters: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]
}
