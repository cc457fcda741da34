internal import AppStoreTrust

extension CertificateDefect {
    private static let sha256WithRSA = algorithm([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 11], null)
    private static let ecdsaWithSHA256 = algorithm([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])
    private static let ecdsaWithSHA384 = algorithm([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 3])

    private static func algorithm(_ identifier: [UInt8], _ parameters: DERElement...) -> DERElement {
        DERElement(0x30, elements: [DERElement(6, identifier)] + parameters)
    }

    /// RFC 5280 §4.1.1.2 and §4.1.2.3: the signature algorithm, which a certificate names twice, and its parameters.
    static let algorithms: [CertificateDefect] = [parameterRows, differenceRows, unknownRows, wrongKinds].flatMap(
        \.self)

    private static let parameterRows: [CertificateDefect] = places.flatMap { (place, paths) -> [CertificateDefect] in
        otherParameters.map { (name, parameters) in
            CertificateDefect("4.1.1.2 algorithm \(place): \(name)") { certificate in
                for path in paths {
                    certificate[path].elements = Array(certificate[path].elements.prefix(1)) + parameters
                }
            }
        }
    }

    private static let differenceRows: [CertificateDefect] = places.dropFirst().flatMap {
        (place, paths) -> [CertificateDefect] in
        differences.map { (name, algorithm, keys) in
            CertificateDefect("4.1.1.2 algorithm \(place) alone: \(name)", keys: keys) { certificate in
                for path in paths { certificate[path] = algorithm }
            }
        }
    }

    private static let unknownRows: [CertificateDefect] = unknown.map { (name, algorithm) in
        CertificateDefect("4.1.1.2 algorithm: \(name)") {
            $0[FieldPath.innerAlgorithm] = algorithm
            $0[FieldPath.outerAlgorithm] = algorithm
        }
    }

    private static let wrongKinds: [CertificateDefect] = [
        CertificateDefect(
            "4.1.1.2 algorithm: another digest than was used", .badChainSignature, at: [.leaf, .intermediate],
            keys: .ellipticCurve
        ) {
            $0[FieldPath.innerAlgorithm] = ecdsaWithSHA256
            $0[FieldPath.outerAlgorithm] = ecdsaWithSHA256
        },
        CertificateDefect(
            "4.1.1.2 algorithm: RSA by an elliptic curve", .badChainSignature, at: [.leaf, .intermediate],
            keys: .ellipticCurve
        ) {
            $0[FieldPath.innerAlgorithm] = sha256WithRSA
            $0[FieldPath.outerAlgorithm] = sha256WithRSA
        },
        CertificateDefect("4.1.1.2 algorithm: an elliptic curve by RSA", keys: .rsa) {
            $0[FieldPath.innerAlgorithm] = ecdsaWithSHA384
            $0[FieldPath.outerAlgorithm] = ecdsaWithSHA384
        },
    ]

    private static let places = [
        ("inside and outside", [FieldPath.innerAlgorithm, FieldPath.outerAlgorithm]),
        ("inside", [FieldPath.innerAlgorithm]),
        ("outside", [FieldPath.outerAlgorithm]),
    ]

    /// Parameters that neither ECDSA nor RSA allows.
    private static let otherParameters: [(String, [DERElement])] = [
        ("a number", [DERElement(2, [1])]), ("octets", [DERElement(4, [])]),
        ("a sequence", [DERElement(0x30, elements: [])]), ("an object identifier", [DERElement(6, [0x2A, 3])]),
        ("NULL with content", [DERElement(5, [0])]), ("NULL twice", [null, null]),
    ]

    private static let differences: [(String, DERElement, Keys)] = [
        ("another digest", ecdsaWithSHA256, .ellipticCurve), ("RSA", sha256WithRSA, .ellipticCurve),
        ("with NULL", algorithm([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 3], null), .ellipticCurve),
        ("without NULL", algorithm([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 11]), .rsa),
        ("SHA-1", algorithm([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 5], null), .rsa),
        ("an elliptic curve", ecdsaWithSHA256, .rsa),
    ]

    private static let unknown: [(String, DERElement)] = [
        ("an unknown one", algorithm([0x2A, 3, 4])),
        ("ECDSA with SHA-1", algorithm([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 1])),
        ("ECDSA with parameters", algorithm([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 3], null)),
        ("MD5 with RSA", algorithm([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 4], null)),
        ("RSA-PSS", algorithm([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10], DERElement(0x30, elements: []))),
        ("Ed25519", algorithm([0x2B, 0x65, 0x70], null)),
        ("the identifier of a key", algorithm([0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1])),
        ("an identifier with a leading zero", algorithm([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x80, 4, 3, 3])),
        ("an identifier that does not end", algorithm([0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 0x83])),
        ("an empty identifier", algorithm([])),
    ]

    /// RFC 5280 §4.1.1.3: the signature value.
    static let signatures: [CertificateDefect] = [bitRows, valueRows, numberRows].flatMap(\.self)

    private static let bitRows: [CertificateDefect] =
        [
            CertificateDefect(
                "4.1.1.3 signature: one unused bit, which is zero",
                changeSigned: { $0[FieldPath.signature].octets[0] = 1 },
                fits: { $0.last.map { $0 & 1 == 0 } ?? false }),
            CertificateDefect(
                "4.1.1.3 signature: two unused bits, which are zero",
                changeSigned: { $0[FieldPath.signature].octets[0] = 2 },
                fits: { $0.last.map { $0 & 3 == 0 } ?? false }),
            CertificateDefect(
                "4.1.1.3 signature: an unused bit, which is one",
                changeSigned: { $0[FieldPath.signature].octets[0] = 1 },
                fits: { $0.last.map { $0 & 1 == 1 } ?? false }),
            CertificateDefect(
                "4.1.1.3 signature: a bit changed", .badChainSignature, at: [.leaf, .intermediate],
                changeSigned: { $0[FieldPath.signature].octets[$0[FieldPath.signature].octets.count - 1] ^= 1 }),
            CertificateDefect(
                "4.1.1.3 signature: of other bytes", .badChainSignature, at: [.leaf, .intermediate],
                changeSigned: { $0[FieldPath.serialNumber].octets[1] ^= 1 }),
        ]

    private static let valueRows: [CertificateDefect] = values.map { (name, octets) in
        CertificateDefect("4.1.1.3 signature: \(name)", changeSigned: { $0[FieldPath.signature].octets = octets })
    }

    private static let numberRows: [CertificateDefect] = numbers.map { (name, change) in
        CertificateDefect(
            "4.1.1.3 signature: \(name)", keys: .ellipticCurve,
            changeSigned: {
                var numbers = try DERElement(parsing: Array($0[FieldPath.signature].octets.dropFirst()))
                change(&numbers)
                $0[FieldPath.signature].octets = [0] + numbers.bytes
            })
    }

    private static let values: [(String, [UInt8])] = [
        ("eight unused bits", [8, 0]), ("255 unused bits", [255, 0]), ("unused bits of nothing", [1]),
        ("no octet for the unused bits", []),
    ]

    private static let numbers: [(String, @Sendable (inout DERElement) -> Void)] = [
        ("r with a leading zero too many", { pad(&$0.elements[0]) }),
        ("s with a leading zero too many", { pad(&$0.elements[1]) }),
        ("r is negative", { $0.elements[0].octets = [0xFF, 0x01] }),
        ("s is empty", { $0.elements[1].octets = [] }),
        ("three numbers", { $0.elements.append(DERElement(2, [1])) }), ("one number", { $0.elements.removeLast() }),
        ("a SET", { $0.tag = [0x31] }), ("an overlong length", { $0.lengthForm = .overlong }),
        ("r with an overlong length", { $0.elements[0].lengthForm = .overlong }),
        ("an indefinite length", { $0.lengthForm = .indefinite }), ("r as octets", { $0.elements[0].tag = [4] }),
    ]

    /// Adds a superfluous leading zero to an integer.
    private static func pad(_ number: inout DERElement) { number.octets.insert(0, at: 0) }
}
