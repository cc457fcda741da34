extension String {
    /// What a name or a value of a query or a form stands for; nil where it is not percent-encoded UTF-8.
    ///
    /// A plus sign is a space, as HTML forms and Node's `URLSearchParams` write it.
    package init?(formEncoded text: some Sequence<UInt8>) {
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
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
