extension StringProtocol {
    /// Whether the text consists of one or more decimal digits, `count` at most.
    package func isDigits(upTo count: Int = .max) -> Bool {
        (1...count).contains(utf8.count) && utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether the text consists of visible ASCII characters, which exclude the space.
    package var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

extension UInt8 {
    /// Whether this is an ASCII letter or digit.
    package var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
