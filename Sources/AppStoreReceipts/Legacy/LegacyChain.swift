internal import AppStoreTrust

/// The certificate chain of a transaction receipt. The rules are those of `CertificateChain`, which can represent
/// neither a signer with an RSA-1024 key, as used until 2015, nor a root of which only the name and key are known.
struct LegacyChain: Sendable {
    let anchor: String
    let certificates: [CertificateSummary]

    /// Checks everything except the validity dates of leaf, intermediate and root.
    init(
        _ leaf: CertificateFields, _ intermediate: CertificateFields, _ root: LegacyIssuer, anchors: TrustAnchors,
        markers: ChainMarkers
    ) throws(VerificationError) {
        guard let anchor = anchors.name(ofFingerprint: root.summary.fingerprint) else {
            throw VerificationError(.untrustedRoot, "the root is not a trusted root")
        }
        let known = [leaf, intermediate, root.certificate].compactMap { $0 }
        try ChainRules.check(known, markers)
        try Self.requireSignature(of: leaf, at: 0, by: LegacyIssuer(intermediate))
        try Self.requireSignature(of: intermediate, at: 1, by: root)
        self.anchor = anchor
        certificates = [leaf.summary, intermediate.summary, root.summary]
    }

    private static func requireSignature(
        of certificate: CertificateFields, at index: Int, by issuer: LegacyIssuer
    ) throws(VerificationError) {
        let key = try RSAVerifier(subjectPublicKeyInfo: issuer.subjectPublicKeyInfo)
        let digest = try ReceiptDigest(signature: certificate.signatureAlgorithm)
        guard certificate.issuer == issuer.subject,
            key.isValid(certificate.signature, of: certificate.signedBytes, digest: digest)
        else {
            // Do not quote the certificate's name: it is unverified and may be as long as the certificate.
            throw VerificationError(
                .badChainSignature, "certificate \(index + 1) is not signed by certificate \(index + 2)")
        }
    }
}
