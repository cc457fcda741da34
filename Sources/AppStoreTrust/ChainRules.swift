internal import SwiftASN1
internal import X509

/// The rules of RFC 5280 §6.1 that a chain of leaf, intermediate and root can break, and the markers that Apple adds.
package enum ChainRules {
    /// Checks leaf, intermediate and root in this order. The root may be left out where an anchor is known by its name and
    /// key alone.
    package static func check(_ chain: [CertificateFields], _ markers: ChainMarkers) throws(VerificationError) {
        for (index, subject) in chain.enumerated() {
            guard subject.isVersion3 else {
                throw VerificationError(
                    .badChainRules, "certificate \(index + 1) is not an X.509 version 3 certificate")
            }
            try refuseUnknownCriticalExtensions(of: subject, at: index)
            try refuseLimits(of: subject, at: index)
            try requireRole(of: subject, at: index)
        }
        guard chain.first?.extensions[oid: markers.leaf] != nil else {
            throw VerificationError(.missingLeafMarker, "the leaf lacks extension \(markers.leaf)")
        }
        guard chain.dropFirst().first?.extensions[oid: markers.intermediate] != nil else {
            throw VerificationError(
                .missingIntermediateMarker, "the intermediate lacks extension \(markers.intermediate)")
        }
    }

    // RFC 5280 §4.2: a certificate with a critical extension that is not understood must be rejected. Of these two all
    // consequences are drawn here; Apple's markers are never critical.
    private static let understood: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage,
    ]

    private static func refuseUnknownCriticalExtensions(
        of subject: CertificateFields, at index: Int
    ) throws(VerificationError) {
        for item in subject.extensions where item.critical && !understood.contains(item.oid) {
            // The identifier is a stranger's text: nothing has been proven yet, and it may fill the certificate.
            let name = item.oid.description.prefix(64)
            throw VerificationError(
                .badChainRules, "certificate \(index + 1) has the unknown critical extension \(name)")
        }
    }

    // RFC 5280 §4.2.1: each of these limits what a certificate may be used for, or what may come below it, whether it is
    // critical or not. The App Store's certificates have none, so none is understood here, and what would limit and is
    // not understood is refused.
    private static let limiting: [ASN1ObjectIdentifier: String] = [
        .X509ExtensionID.nameConstraints: "name constraints", .X509ExtensionID.extendedKeyUsage: "extended key usage",
        [2, 5, 29, 36]: "policy constraints", [2, 5, 29, 54]: "inhibit anyPolicy",
        [2, 5, 29, 16]: "private key usage period", [2, 16, 840, 1, 113730, 1, 1]: "Netscape certificate type",
    ]

    private static func refuseLimits(of subject: CertificateFields, at index: Int) throws(VerificationError) {
        for item in subject.extensions {
            guard let name = limiting[item.oid] else { continue }
            throw VerificationError(
                .badChainRules, "certificate \(index + 1) is limited by \(name), which is not understood")
        }
    }

    private static func requireRole(of subject: CertificateFields, at index: Int) throws(VerificationError) {
        let constraints: BasicConstraints?
        let usage: KeyUsage?
        do {
            constraints = try subject.extensions.basicConstraints
            usage = try subject.extensions.keyUsage
        } catch {
            throw VerificationError(
                .certificateMalformed, "certificate \(index + 1) has unreadable basic constraints or key usage")
        }
        if index == 0 {
            try requireSigner(constraints, usage)
        } else {
            try requireAuthority(constraints, usage, at: index)
            // RFC 5280 §4.2.1.9: who skips what is not critical would take this for no authority.
            guard subject.extensions[oid: .X509ExtensionID.basicConstraints]?.critical == true else {
                throw VerificationError(
                    .badChainRules, "the basic constraints of certificate \(index + 1) are not critical")
            }
        }
    }

    private static func requireSigner(_ constraints: BasicConstraints?, _ usage: KeyUsage?) throws(VerificationError) {
        // An absent extension means "not an authority" (RFC 5280 §4.2.1.9).
        if case .isCertificateAuthority = constraints {
            throw VerificationError(.badChainRules, "the leaf is a certificate authority")
        }
        guard usage?.digitalSignature == true else {
            let problem = usage == nil ? "has no key usage" : "may not be used for digital signatures"
            throw VerificationError(.badChainRules, "the leaf \(problem)")
        }
        // RFC 5280 §4.2.1.3: only an authority may have it.
        guard usage?.keyCertSign != true else {
            throw VerificationError(.badChainRules, "the leaf is for signing certificates, but is no authority")
        }
    }

    private static func requireAuthority(
        _ constraints: BasicConstraints?, _ usage: KeyUsage?, at index: Int
    ) throws(VerificationError) {
        guard case .isCertificateAuthority(let maximumPathLength) = constraints else {
            throw VerificationError(.badChainRules, "certificate \(index + 1) is not a certificate authority")
        }
        // RFC 5280 §4.2.1.9: how many intermediate certificates may follow; the leaf is not counted.
        if let maximumPathLength, maximumPathLength < index - 1 {
            throw VerificationError(.badChainRules, "certificate \(index + 1) allows no path of this length")
        }
        // An anchor is trusted as it is; if it restricts itself, that holds.
        guard usage?.keyCertSign ?? (index == 2) else {
            throw VerificationError(.badChainRules, "certificate \(index + 1) may not sign certificates")
        }
    }
}
