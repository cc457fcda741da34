internal import AppStoreModels
internal import AppStoreTrust
internal import Foundation

extension ReceiptValidator {
    /// The verified certificate chain of a signer, and whether the signer is an enrolled Xcode certificate.
    private struct VerifiedSigner {
        let certificates: [CertificateSummary]
        let anchor: String
        let isXcode: Bool

        func trace(at instant: Date) throws(VerificationError) -> VerificationTrace {
            try certificates.requireValid(at: instant)
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
            throw paths.unreadable
                ?? VerificationError(.badSignature, "the receipt contains no certificate of the signer")
        }
        let verified = try verifySigner(leaf, paths, container)
        try requireSignature(of: container, by: leaf, digest)

        // From here on the signature of the payload is verified.
        let receipt = try AppReceipt(payload: container.content, limits: limits)
        let trace = try verified.trace(at: instant(signedDate: receipt.creationDate))
        guard (receipt.environment == .xcode) == verified.isXcode else {
            throw VerificationError(.wrongEnvironment, "the signer may not sign for the environment of the receipt")
        }
        return Verified(checked: .app(receipt), text: input.text, trace: trace)
    }

    private func verifySigner(
        _ leaf: CertificateFields, _ paths: CertificatePaths, _ container: SignedContainer
    ) throws(VerificationError) -> VerifiedSigner {
        if let anchor = xcodeCertificates?.name(ofRoot: leaf.der) {
            return VerifiedSigner(certificates: [leaf.summary], anchor: anchor, isXcode: true)
        }
        guard !leaf.isSelfIssued || !claimsXcode(container) else {
            throw VerificationError(.notEnrolled, "signed by Xcode, with a certificate that is not enrolled")
        }
        return try firstVerified(try paths.chains(from: leaf, anchors: anchors)) { (chain) throws(VerificationError) in
            let chain = try CertificateChain(chain, anchors: anchors, markers: .appStore)
            return VerifiedSigner(certificates: chain.certificates, anchor: chain.anchor, isXcode: false)
        }
    }

    /// Whether an unverified payload claims to be from Xcode. Only used to choose the error.
    private func claimsXcode(_ container: SignedContainer) -> Bool {
        var remaining = limits.attributes
        do {
            let attributes = try ReceiptAttribute.read(container.content[...], "the payload", remaining: &remaining)
            return attributes.contains { $0.type == 0 && $0.text == ReceiptType.xcode.rawValue }
        } catch {
            return false
        }
    }

    /// Returns the result for the first valid chain. Throws the error of the first chain if none is valid.
    private func firstVerified<Chain>(
        _ chains: [Chain], _ check: (Chain) throws(VerificationError) -> VerifiedSigner
    ) throws(VerificationError) -> VerifiedSigner {
        var reason: VerificationError?
        for chain in chains {
            do {
                return try check(chain)
            } catch {
                reason = reason ?? error
            }
        }
        throw reason ?? VerificationError(.chainLength, "no chain of signer, intermediate and root was found")
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
        let verified = try firstVerified(chains) { (chain) throws(VerificationError) in
            let markers: ChainMarkers = signature.version == .two ? .legacyReceipt : .appStore
            let chain = try LegacyChain(leaf, chain.intermediate, chain.root, anchors: anchors, markers: markers)
            return VerifiedSigner(certificates: chain.certificates, anchor: chain.anchor, isXcode: false)
        }
        let key = try RSAVerifier(subjectPublicKeyInfo: leaf.subjectPublicKeyInfo)
        guard key.isValid(signature.signature, of: [signature.version.rawValue] + info, digest: .sha1) else {
            throw VerificationError(.badSignature, "the signature does not belong to the purchase information")
        }
        let receipt = try LegacyReceipt(container)
        let trace = try verified.trace(at: instant(signedDate: receipt.purchaseDate))
        return Verified(checked: .transaction(receipt), text: input.text, trace: trace)
    }
}
