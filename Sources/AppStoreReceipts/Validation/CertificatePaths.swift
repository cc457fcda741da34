internal import AppStoreTrust

/// Finds the chains that names allow from a signer over one intermediate to a root. What signatures allow is for the
/// caller to see.
struct CertificatePaths {
    private let candidates: [CertificateFields]
    /// Why the first of those that cannot be read cannot.
    let unreadable: VerificationError?
    private static let maximum = 16

    /// - Parameter ders: Certificates from any source, in any order. What cannot be read is left out: it may be there for
    ///   another purpose. A chain that needs it is not found, and is refused for its sake.
    init(_ ders: [[UInt8]]) {
        var seen: Set<[UInt8]> = []
        var (candidates, unreadable) = ([] as [CertificateFields], nil as VerificationError?)
        for der in ders where seen.insert(der).inserted {
            do throws(VerificationError) {
                candidates.append(try CertificateFields(der: der))
            } catch {
                unreadable = unreadable ?? error
            }
        }
        (self.candidates, self.unreadable) = (candidates, unreadable)
    }

    /// The certificate with this issuer and serial number.
    ///
    /// It does not throw when there is none: of a function that throws, and whose last step copies so large a result, the
    /// optimiser of Swift 6.3.1 makes one that gives back an error that nobody threw (`Scripts/check-optimized`).
    func certificate(issuer: [UInt8], serialNumber: [UInt8]) -> CertificateFields? {
        candidates.first { $0.issuer == issuer && $0.serialNumber == serialNumber }
    }

    /// The chains of exactly three, those to an anchor first.
    func chains(from leaf: CertificateFields, anchors: TrustAnchors) throws(VerificationError) -> [[CertificateFields]]
    {
        var chains: [[CertificateFields]] = []
        for issuer in try issuers(of: leaf) {
            for root in roots(of: issuer) { chains.append([leaf, issuer, root]) }
        }
        return try sorted(chains) { anchors.name(ofRoot: $0[2].der) != nil }
    }

    /// The same for a transaction receipt: an intermediate and a root, which may be one that is built in.
    func legacyChains(
        from leaf: CertificateFields, anchors: TrustAnchors
    ) throws(VerificationError) -> [(intermediate: CertificateFields, root: LegacyRoot)] {
        var chains: [(intermediate: CertificateFields, root: LegacyRoot)] = []
        for issuer in try issuers(of: leaf) {
            let roots = roots(of: issuer).map { LegacyRoot($0) }
            chains += roots.map { (issuer, $0) }
            if let apple = LegacyRoot.apple, apple.subject == issuer.issuer { chains.append((issuer, apple)) }
        }
        return try sorted(chains) { anchors.name(ofFingerprint: $0.root.summary.fingerprint) != nil }
    }

    /// The certificates that can have issued the signer's, as far as names tell. None of them is a root.
    private func issuers(of leaf: CertificateFields) throws(VerificationError) -> [CertificateFields] {
        guard !leaf.isSelfIssued else {
            throw VerificationError(.untrustedRoot, "the signer's certificate is its own root and not an anchor")
        }
        let issuers = candidates.filter { $0.subject == leaf.issuer && $0.der != leaf.der }
        guard !issuers.isEmpty else {
            throw unreadable
                ?? VerificationError(.chainLength, "the issuer of the signer's certificate is missing")
        }
        return issuers.filter { !$0.isSelfIssued }
    }

    private func roots(of issuer: CertificateFields) -> [CertificateFields] {
        candidates.filter { $0.subject == issuer.issuer && $0.der != issuer.der }
    }

    private func sorted<Chain>(
        _ chains: [Chain], isAnchored: (Chain) -> Bool
    ) throws(VerificationError) -> [Chain] {
        guard !chains.isEmpty else {
            throw unreadable
                ?? VerificationError(.chainLength, "no chain of signer, intermediate and root can be made")
        }
        let anchored = chains.filter(isAnchored)
        return Array((anchored.isEmpty ? chains : anchored).prefix(Self.maximum))
    }
}
