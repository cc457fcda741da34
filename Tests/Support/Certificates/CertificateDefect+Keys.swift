extension CertificateDefect {
    private static let (algorithm, bits) = (FieldPath.key + [0], FieldPath.key + [1])

    /// RFC 5280 §4.1.2.7 with RFC 3279 and RFC 5480: public keys; §4.1.2.8: unique identifiers.
    static let keys: [CertificateDefect] = anyKey + point + modulus + uniqueIdentifiers

    private static let anyKey: [CertificateDefect] = [
        key("eight unused bits") { $0[bits].octets[0] = 8 },
        key("no octet for the unused bits") { $0[bits].octets = [] },
        key("no octets") { $0[bits].octets = [0] }, key("octets instead of bits") { $0[bits].tag = [4] },
        key("an unknown algorithm") { $0[algorithm + [0]].octets = [0x2A, 3, 4] },
        key("no algorithm") { $0[FieldPath.key].elements.removeFirst() },
        key("an algorithm alone") { $0[FieldPath.key].elements.removeLast() },
        key("an algorithm without an identifier") { $0[algorithm].elements = [] },
        key("parameters twice") { $0[algorithm].elements.append($0[algorithm + [1]]) },
        key("parameters that are a sequence") { $0[algorithm].elements[1] = DERElement(0x30, elements: []) },
        key("no parameters") { $0[algorithm].elements.removeLast() },
        key("a byte after it") { $0[bits].octets.append(0) }, key("a byte less") { $0[bits].octets.removeLast() },
    ]

    private static let point: [CertificateDefect] = [
        key("one unused bit, which is zero", .ellipticCurve) {
            guard let last = $0[bits].octets.last, last & 1 == 0 else { throw Inapplicable() }
            $0[bits].octets[0] = 1
        },
        key("NULL for a curve", .ellipticCurve) { $0[algorithm].elements[1] = null },
        key("secp256k1", .ellipticCurve) { $0[algorithm + [1]].octets = [0x2B, 0x81, 4, 0, 10] },
        key("the curve of another length", .ellipticCurve) { $0[algorithm + [1]].octets = [0x2B, 0x81, 4, 0, 35] },
        key("a compressed point", .ellipticCurve) { $0[bits].octets = compressed($0[bits].octets) },
        key("a hybrid point", .ellipticCurve) { $0[bits].octets[1] = 6 | ($0[bits].octets.last ?? 0) & 1 },
        key("the point at infinity", .ellipticCurve) { $0[bits].octets = [0, 0] },
        key("a point beside the curve", .ellipticCurve) { $0[bits].octets[$0[bits].octets.count - 1] ^= 2 },
        key("a point of zeros", .ellipticCurve) {
            $0[bits].octets = [0, 4] + [UInt8](repeating: 0, count: $0[bits].octets.count - 2)
        },
        key("coordinates beyond the field", .ellipticCurve) {
            $0[bits].octets = [0, 4] + [UInt8](repeating: 0xFF, count: $0[bits].octets.count - 2)
        },
        key("for Diffie-Hellman alone", .ellipticCurve) { $0[algorithm + [0]].octets = [0x2B, 0x81, 4, 1, 12] },
    ]

    private static func compressed(_ octets: [UInt8]) -> [UInt8] {
        let coordinates = octets.dropFirst(2)
        return [0, 2 | (octets.last ?? 0) & 1] + coordinates.prefix(coordinates.count / 2)
    }

    private static let modulus: [CertificateDefect] = [
        rsa("modulus with a leading zero too many") { $0.elements[0].octets.insert(0, at: 0) },
        rsa("negative modulus") { $0.elements[0].octets.removeFirst() },
        rsa("modulus zero") { $0.elements[0].octets = [0] }, rsa("empty modulus") { $0.elements[0].octets = [] },
        rsa("modulus of 512 bits") { $0.elements[0].octets = [0] + $0.elements[0].octets.suffix(64).map { $0 | 0x81 } },
        rsa("exponent with a leading zero") { $0.elements[1].octets.insert(0, at: 0) },
        rsa("exponent zero") { $0.elements[1].octets = [0] }, rsa("exponent one") { $0.elements[1].octets = [1] },
        rsa("even exponent") { $0.elements[1].octets = [1, 0, 0] },
        rsa("negative exponent") { $0.elements[1].octets = [0x81, 0, 1] },
        rsa("no exponent") { $0.elements.removeLast() },
        rsa("three numbers") { $0.elements.append(DERElement(2, [1])) },
        rsa("a SET") { $0.tag = [0x31] }, rsa("an overlong length") { $0.lengthForm = .overlong },
        rsa("an indefinite length") { $0.lengthForm = .indefinite },
        rsa("an overlong length of the exponent") { $0.elements[1].lengthForm = .overlong },
        key("NULL with content", .rsa) { $0[algorithm].elements[1].octets = [0] },
    ]

    private static func key(_ name: String, _ keys: Keys = .any, change: @escaping Change) -> CertificateDefect {
        CertificateDefect("4.1.2.7 key: \(name)", keys: keys, change: change)
    }

    private static func rsa(
        _ name: String, change: @escaping @Sendable (inout DERElement) -> Void
    ) -> CertificateDefect {
        key(name, .rsa) {
            var numbers = try DERElement(parsing: Array($0[bits].octets.dropFirst()))
            change(&numbers)
            $0[bits].octets = [0] + numbers.bytes
        }
    }

    private static let uniqueIdentifiers: [CertificateDefect] = [
        ("of the issuer", [DERElement(0x81, [0, 0x54])]), ("of the subject", [DERElement(0x82, [0, 0x54])]),
        ("of both", [DERElement(0x81, [0, 0x54]), DERElement(0x82, [0, 0x54])]),
        ("in the wrong order", [DERElement(0x82, [0, 0x54]), DERElement(0x81, [0, 0x54])]),
        ("explicitly tagged", [DERElement(0xA1, elements: [DERElement(3, [0, 0x54])])]),
        ("with unused bits", [DERElement(0x82, [4, 0x50])]),
    ].map { (name, identifiers) in
        CertificateDefect("4.1.2.8 unique identifier: \(name)") {
            $0[[0]].elements.insert(contentsOf: identifiers, at: $0[[0]].elements.count - 1)
        }
    }
}
