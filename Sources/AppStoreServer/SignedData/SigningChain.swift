internal import AppStoreTrust
internal import Crypto
internal import Foundation
internal import X509

/// The verified chain of a protected header: the signing key, and a summary of the certificates.
///
/// A class, so that the cache hands out a single reference instead of copying each of the parts.
final class SigningChain: Sendable {
    /// Why the key is trusted.
    enum Authority: Sendable {
        /// By a chain to a trust anchor.
        case appStore(CertificateChain)
        /// By a single certificate that the caller enrolled.
        case enrolled
    }

    let authority: Authority
    /// The certificates in the header, DER encoded.
    let ders: [[UInt8]]
    let certificates: [CertificateSummary]
    let anchor: String

    private let key: CryptoConstant<P256.Signing.PublicKey>

    // The hash state after the header and its dot. All JWS of one chain begin with these bytes, which are four fifths
    // of a transaction, so they are hashed only once for each chain.
    private let hashedHeader: CryptoConstant<SHA256>

    /// Verifies the chain in `header`. `text` is the header as received.
    init(header: ProtectedHeader, text: UnsafeRawBufferPointer, trust: TrustedCertificates) throws(VerificationError) {
        let leaf: Certificate
        if header.certificates.count == 1, let enrolled = trust.enrolled[header.certificates[0]] {
            leaf = enrolled
            authority = .enrolled
            certificates = [CertificateSummary(enrolled, der: header.certificates[0])]
            anchor = enrolled.shortName
        } else if header.certificates.count == 1, header.claimsXcode {
            throw VerificationError(
                .notEnrolled, "signed by Xcode with a certificate that is not enrolled: enrol it to test with this data"
            )
        } else {
            let chain = try CertificateChain(ders: header.certificates, anchors: trust.anchors, markers: .appStore)
            leaf = chain.leaf
            authority = .appStore(chain)
            certificates = chain.certificates
            anchor = chain.anchor
        }
        guard let key = P256.Signing.PublicKey(leaf.publicKey) else {
            throw VerificationError(.unsupportedAlgorithm, "the signing key is not on P-256")
        }
        self.key = CryptoConstant(key)
        ders = header.certificates
        hashedHeader = Self.hash(text)
    }

    /// Creates a chain with the same certificates as `proven` for another header text.
    init(_ proven: SigningChain, text: UnsafeRawBufferPointer) {
        (authority, ders, certificates) = (proven.authority, proven.ders, proven.certificates)
        (anchor, key) = (proven.anchor, proven.key)
        hashedHeader = Self.hash(text)
    }

    private static func hash(_ header: UnsafeRawBufferPointer) -> CryptoConstant<SHA256> {
        var hash = SHA256()
        hash.update(bufferPointer: header)
        hash.update(data: [UInt8(ascii: ".")])
        return CryptoConstant(hash)
    }

    /// Throws unless `signature` is valid for the header, a dot and `payload`, as received.
    ///
    /// - Parameter cache: The cache of valid signatures.
    func requireSignature(
        _ signature: [UInt8], over payload: UnsafeRawBufferPointer, _ cache: VerifiedSignatureCache?
    ) throws(VerificationError) {
        // RFC 7518 §3.4: r and s, 32 bytes each. The DER form that ECDSA uses elsewhere has another length.
        guard signature.count == 64, let pair = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else {
            throw VerificationError(.badSignature, "the signature has \(signature.count) bytes, not 64")
        }
        var hash = hashedHeader.value
        hash.update(bufferPointer: payload)
        let digest = hash.finalize()
        func verify() -> Bool { key.value.isValidSignature(pair, for: digest) }
        guard cache?.isValid(signature, for: digest, verify: verify) ?? verify() else {
            throw VerificationError(
                .badSignature, "the signature is not valid for the signed bytes and the signing certificate")
        }
    }
}

/// The certificates that a verifier trusts.
struct TrustedCertificates: Sendable {
    let anchors: TrustAnchors
    /// The certificates that Xcode uses, by their DER encoding.
    let enrolled: [[UInt8]: Certificate]
}
