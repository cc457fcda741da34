internal import AppStoreTrust
internal import Foundation

extension ReceiptValidator {
    /// What proved a signature, and how far its signer may be believed.
    private struct Proof {
        let certificates: [CertificateSummary]
        let anchor: String
        let isXcode: Bool

        func trace(at instant: Date) throws(VerificationError) -> VerificationTrace {
            for certificate in certificates { try certificate.requireValid(at: instant) }
            return VerificationTrace(
                certificates: certificates, anchor: anchor, validatedAt: instant, revocation: .notChecked)
        }
    }

    func authenticateUnified(_ input: ReceiptBytes) throws(VerificationError) -> Verified<Receipt> {
        let container = try SignedContainer(input.bytes, limits: limits)
        let digest = try ReceiptDigest(container.signer.digestAlgorithm)
        try digest.requireAgreement(with: container.signer.signatureAlgorithm)
        let paths = CertificatePaths(container.certificates + intermediates.ders)
        let signer = container.signer
        guard let leaf = paths.certificate(issuer: signer.issuer, serialNumber: signer.serialNumber) else {
            throw paths.unreadable ?? VerificationError(.badSignature, "no certificate is that of the signer")
        }
        let proof = try prove(leaf, paths, container)
        try requireSignature(of: container, by: leaf, digest)

        // From here on the payload is what the signer signed.
        let receipt = try AppReceipt(payload: container.content, limits: limits)
        let trace = try proof.trace(at: instant(signedDate: receipt.creationDate))
        guard (receipt.environment == .xcode) == proof.isXcode else {
            throw VerificationError(.wrongEnvironment, "the signer may not sign for the environment of the receipt")
        }
        return Verified(checked: .app(receipt), text: input.text, trace: trace)
    }

    private func prove(
        _ leaf: CertificateFields, _ paths: CertificatePaths, _ container: SignedContainer
    ) throws(VerificationError) -> Proof {
        if let anchor = xcodeCertificates?.name(ofRoot: leaf.der) {
            return Proof(certificates: [leaf.summary], anchor: anchor, isXcode: true)
        }
        guard !leaf.isSelfIssued || !claimsXcode(container) else {
            throw VerificationError(.notEnrolled, "signed by Xcode, with a certificate that is not enrolled")
        }
        return try firstProof(try paths.chains(from: leaf, anchors: anchors)) { (chain) throws(VerificationError) in
            let chain = try CertificateChain(chain, anchors: anchors, markers: .appStore)
            return Proof(certificates: chain.certificates, anchor: chain.anchor, isXcode: false)
        }
    }

    /// What an unproven payload says, to find the right words for its refusal.
    private func claimsXcode(_ container: SignedContainer) -> Bool {
        var remaining = limits.attributes
        do {
            let attributes = try ReceiptAttribute.read(container.content[...], "the payload", remaining: &remaining)
            return attributes.contains { $0.type == 0 && $0.text == ReceiptType.xcode.rawValue }
        } catch {
            return false
        }
    }

    /// The first chain that holds; if none does, the reason of the first.
    private func firstProof<Chain>(
        _ chains: [Chain], _ check: (Chain) throws(VerificationError) -> Proof
    ) throws(VerificationError) -> Proof {
        var reason: VerificationError?
        for chain in chains {
            do {
                return try check(chain)
            } catch {
                reason = reason ?? error
            }
        }
        throw reason ?? VerificationError(.chainLength, "there is no chain")
    }

    private func requireSignature(
        of container: SignedContainer, by leaf: CertificateFields, _ digest: ReceiptDigest
    ) throws(VerificationError) {
        let key = try RSAVerifier(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo)
        let signer = container.signer
        var signed = container.content
        if let attributes = signer.signedAttributes {
            guard try signer.signedMessageDigest() == digest.hash(container.content) else {
                throw VerificationError(.badSignature, "the content is not the one that was signed")
            }
            signed = attributes
        }
        guard key.isValid(signer.signature, of: signed, digest: digest) else {
            throw VerificationError(.badSignature, "the signature does not belong to the receipt")
        }
    }

    func authenticateLegacy(_ input: ReceiptBytes) throws(VerificationError) -> Verified<Receipt> {
        let container = try LegacyContainer(input.bytes)
        let signature = try container.signature()
        let info = try container.purchaseInfo()
        let leaf = try CertificateFields(der: signature.certificate)
        let chains = try CertificatePaths(intermediates.ders).legacyChains(from: leaf, anchors: anchors)
        let proof = try firstProof(chains) { (chain) throws(VerificationError) in
            let markers: ChainMarkers = signature.version == .two ? .legacyReceipt : .appStore
            let chain = try LegacyChain(leaf, chain.intermediate, chain.root, anchors: anchors, markers: markers)
            return Proof(certificates: chain.certificates, anchor: chain.anchor, isXcode: false)
        }
        let key = try RSAVerifier(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo)
        guard key.isValid(signature.signature, of: [signature.version.rawValue] + info, digest: .sha1) else {
            throw VerificationError(.badSignature, "the signature does not belong to the purchase information")
        }
        let receipt = try LegacyReceipt(container)
        let trace = try proof.trace(at: instant(signedDate: receipt.purchaseDate))
        return Verified(checked: .transaction(receipt), text: input.text, trace: trace)
    }
}
