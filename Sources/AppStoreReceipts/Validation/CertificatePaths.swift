internal import AppStoreTrust

/// Finds chains of signer, intermediate and root in which the names match. The caller verifies the signatures.
struct CertificatePaths {
    private let candidates: [CertificateFields]
    /// Why the first unreadable certificate cannot be parsed.
    let unreadable: VerificationError?
    private static let maximum = 16

    /// - Parameter ders: Certificates from any source, in any order. Unreadable ones are skipped, because they may
    ///   serve another purpose. If a chain is incomplete, ``unreadable`` is the reason for the refusal.
    init(_ ders: [[UInt8]]) {
        var seen: Set<[UInt8]> = []
        var candidates: [CertificateFields] = []
        var unreadable: VerificationError?
        for der in ders where seen.insert(der).inserted {
            do throws(VerificationError) {
                candidates.append(try CertificateFields(der: der))
            } catch {
                unreadable = unreadable ?? error
            }
        }
        (self.candidates, self.unreadable) = (candidates, unreadable)
    }

    /// Returns the certificate with this issuer and serial number.
    ///
    /// Returns nil instead of throwing if there is none: the optimiser of Swift 6.3.1 miscompiles a throwing function
    /// that ends with copying such a large result, and returns an error that was never thrown
    /// (`Scripts/check-optimized`).
    func certificate(issuer: [UInt8], serialNumber: [UInt8]) -> CertificateFields? {
        candidates.first { $0.issuer == issuer && $0.serialNumber == serialNumber }
    }

    /// Returns the chains of exactly three certificates. If some end at an anchor, returns only those.
    func chains(from leaf: CertificateFields, anchors: TrustAnchors) throws(VerificationError) -> [[CertificateFields]]
    {
        var chains: [[CertificateFields]] = []
        for issuer in try issuers(of: leaf) {
            for root in roots(of: issuer) { chains.append([leaf, issuer, root]) }
        }
        return try preferringAnchored(chains) { anchors.name(ofRoot: $0[2].der) != nil }
    }

    /// Returns the chains of a transaction receipt: an intermediate and a root, which may be the built-in one.
    func legacyChains(
        from leaf: CertificateFields, anchors: TrustAnchors
    ) throws(VerificationError) -> [(intermediate: CertificateFields, root: LegacyIssuer)] {
        var chains: [(intermediate: CertificateFields, root: LegacyIssuer)] = []
        for issuer in try issuers(of: leaf) {
            let roots = roots(of: issuer).map { LegacyIssuer($0) }
            chains += roots.map { (issuer, $0) }
            if let apple = LegacyIssuer.apple, apple.subject == issuer.issuer { chains.append((issuer, apple)) }
        }
        return try preferringAnchored(chains) { anchors.name(ofFingerprint: $0.root.summary.fingerprint) != nil }
    }

    /// Returns the possible issuers of the signer's certificate, by name. None of them is a root.
    private func issuers(of leaf: CertificateFields) throws(VerificationError) -> [CertificateFields] {
        guard !leaf.isSelfIssued else {
            throw VerificationError(.untrustedRoot, "the signer's certificate is its own root and not an anchor")
        }
        let issuers = candidates.filter { $0.subject == leaf.issuer && $0.der != leaf.der }
        guard !issuers.isEmpty else {
            throw unreadable
                ?? VerificationError(
                    .chainLength,
                    "neither the receipt nor the intermediates contain the issuer of the signer's certificate")
        }
        return issuers.filter { !$0.isSelfIssued }
    }

    private func roots(of issuer: CertificateFields) -> [CertificateFields] {
        candidates.filter { $0.subject == issuer.issuer && $0.der != issuer.der }
    }

    private func preferringAnchored<Chain>(
        _ chains: [Chain], isAnchored: (Chain) -> Bool
    ) throws(VerificationError) -> [Chain] {
        guard !chains.isEmpty else {
            throw unreadable
                ?? VerificationError(.chainLength, "no chain of signer, intermediate and root was found")
        }
        let anchored = chains.filter(isAnchored)
        return Array((anchored.isEmpty ? chains : anchored).prefix(Self.maximum))
    }
}
