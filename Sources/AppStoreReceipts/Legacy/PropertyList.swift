internal import AppStoreModels
internal import AppStoreTrust

/// An old-style property list in the form that transaction receipts use: a flat dictionary of quoted strings.
struct PropertyList: Sendable, Hashable {
    /// The keys with their values, in file order. Each key occurs once.
    let entries: [LegacyReceipt.Field]

    private static let maximumEntries = 256

    subscript(key: String) -> String? { entries.first { $0.key.isExactly(key) }?.value }

    init(_ bytes: some Sequence<UInt8>, _ name: String) throws(VerificationError) {
        var scanner = Scanner(rest: Array(bytes)[...], name: name)
        var entries: [LegacyReceipt.Field] = []
        var keys: Set<ExactText> = []
        try scanner.expect("{")
        while !scanner.skip("}") {
            let key = try scanner.quoted()
            try scanner.expect("=")
            let value = try scanner.quoted()
            try scanner.expect(";")
            guard keys.insert(ExactText(key)).inserted else { throw .malformed("\(name) has a key twice") }
            guard entries.count < Self.maximumEntries else {
                throw VerificationError(.tooLarge, "\(name) has too many keys")
            }
            entries.append(.init(key: key, value: value))
        }
        try scanner.finish()
        self.entries = entries
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>
        let name: String

        mutating func skipSpace() {
            rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        }

        mutating func skip(_ letter: Unicode.Scalar) -> Bool {
            skipSpace()
            guard let first = rest.first, UInt32(first) == letter.value else { return false }
            rest.removeFirst()
            return true
        }

        mutating func expect(_ letter: Unicode.Scalar) throws(VerificationError) {
            guard skip(letter) else { throw .malformed("\(name) is not a property list: no \(letter)") }
        }

        mutating func finish() throws(VerificationError) {
            skipSpace()
            guard rest.isEmpty else { throw .malformed("\(name) has trailing text") }
        }

        mutating func quoted() throws(VerificationError) -> String {
            try expect("\"")
            var text: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""):
                    guard let text = String(validating: text, as: UTF8.self) else {
                        throw .malformed("\(name) is not UTF-8")
                    }
                    return text
                case UInt8(ascii: "\\"):
                    guard let escaped = rest.popFirst(), let letter = Self.unescaped(escaped) else {
                        throw .malformed("\(name) has an unknown escape")
                    }
                    text.append(letter)
                default: text.append(byte)
                }
            }
            throw .malformed("\(name) is truncated")
        }

        private static func unescaped(_ letter: UInt8) -> UInt8? {
            switch letter {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "'"): letter
            case UInt8(ascii: "n"): 0x0A
            case UInt8(ascii: "r"): 0x0D
            case UInt8(ascii: "t"): 0x09
            default: nil
            }
        }
    }
}
