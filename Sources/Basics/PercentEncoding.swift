extension String {
    /// What a name or a value of a query or a form stands for; nil where it is not percent-encoded UTF-8.
    ///
    /// A plus sign is a space, as HTML forms and Node's `URLSearchParams` write it.
    package init?(formEncoded text: some Sequence<UInt8>) {
        self.init(percentEncoded: text.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }

    /// What a segment of a path stands for; nil where it is not percent-encoded UTF-8.
    ///
    /// Foundation's `removingPercentEncoding` drops a U+FEFF that begins it: two names would be one.
    package init?(percentEncoded text: some Sequence<UInt8>) {
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next()?.valueOfHexadecimalDigit, let low = rest.next()?.valueOfHexadecimalDigit
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        self.init(validating: bytes, as: UTF8.self)
    }
}

extension String {
    /// The text as a segment of a path, or as a name or a value of a query. RFC 3986 §2.3: everything but the unreserved
    /// characters is encoded.
    package var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
