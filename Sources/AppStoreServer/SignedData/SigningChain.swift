internal import AppStoreTrust
internal import Crypto
internal import Foundation
internal import X509

/// What a protected header comes down to once its chain is proven: a key, and what is known about its certificates.
///
/// A class, because the cache hands it out: one reference to count instead of one for each of its parts.
final class SigningChain: Sendable {
    /// Who answers for the key.
    enum Authority: Sendable {
        /// A chain to an anchor.
        case appStore(CertificateChain)
        /// A single certificate that the caller enrolled.
        case enrolled
    }

    let authority: Authority
    /// The certificates as the header had them, DER encoded.
    let ders: [[UInt8]]
    let certificates: [CertificateSummary]
    let anchor: String

    private let key: CryptoConstant<P256.Signing.PublicKey>

    // The hash after the header and its dot. All JWS of one chain begin with the same bytes, four fifths of a
    // transaction: they are hashed once a chain.
    private let hashedHeader: CryptoConstant<SHA256>

    /// Proves the chain in `header`, whose received text is `text`.
    init(header: ProtectedHeader, text: UnsafeRawBufferPointer, trust: Trust) throws(VerificationError) {
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

    /// The chain that `proven` is, in a header of another text.
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

    /// Refuses unless `signature` is the key's for the header, a dot and `payload`, both as received.
    ///
    /// - Parameter proven: Where signatures that hold are remembered.
    func requireSignature(
        _ signature: [UInt8], over payload: UnsafeRawBufferPointer, _ proven: ProvenSignatures?
    ) throws(VerificationError) {
        // RFC 7518 §3.4: r and s, 32 bytes each. DER, which ECDSA uses elsewhere, is another length.
        guard signature.count == 64, let pair = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else {
            throw VerificationError(.badSignature, "the signature has \(signature.count) bytes, not 64")
        }
        var hash = hashedHeader.value
        hash.update(bufferPointer: payload)
        let digest = hash.finalize()
        func verify() -> Bool { key.value.isValidSignature(pair, for: digest) }
        guard proven?.holds(signature, for: digest, verify: verify) ?? verify() else {
            throw VerificationError(.badSignature, "the signature is not the signing certificate's for these bytes")
        }
    }
}

/// Whom a verifier trusts.
struct Trust: Sendable {
    let anchors: TrustAnchors
    /// Certificates used by Xcode, by their DER encoding.
    let enrolled: [[UInt8]: Certificate]
}
