extension String {
    /// The text with some of its code points written as something else.
    ///
    /// Swift's `replacing` goes by characters: a quotation mark with an accent is one, and so is a carriage return with its line
    /// feed, while whoever reads the text goes by code points or bytes and ends there.
    ///
    /// - Parameter replacement: What stands for a code point; nil where it stays.
    package func escaping(_ replacement: (Unicode.Scalar) -> String?) -> String {
        unicodeScalars.reduce(into: "") { result, scalar in
            if let text = replacement(scalar) {
                result += text
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// The text as one word of a shell's command line.
    package var shellWord: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._/:@%+=,".utf8.contains(byte)
            }
        }
        return isPlain && !isEmpty ? self : "'" + escaping { $0 == "'" ? #"'\''"# : nil } + "'"
    }
}
