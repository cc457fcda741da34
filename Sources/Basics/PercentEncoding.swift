extension String {
    /// Decodes a name or value of a query or form; nil if it is not percent-encoded UTF-8.
    ///
    /// A plus sign is a space, as in HTML forms and `URLSearchParams`.
    package init?(formEncoded text: some Sequence<UInt8>) {
        self.init(percentEncoded: text.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }

    /// Decodes a segment of a path; nil if it is not percent-encoded UTF-8.
    ///
    /// Foundation's `removingPercentEncoding` drops a leading U+FEFF, so that two names would become equal.
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

    /// Creates the query of a URL, without the question mark, from names and values.
    package init(queryOf parameters: [(String, String)]) {
        self = parameters.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
    }
}

extension String {
    /// The text encoded as a segment of a path, or as a name or value of a query. All characters except the unreserved
    /// ones of RFC 3986 §2.3 are encoded.
    package var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in utf8 {
            if byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
