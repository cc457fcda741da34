internal import AppStoreTrust
internal import SwiftASN1
internal import X509

/// The chain of a transaction receipt of version 2, whose signer has an RSA-1024 key. The rules are those of
/// `CertificateChain`, which cannot represent such a key, as far as these old certificates say anything about them.
struct LegacyChain: Sendable {
    let anchor: String
    let certificates: [CertificateSummary]

    /// Checks everything but the validity dates of leaf, intermediate and root.
    init(_ chain: [RawCertificate], anchors: TrustAnchors, markers: ChainMarkers) throws(VerificationError) {
        guard chain.count == 3 else {
            throw VerificationError(.chainLength, "the chain has \(chain.count) certificates, not 3")
        }
        let (leaf, intermediate, root) = (chain[0], chain[1], chain[2])
        guard let anchor = anchors.name(ofRoot: root.der) else {
            throw VerificationError(.untrustedRoot, "the third certificate is none of the anchors")
        }
        for (index, certificate) in chain.enumerated() { try Self.checkRules(certificate, at: index) }
        guard leaf.extensions[oid: markers.leaf] != nil else {
            throw VerificationError(.missingLeafMarker, "the leaf lacks extension \(markers.leaf)")
        }
        guard intermediate.extensions[oid: markers.intermediate] != nil else {
            throw VerificationError(
                .missingIntermediateMarker, "the intermediate lacks extension \(markers.intermediate)")
        }
        try Self.requireSignature(of: leaf, by: intermediate)
        try Self.requireSignature(of: intermediate, by: root)
        self.anchor = anchor
        certificates = chain.map(\.summary)
    }

    private static func checkRules(_ certificate: RawCertificate, at index: Int) throws(VerificationError) {
        guard certificate.version == 2 else {
            throw VerificationError(.badChainRules, "certificate \(index + 1) is not an X.509 version 3 certificate")
        }
        let understood: [ASN1ObjectIdentifier] = [.X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage]
        for item in certificate.extensions where item.critical && !understood.contains(item.oid) {
            throw VerificationError(
                .badChainRules, "certificate \(index + 1) has the unknown critical extension \(item.oid)")
        }
        let (constraints, usage): (BasicConstraints?, KeyUsage?)
        do {
            (constraints, usage) = (try certificate.extensions.basicConstraints, try certificate.extensions.keyUsage)
        } catch {
            throw VerificationError(.certificateMalformed, "certificate \(index + 1) has an unreadable extension")
        }
        if index == 0 {
            if case .isCertificateAuthority = constraints {
                throw VerificationError(.badChainRules, "the leaf is a certificate authority")
            }
            guard usage?.digitalSignature ?? true else {
                throw VerificationError(.badChainRules, "the leaf may not be used for digital signatures")
            }
            return
        }
        guard case .isCertificateAuthority(let maximumPathLength) = constraints, usage?.keyCertSign ?? true else {
            throw VerificationError(.badChainRules, "certificate \(index + 1) may not sign certificates")
        }
        if let maximumPathLength, maximumPathLength < index - 1 {
            throw VerificationError(.badChainRules, "certificate \(index + 1) allows no path of this length")
        }
    }

    private static func requireSignature(
        of certificate: RawCertificate, by issuer: RawCertificate
    ) throws(VerificationError) {
        let key = try RSAVerifier(subjectPublicKeyInfo: issuer.subjectPublicKeyInfo)
        let digest = try ReceiptDigest(signature: certificate.signatureAlgorithm)
        guard certificate.issuer == issuer.subject,
            key.isValid(certificate.signature, of: certificate.signedBytes, digest: digest)
        else {
            throw VerificationError(.badChainSignature, "\(certificate.summary.subject) is not signed by its issuer")
        }
    }
}
