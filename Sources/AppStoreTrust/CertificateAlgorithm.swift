package import SwiftASN1

/// Algorithm identifiers, keys and signatures as certificates encode them (RFC 3279, RFC 4055, RFC 5480, RFC 5758).
enum CertificateAlgorithm {
    /// Reads a signature algorithm. Its parameters must have their only valid form.
    static func signature(_ node: ASN1Node) throws -> ASN1ObjectIdentifier {
        let (algorithm, parameters) = try read(node)
        // RFC 5758 §3.2: ECDSA has no parameters. RFC 4055 §5: RSA has NULL, and absent parameters must be accepted.
        if let parameters {
            guard rsaSignatures.contains(algorithm) else { throw CertificateProblem("the signature has parameters") }
            _ = try ASN1Null(derEncoded: parameters)
        }
        return algorithm
    }

    /// Throws if a SubjectPublicKeyInfo is not the only valid encoding of its key. Does not check other kinds of keys:
    /// code that uses a key checks its kind.
    static func requireKey(_ node: ASN1Node) throws {
        try DER.sequence(node, identifier: .sequence) { fields in
            let (algorithm, parameters) = try read(fields.required("the key's algorithm"))
            let key = try octets(fields.required("the key"), "key")
            switch algorithm {
            case ellipticCurve: try requirePoint(key, parameters)
            case .rsaEncryption: try requireRSA(key, parameters)
            default: break
            }
        }
    }

    /// Returns the octets of a BIT STRING of whole octets. Unused bits would allow several encodings of one value.
    static func octets(_ node: ASN1Node, _ name: String) throws -> ArraySlice<UInt8> {
        let bits = try ASN1BitString(derEncoded: node)
        guard bits.paddingBits == 0 else { throw CertificateProblem("the \(name) has unused bits") }
        return bits.bytes
    }

    private static func read(_ node: ASN1Node) throws -> (ASN1ObjectIdentifier, parameters: ASN1Node?) {
        try DER.sequence(node, identifier: .sequence) { fields in
            (try ASN1ObjectIdentifier(derEncoded: &fields), fields.next())
        }
    }

    // RFC 5480 §2.1.1: the curve is given by its name. §2.2: the hybrid form must not be used; of the others the App
    // Store uses the uncompressed one.
    private static func requirePoint(_ key: ArraySlice<UInt8>, _ parameters: ASN1Node?) throws {
        guard let parameters, parameters.identifier == .objectIdentifier else {
            throw CertificateProblem("the key's curve has no name")
        }
        guard key.first == 4 else { throw CertificateProblem("the key is not an uncompressed point") }
    }

    // RFC 3279 §2.3.1: NULL is required. Modulus and exponent are positive.
    private static func requireRSA(_ key: ArraySlice<UInt8>, _ parameters: ASN1Node?) throws {
        guard let parameters else { throw CertificateProblem("the RSA key lacks its parameters") }
        _ = try ASN1Null(derEncoded: parameters)
        try DER.sequence(DER.parse(key), identifier: .sequence) { numbers in
            for name in ["the modulus", "the exponent"] {
                guard try !ArraySlice<UInt8>(derEncoded: numbers.required(name)).isEmpty else {
                    throw CertificateProblem("\(name) of the RSA key is zero")
                }
            }
        }
    }

    private static let ellipticCurve: ASN1ObjectIdentifier = [1, 2, 840, 10045, 2, 1]
    private static let rsaSignatures: Set<ASN1ObjectIdentifier> = [
        .sha1WithRSA, .sha256WithRSA, .sha384WithRSA, .sha512WithRSA,
    ]
}

/// The digests and RSA algorithms of certificates, OCSP responses and receipts (RFC 3279, RFC 4055).
extension ASN1ObjectIdentifier {
    package static let sha1: Self = [1, 3, 14, 3, 2, 26]
    package static let sha256: Self = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    package static let rsaEncryption: Self = [1, 2, 840, 113549, 1, 1, 1]
    package static let sha1WithRSA: Self = [1, 2, 840, 113549, 1, 1, 5]
    package static let sha256WithRSA: Self = [1, 2, 840, 113549, 1, 1, 11]
    static let sha384WithRSA: Self = [1, 2, 840, 113549, 1, 1, 12]
    static let sha512WithRSA: Self = [1, 2, 840, 113549, 1, 1, 13]
}
