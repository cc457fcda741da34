internal import SwiftASN1

/// Algorithm identifiers, keys and signatures as certificates encode them (RFC 3279, RFC 4055, RFC 5480, RFC 5758).
enum CertificateAlgorithm {
    /// Reads the algorithm of a signature, whose parameters must not leave a choice.
    static func signature(_ node: ASN1Node) throws -> ASN1ObjectIdentifier {
        let (algorithm, parameters) = try read(node)
        // RFC 5758 §3.2: ECDSA has none. RFC 4055 §5: RSA has NULL, and absent is to be accepted.
        if let parameters {
            guard rsaSignatures.contains(algorithm) else { throw CertificateProblem("the signature has parameters") }
            _ = try ASN1Null(derEncoded: parameters)
        }
        return algorithm
    }

    /// Refuses a SubjectPublicKeyInfo that is not the one encoding of its key. Keys of other kinds pass: whoever uses them
    /// refuses them.
    static func requireKey(_ node: ASN1Node) throws {
        try DER.sequence(node, identifier: .sequence) { fields in
            let (algorithm, parameters) = try read(fields.required("the key's algorithm"))
            let key = try octets(fields.required("the key"), "key")
            switch algorithm {
            case ellipticCurve: try requirePoint(key, parameters)
            case rsa: try requireRSA(key, parameters)
            default: break
            }
        }
    }

    /// The octets of a BIT STRING that holds whole octets. With unused bits one value would have several texts.
    static func octets(_ node: ASN1Node, _ what: String) throws -> ArraySlice<UInt8> {
        let bits = try ASN1BitString(derEncoded: node)
        guard bits.paddingBits == 0 else { throw CertificateProblem("the \(what) has unused bits") }
        return bits.bytes
    }

    private static func read(_ node: ASN1Node) throws -> (ASN1ObjectIdentifier, parameters: ASN1Node?) {
        try DER.sequence(node, identifier: .sequence) { fields in
            (try ASN1ObjectIdentifier(derEncoded: &fields), fields.next())
        }
    }

    // RFC 5480 §2.1.1: the curve by its name. §2.2: the hybrid form must not be used; of the others the App Store uses the
    // uncompressed one.
    private static func requirePoint(_ key: ArraySlice<UInt8>, _ parameters: ASN1Node?) throws {
        guard let parameters, parameters.identifier == .objectIdentifier else {
            throw CertificateProblem("the key's curve has no name")
        }
        guard key.first == 4 else { throw CertificateProblem("the key is not an uncompressed point") }
    }

    // RFC 3279 §2.3.1: NULL must be there. Modulus and exponent are positive.
    private static func requireRSA(_ key: ArraySlice<UInt8>, _ parameters: ASN1Node?) throws {
        guard let parameters else { throw CertificateProblem("the RSA key lacks its parameters") }
        _ = try ASN1Null(derEncoded: parameters)
        try DER.sequence(DER.parse(key), identifier: .sequence) { numbers in
            for what in ["the modulus", "the exponent"] {
                guard try !ArraySlice<UInt8>(derEncoded: numbers.required(what)).isEmpty else {
                    throw CertificateProblem("\(what) of the RSA key is zero")
                }
            }
        }
    }

    private static let ellipticCurve: ASN1ObjectIdentifier = [1, 2, 840, 10045, 2, 1]
    private static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 1]
    /// SHA-1, SHA-256, SHA-384 and SHA-512 with RSA.
    private static let rsaSignatures: Set<ASN1ObjectIdentifier> = [
        [1, 2, 840, 113549, 1, 1, 5], [1, 2, 840, 113549, 1, 1, 11], [1, 2, 840, 113549, 1, 1, 12],
        [1, 2, 840, 113549, 1, 1, 13],
    ]
}
