internal import AppStoreTrust

/// Finds the chains that names allow from a signer over one intermediate to a root. What signatures allow is for the
/// caller to see.
struct CertificatePaths {
    private let candidates: [RawCertificate]
    private static let maximum = 16

    /// - Parameter ders: Certificates from any source, in any order. What cannot be read is left out: it may be there for
    ///   another purpose, and a chain that needs it is not found.
    init(_ ders: [[UInt8]]) {
        var seen: Set<[UInt8]> = []
        candidates = ders.compactMap { der in
            guard seen.insert(der).inserted else { return nil }
            do { return try RawCertificate(der: der) } catch { return nil }
        }
    }

    /// The certificate with this issuer and serial number.
    func certificate(issuer: [UInt8], serialNumber: [UInt8]) -> RawCertificate? {
        candidates.first { $0.issuer == issuer && $0.serialNumber == serialNumber }
    }

    /// The chains of exactly three, those to an anchor first.
    func chains(from leaf: RawCertificate, anchors: TrustAnchors) throws(VerificationError) -> [[RawCertificate]] {
        var chains: [[RawCertificate]] = []
        for issuer in try issuers(of: leaf) {
            for root in roots(of: issuer) { chains.append([leaf, issuer, root]) }
        }
        return try Self.sorted(chains) { anchors.name(ofRoot: $0[2].der) != nil }
    }

    /// The same for a transaction receipt: an intermediate and a root, which may be one that is built in.
    func legacyChains(
        from leaf: RawCertificate, anchors: TrustAnchors
    ) throws(VerificationError) -> [(intermediate: RawCertificate, root: LegacyRoot)] {
        var chains: [(intermediate: RawCertificate, root: LegacyRoot)] = []
        for issuer in try issuers(of: leaf) {
            let roots = roots(of: issuer).map { LegacyRoot($0) }
            chains += roots.map { (issuer, $0) }
            if let apple = LegacyRoot.apple, apple.subject == issuer.issuer { chains.append((issuer, apple)) }
        }
        return try Self.sorted(chains) { anchors.name(ofFingerprint: $0.root.summary.fingerprint) != nil }
    }

    /// The certificates that can have issued the signer's, as far as names tell. None of them is a root.
    private func issuers(of leaf: RawCertificate) throws(VerificationError) -> [RawCertificate] {
        guard !leaf.isSelfIssued else {
            throw VerificationError(.untrustedRoot, "the signer's certificate is its own root and not an anchor")
        }
        let issuers = candidates.filter { $0.subject == leaf.issuer && $0.der != leaf.der }
        guard !issuers.isEmpty else {
            throw VerificationError(.chainLength, "the issuer of the signer's certificate is missing")
        }
        return issuers.filter { !$0.isSelfIssued }
    }

    private func roots(of issuer: RawCertificate) -> [RawCertificate] {
        candidates.filter { $0.subject == issuer.issuer && $0.der != issuer.der }
    }

    private static func sorted<Chain>(
        _ chains: [Chain], isAnchored: (Chain) -> Bool
    ) throws(VerificationError) -> [Chain] {
        guard !chains.isEmpty else {
            throw VerificationError(.chainLength, "no chain of signer, intermediate and root can be made")
        }
        let anchored = chains.filter(isAnchored)
        return Array((anchored.isEmpty ? chains : anchored).prefix(maximum))
    }
}
