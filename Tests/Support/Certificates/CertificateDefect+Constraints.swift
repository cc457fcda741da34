internal import AppStoreTrust

extension CertificateDefect {
    /// RFC 5280 §4.2.1.9: basic constraints.
    static let constraints: [CertificateDefect] = [
        values(
            "4.2.1.9 basic constraints", Identifier.basicConstraints, .certificateMalformed,
            [
                ("no authority, written out", [0x30, 3, 1, 1, 0]), ("an authority as 1", [0x30, 3, 1, 1, 1]),
                ("an authority as a number", [0x30, 3, 2, 1, 1]),
                ("a path without an authority", [0x30, 3, 2, 1, 0]),
                ("a path with a leading zero", [0x30, 7, 1, 1, 0xFF, 2, 2, 0, 0]),
                ("a path of nine octets", [0x30, 14, 1, 1, 0xFF, 2, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
                ("a path of no octets", [0x30, 5, 1, 1, 0xFF, 2, 0]),
                ("a third field", [0x30, 8, 1, 1, 0xFF, 2, 1, 9, 5, 0]),
                ("an authority twice", [0x30, 6, 1, 1, 0xFF, 1, 1, 0xFF]),
                ("the path first", [0x30, 6, 2, 1, 9, 1, 1, 0xFF]), ("a SET", [0x31, 3, 1, 1, 0xFF]),
                ("NULL", [5, 0]), ("nothing", []), ("two", [0x30, 0, 0x30, 0]), ("a byte after it", [0x30, 0, 0]),
                ("an overlong length", [0x30, 0x81, 3, 1, 1, 0xFF]),
                ("an overlong length inside", [0x30, 4, 1, 0x81, 1, 0xFF]),
                ("an indefinite length", [0x30, 0x80, 1, 1, 0xFF, 0, 0]), ("broken off", [0x30, 3, 1, 1]),
            ]),
        values(
            "4.2.1.9 basic constraints", Identifier.basicConstraints, .badChainRules,
            [("a negative path", [0x30, 6, 1, 1, 0xFF, 2, 1, 0xFF])]),
        values(
            "4.2.1.9 basic constraints", Identifier.basicConstraints, .badChainRules, at: [.leaf],
            [
                ("an authority", [0x30, 3, 1, 1, 0xFF]),
                ("an authority without a path", [0x30, 6, 1, 1, 0xFF, 2, 1, 0]),
            ]),
        values(
            "4.2.1.9 basic constraints", Identifier.basicConstraints, .badChainRules, at: Position.authorities,
            [("no authority", [0x30, 0])]),
        values(
            "4.2.1.9 basic constraints", Identifier.basicConstraints, .badChainRules, at: [.root],
            [("no path", [0x30, 6, 1, 1, 0xFF, 2, 1, 0])]),
        [
            CertificateDefect(
                "4.2.1.9 basic constraints: not critical", .badChainRules, at: Position.authorities
            ) {
                try $0.changeExtension(Identifier.basicConstraints) { $0.elements.remove(at: 1) }
            },
            CertificateDefect("4.2.1.9 basic constraints: none", .badChainRules, at: Position.authorities) {
                $0.changeExtensions { $0.removeAll { $0.elements[0].octets == Identifier.basicConstraints } }
            },
        ],
    ].flatMap(\.self)

    /// RFC 5280 §4.2.1.3: key usage.
    static let usages: [CertificateDefect] = [
        values(
            "4.2.1.3 key usage", Identifier.keyUsage, .certificateMalformed,
            [
                ("a zero bit at the end", [3, 2, 6, 0x80]), ("seven zero bits at the end", [3, 2, 0, 0x80]),
                ("an unused bit that is one", [3, 2, 2, 0x86]), ("eight unused bits", [3, 2, 8, 0x86]),
                ("unused bits of nothing", [3, 1, 7]), ("a zero octet at the end", [3, 3, 0, 0x86, 0]),
                ("three octets", [3, 4, 0, 0x86, 0, 1]), ("ten bits", [3, 3, 6, 0x86, 0x40]),
                ("octets", [4, 2, 1, 0x86]), ("in pieces", [0x23, 4, 3, 2, 1, 0x86]), ("nothing", []),
                ("empty", [3, 0]), ("a byte after it", [3, 2, 1, 0x86, 0]), ("twice", [3, 2, 1, 0x86, 3, 2, 1, 0x86]),
                ("an overlong length", [3, 0x81, 2, 1, 0x86]), ("broken off", [3, 2, 1]), ("NULL", [5, 0]),
            ]),
        values(
            "4.2.1.3 key usage", Identifier.keyUsage, .badChainRules,
            [
                ("no bits", [3, 1, 0]), ("nonRepudiation alone", [3, 2, 6, 0x40]),
                ("cRLSign alone", [3, 2, 1, 2]), ("decipherOnly alone", [3, 3, 7, 0, 0x80]),
                ("keyAgreement alone", [3, 2, 3, 8]), ("keyEncipherment alone", [3, 2, 5, 0x20]),
            ]),
        values(
            "4.2.1.3 key usage", Identifier.keyUsage, .badChainRules, at: [.leaf],
            [("keyCertSign alone", [3, 2, 2, 4]), ("keyCertSign as well", [3, 2, 2, 0x84])]),
        values(
            "4.2.1.3 key usage", Identifier.keyUsage, .badChainRules, at: Position.authorities,
            [("digitalSignature alone", [3, 2, 7, 0x80])]),
        [
            CertificateDefect("4.2.1.3 key usage: none", .badChainRules, at: [.leaf, .intermediate]) {
                $0.changeExtensions { $0.removeAll { $0.elements[0].octets == Identifier.keyUsage } }
            }
        ],
    ].flatMap(\.self)

    private static func values(
        _ subject: String, _ identifier: [UInt8], _ code: VerificationError.Code,
        at positions: [Position] = Position.allCases, _ values: [(String, [UInt8])]
    ) -> [CertificateDefect] {
        values.map { (name, value) in
            CertificateDefect("\(subject): \(name)", code, at: positions) {
                try $0.changeExtension(identifier) { $0.extensionValue = value }
            }
        }
    }
}
