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
        guard !leaf.isSelfIssued else {
            throw VerificationError(.untrustedRoot, "the signer's certificate is its own root and not an anchor")
        }
        let issuers = candidates.filter { $0.subject == leaf.issuer && $0.der != leaf.der }
        guard !issuers.isEmpty else {
            throw VerificationError(.chainLength, "the issuer of the signer's certificate is missing")
        }
        var chains: [[RawCertificate]] = []
        for issuer in issuers where !issuer.isSelfIssued {
            for root in candidates where root.subject == issuer.issuer && root.der != issuer.der {
                chains.append([leaf, issuer, root])
            }
        }
        guard !chains.isEmpty else {
            throw VerificationError(.chainLength, "no chain of signer, intermediate and root can be made")
        }
        let anchored = chains.filter { anchors.name(ofRoot: $0[2].der) != nil }
        return Array((anchored.isEmpty ? chains : anchored).prefix(Self.maximum))
    }
}
