internal import SwiftASN1
internal import X509

/// The rules of RFC 5280 §6.1 for a chain of leaf, intermediate and root, and the markers that Apple adds.
package enum ChainRules {
    /// Checks leaf, intermediate and root, in this order. The root may be omitted if only the name and the key of the
    /// anchor are known.
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

    // RFC 5280 §4.2: a certificate with a critical extension that is not understood must be rejected. These two are
    // fully evaluated here; Apple's markers are never critical.
    private static let understood: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage,
    ]

    private static func refuseUnknownCriticalExtensions(
        of subject: CertificateFields, at index: Int
    ) throws(VerificationError) {
        for item in subject.extensions where item.critical && !understood.contains(item.oid) {
            // The identifier is unverified input and may be as long as the certificate: truncate it.
            let name = item.oid.description.prefix(64)
            throw VerificationError(
                .badChainRules, "certificate \(index + 1) has the unknown critical extension \(name)")
        }
    }

    // RFC 5280 §4.2.1: each of these extensions limits the use of a certificate, or of certificates below it, whether
    // critical or not. The App Store's certificates have none of them, so none is implemented, and certificates with
    // one are refused.
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
            // RFC 5280 §4.2.1.9: a verifier that skips extensions that are not critical would not recognize an
            // authority.
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
        // RFC 5280 §4.2.1.3: only an authority may have `keyCertSign`.
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
        // RFC 5280 §4.2.1.9: the maximum number of intermediate certificates below; the leaf is not counted.
        if let maximumPathLength, maximumPathLength < index - 1 {
            throw VerificationError(.badChainRules, "certificate \(index + 1) allows no path of this length")
        }
        // A root without key usage is trusted because it is an anchor. If a root has key usage, it applies.
        guard usage?.keyCertSign ?? (index == 2) else {
            throw VerificationError(.badChainRules, "certificate \(index + 1) may not sign certificates")
        }
    }
}
