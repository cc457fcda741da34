internal import AppStoreTrust

extension CertificateDefect {
    /// RFC 5280 §4.1.2.4 and §4.1.2.6: the subject. Certificates issued under it get the same issuer name, so that the
    /// chain is valid but for the name.
    static let names: [CertificateDefect] = texts + parts

    private static let texts: [CertificateDefect] = textValues.map { (name, value) in
        CertificateDefect("4.1.2.6 name: \(name)") { $0[FieldPath.subject + [0, 0, 1]] = value }
    }

    private static let parts: [CertificateDefect] = [
        CertificateDefect("4.1.2.6 name: empty") { $0[FieldPath.subject].elements = [] },
        CertificateDefect("4.1.2.6 name: an empty part first") {
            $0[FieldPath.subject].elements.insert(DERElement(0x31, elements: []), at: 0)
        },
        CertificateDefect("4.1.2.6 name: an empty part last") {
            $0[FieldPath.subject].elements.append(DERElement(0x31, elements: []))
        },
        CertificateDefect("4.1.2.6 name: attributes in the wrong order") {
            let attributes = $0[FieldPath.subject].elements.flatMap(\.elements).sorted { $1.precedes($0) }
            $0[FieldPath.subject].elements = [DERElement(0x31, elements: attributes)]
        },
        CertificateDefect("4.1.2.6 name: a SET") { $0[FieldPath.subject].tag = [0x31] },
        CertificateDefect("4.1.2.6 name: a part that is a sequence") { $0[FieldPath.subject + [0]].tag = [0x30] },
        CertificateDefect("4.1.2.6 name: an attribute without a value") {
            $0[FieldPath.subject + [0, 0]].elements.removeLast()
        },
        CertificateDefect("4.1.2.6 name: an attribute with two values") {
            $0[FieldPath.subject + [0, 0]].elements.append(DERElement(12, [0x41]))
        },
        CertificateDefect("4.1.2.6 name: an attribute without a type") {
            $0[FieldPath.subject + [0, 0]].elements.removeFirst()
        },
        CertificateDefect("4.1.2.6 name: a type with a leading zero") {
            $0[FieldPath.subject + [0, 0, 0]].octets = [0x55, 0x80, 4, 3]
        },
        CertificateDefect("4.1.2.6 name: a text") { $0[FieldPath.subject] = DERElement(12, Array("Test".utf8)) },
    ]

    private static let textValues: [(String, DERElement)] = [
        ("an empty text", DERElement(12, [])), ("not UTF-8", DERElement(12, [0x54, 0xFF])),
        ("an overlong letter of UTF-8", DERElement(12, [0xC0, 0x80])),
        ("a surrogate in UTF-8", DERElement(12, [0xED, 0xA0, 0x80])),
        ("beyond Unicode", DERElement(12, [0xF5, 0x80, 0x80, 0x80])),
        ("UTF-8 that breaks off", DERElement(12, [0x41, 0xE2, 0x82])),
        ("a printable string with an asterisk", DERElement(19, Array("T*".utf8))),
        ("a printable string with an at sign", DERElement(19, Array("a@b".utf8))),
        ("a printable string with an underscore", DERElement(19, Array("a_b".utf8))),
        ("a printable string with é", DERElement(19, [0xE9])), ("a printable string with a zero", DERElement(19, [0])),
        ("an empty printable string", DERElement(19, [])),
        ("an IA5 string with é", DERElement(22, [0xE9])), ("an empty IA5 string", DERElement(22, [])),
        ("a BMP string of odd length", DERElement(30, [0, 0x54, 0])),
        ("a universal string of five octets", DERElement(28, [0, 0, 0, 0x54, 0])),
        ("a number", DERElement(2, [1])), ("NULL", null), ("octets", DERElement(4, [0x54])),
        ("bits", DERElement(3, [0, 0x54])), ("a truth value", DERElement(1, [0xFF])),
        ("a time", DERElement(23, Array("200101000000Z".utf8))),
        ("a sequence", DERElement(0x30, elements: [DERElement(12, [0x54])])),
        ("a general string", DERElement(27, [0x54])), ("a videotex string", DERElement(21, [0x54])),
    ]

    /// RFC 5280 §7.1 allows loose comparison of names. The verifiers compare bytes, so names that match loosely are
    /// refused.
    static let issuers: [CertificateDefect] = otherIssuers.map { (name, change) in
        CertificateDefect(
            "4.1.2.4 issuer: \(name)", .badChainSignature, receipt: .chainLength, at: [.leaf, .intermediate]
        ) { certificate in
            try change(&certificate[FieldPath.issuer])
        }
    }

    private static let otherIssuers: [(String, @Sendable (inout DERElement) throws -> Void)] = [
        ("in capitals", { $0[[0, 0, 1]].octets = Array(text($0[[0, 0, 1]]).uppercased().utf8) }),
        ("with a space more", { $0[[0, 0, 1]].octets = Array(text($0[[0, 0, 1]]).replacing(" ", with: "  ").utf8) }),
        ("with a space before", { $0[[0, 0, 1]].octets.insert(0x20, at: 0) }),
        ("as another kind of string", { $0[[0, 0, 1]].tag = $0[[0, 0, 1]].tag == [12] ? [19] : [12] }),
        ("with a letter more", { $0[[0, 0, 1]].octets.append(0x41) }),
        (
            "with the Kelvin sign",
            { $0[[0, 0, 1]] = DERElement(12, Array(text($0[[0, 0, 1]]).replacing("R", with: "\u{212A}").utf8)) }
        ),
        ("with a part more", { $0.elements.append($0[[0]]) }), ("with a part less", { $0.elements.removeLast() }),
        ("in another order", { $0.elements.reverse() }),
    ]

    private static func text(_ element: DERElement) -> String { String(decoding: element.octets, as: UTF8.self) }
}

extension DERElement {
    fileprivate func precedes(_ other: DERElement) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}
