internal import Foundation

/// A JSON text, checked as a whole and laid out as a list of values in the order of the text.
///
/// Stricter than Foundation's reader, because what is signed must read one way only: UTF-8 and nothing else, no repeated
/// or escaped member names, no byte after the value, little nesting (RFC 8259 §4, §8.1, §9). It is also what makes a
/// known chain cost little more than its P-256 verification; docs/performance.md has the figures.
final class JSONDocument: Sendable {
    enum Kind: UInt8 { case object, array, string, escapedString, integer, number, bool, null }

    /// One value. A member's name is a value of its own in front of the member's value. Twenty bytes, since a document has many.
    struct Value {
        let kind: Kind
        private let container: UInt32
        private let first: UInt32
        private var last: UInt32
        private var following: UInt32

        /// Index of the object or array that it is in; of the outermost one its own.
        var parent: Int { Int(container) }
        /// First byte and the byte after the last one; without the quotation marks for strings.
        var start: Int { Int(first) }
        var end: Int { Int(last) }
        /// Index of the value that follows this one and everything in it.
        var next: Int { Int(following) }

        /// No text is longer than ``JSONDocument/maximumBytes``, and no value ends behind the text.
        init(kind: Kind, in parent: Int, start: Int, end: Int, next: Int) {
            self.kind = kind
            container = UInt32(truncatingIfNeeded: parent)
            first = UInt32(truncatingIfNeeded: start)
            last = UInt32(truncatingIfNeeded: end)
            following = UInt32(truncatingIfNeeded: next)
        }

        /// What is behind it, once that is known.
        mutating func close(at end: Int, next: Int) {
            last = UInt32(truncatingIfNeeded: end)
            following = UInt32(truncatingIfNeeded: next)
        }
    }

    /// How deep the App Store's data may nest: today's deepest has four levels.
    static let maximumDepth = 32

    /// How long a text may be: a gigabyte.
    static let maximumBytes = 1 << 30

    let bytes: [UInt8]
    let values: [Value]

    /// Reads `bytes`, no more than `limit`. Throws ``JSONProblem``.
    init(_ bytes: [UInt8], limit: Int = maximumBytes) throws(JSONProblem) {
        guard bytes.count <= limit else { throw .size }
        var values: [Value] = []
        values.reserveCapacity(64)
        var scanner = JSONScanner(bytes)
        try scanner.value(into: &values, depth: 0)
        try scanner.requireEnd()
        // Letters outside strings were ASCII; within strings this is the check.
        guard scanner.isASCII || String(validating: bytes, as: UTF8.self) != nil else { throw .syntax }
        self.bytes = bytes
        self.values = values
    }

    /// The text of a string or a member's name.
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

    /// An integer written without fraction and exponent, if it fits.
    func integer<Integer: FixedWidthInteger>(_ value: Value) -> Integer? {
        guard value.kind == .integer else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            let isNegative = bytes[value.start] == UInt8(ascii: "-")
            var result: Integer = 0
            for index in (isNegative ? value.start + 1 : value.start)..<value.end {
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

    /// Any number.
    func double(_ value: Value) -> Double? {
        guard value.kind == .integer || value.kind == .number else { return nil }
        return Double(String(decoding: bytes[value.start..<value.end], as: UTF8.self))
    }

    /// Index of the value of the member `name` of the object at `object`.
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

    /// Indices of the names on the way from the outermost value to the one at `index`. It takes no longer where there are many
    /// others: a decoder that tries one type after another asks for each of a long list.
    func path(to index: Int) -> [Int] {
        var (path, place): ([Int], Int) = ([], index)
        while place > 0 {
            let parent = values[place].parent
            // A member's name is in front of it.
            if values[parent].kind == .object { path.append(place - 1) }
            place = parent
        }
        return path.reversed()
    }

    /// The name of a member, `index` being that of the name.
    func name(at index: Int) -> String { string(values[index]) ?? "" }

    /// Names of an object's members.
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

/// Why a text is not the JSON it has to be.
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
    static func resolve(_ text: ArraySlice<UInt8>) -> String? {
        var units: [UInt16] = []
        var plain: [UInt8] = []
        var result = ""
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "\\"), index + 1 < text.endIndex else {
                // The second escape of a pair of surrogates follows the first at once.
                guard units.isEmpty else { return nil }
                plain.append(text[index])
                index += 1
                continue
            }
            result += String(decoding: plain, as: UTF8.self)
            plain = []
            if text[index + 1] == UInt8(ascii: "u") {
                // A sign would be fine with `UInt16`.
                let digits = text[(index + 2)...].prefix(4)
                guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                    let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
                else { return nil }
                units.append(unit)
                index += 6
                if UTF16.isLeadSurrogate(unit), units.count == 1 { continue }
                guard let piece = String(validating: units, as: UTF16.self) else { return nil }
                result += piece
                units = []
            } else {
                guard units.isEmpty, let letter = letters[text[index + 1]] else { return nil }
                result += letter
                index += 2
            }
        }
        guard units.isEmpty else { return nil }
        return result + String(decoding: plain, as: UTF8.self)
    }

    static let letters: [UInt8: String] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]
}
