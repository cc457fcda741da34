// How texts and numbers look. RFC 8259 leaves a choice of escapes; these are Foundation's.
extension JSONBytes {
    static let yes = Array("true".utf8)
    static let no = Array("false".utf8)

    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
    }

    mutating func string(_ text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Nearly all texts of a store are plain: one look, one copy.
            if utf8.allSatisfy({ Self.isPlain($0) }) { append(utf8) } else { escape(utf8) }
        }
        append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape(_ utf8: UnsafeBufferPointer<UInt8>) {
        for byte in utf8 {
            if Self.isPlain(byte) {
                append(byte)
                continue
            }
            append(UInt8(ascii: "\\"))
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
            case 0x08: append(UInt8(ascii: "b"))
            case 0x09: append(UInt8(ascii: "t"))
            case 0x0A: append(UInt8(ascii: "n"))
            case 0x0C: append(UInt8(ascii: "f"))
            case 0x0D: append(UInt8(ascii: "r"))
            default:
                append(UInt8(ascii: "u"))
                append(UInt8(ascii: "0"))
                append(UInt8(ascii: "0"))
                append(Self.digit(byte >> 4))
                append(Self.digit(byte & 15))
            }
        }
    }

    mutating func integer(_ value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        // The magnitude of the least number has no positive Int64.
        var rest = value.magnitude
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.mostDigits) { digits in
            var first = Self.mostDigits
            repeat {
                first -= 1
                digits.initializeElement(at: first, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            } while rest > 0
            append(UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    /// Of a 64-bit magnitude.
    private static let mostDigits = 20
}
