internal import AppStoreTrust
internal import SwiftASN1
internal import X509

/// The chain of a transaction receipt. The rules are those of `CertificateChain`, which cannot represent a signer with an
/// RSA-1024 key, as receipts had it until 2015, nor a root that is known by its name and key alone.
struct LegacyChain: Sendable {
    let anchor: String
    let certificates: [CertificateSummary]

    /// Checks everything but the validity dates of leaf, intermediate and root.
    init(
        _ leaf: RawCertificate, _ intermediate: RawCertificate, _ root: LegacyRoot, anchors: TrustAnchors,
        markers: ChainMarkers
    ) throws(VerificationError) {
        guard let anchor = anchors.name(ofFingerprint: root.summary.fingerprint) else {
            throw VerificationError(.untrustedRoot, "the root is none of the anchors")
        }
        for (index, certificate) in [leaf, intermediate, root.certificate].enumerated() {
            if let certificate { try Self.checkRules(certificate, at: index) }
        }
        guard leaf.extensions[oid: markers.leaf] != nil else {
            throw VerificationError(.missingLeafMarker, "the leaf lacks extension \(markers.leaf)")
        }
        guard intermediate.extensions[oid: markers.intermediate] != nil else {
            throw VerificationError(
                .missingIntermediateMarker, "the intermediate lacks extension \(markers.intermediate)")
        }
        try Self.requireSignature(of: leaf, by: LegacyRoot(intermediate))
        try Self.requireSignature(of: intermediate, by: root)
        self.anchor = anchor
        certificates = [leaf.summary, intermediate.summary, root.summary]
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
            guard let usage, usage.digitalSignature else {
                throw VerificationError(.badChainRules, "the leaf may not be used for digital signatures")
            }
            return
        }
        // An anchor is trusted as it is; if it restricts itself, that holds.
        guard case .isCertificateAuthority(let maximumPathLength) = constraints, usage?.keyCertSign ?? (index == 2)
        else {
            throw VerificationError(.badChainRules, "certificate \(index + 1) may not sign certificates")
        }
        if let maximumPathLength, maximumPathLength < index - 1 {
            throw VerificationError(.badChainRules, "certificate \(index + 1) allows no path of this length")
        }
    }

    private static func requireSignature(
        of certificate: RawCertificate, by issuer: LegacyRoot
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
