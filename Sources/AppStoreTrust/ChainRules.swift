internal import SwiftASN1
package import X509

/// The rules of RFC 5280 §6.1 that a chain of leaf, intermediate and root can break, and the markers that Apple adds.
package enum ChainRules {
    /// What the rules look at.
    package struct Subject {
        let isVersion3: Bool
        let extensions: Certificate.Extensions

        /// A certificate that swift-certificates does not read as a whole.
        package init(isVersion3: Bool, extensions: Certificate.Extensions) {
            self.isVersion3 = isVersion3
            self.extensions = extensions
        }

        init(_ certificate: Certificate) {
            self.init(isVersion3: certificate.version == .v3, extensions: certificate.extensions)
        }
    }

    /// Checks leaf, intermediate and root in this order. The root may be left out where an anchor is known by its name and
    /// key alone.
    package static func check(_ chain: [Subject], _ markers: ChainMarkers) throws(VerificationError) {
        for (index, subject) in chain.enumerated() {
            guard subject.isVersion3 else {
                throw VerificationError(
                    .badChainRules, "certificate \(index + 1) is not an X.509 version 3 certificate")
            }
            try refuseUnknownCriticalExtensions(of: subject, at: index)
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
        of subject: Subject, at index: Int
    ) throws(VerificationError) {
        for item in subject.extensions where item.critical && !understood.contains(item.oid) {
            throw VerificationError(
                .badChainRules, "certificate \(index + 1) has the unknown critical extension \(item.oid)")
        }
    }

    private static func requireRole(of subject: Subject, at index: Int) throws(VerificationError) {
        let constraints: BasicConstraints?
        let usage: KeyUsage?
        do {
            constraints = try subject.extensions.basicConstraints
            usage = try subject.extensions.keyUsage
        } catch {
            throw VerificationError(
                .certificateMalformed, "certificate \(index + 1) has an unreadable extension: \(error)")
        }
        if index == 0 {
            try requireSigner(constraints, usage)
        } else {
            try requireAuthority(constraints, usage, at: index)
        }
    }

    private static func requireSigner(_ constraints: BasicConstraints?, _ usage: KeyUsage?) throws(VerificationError) {
        // An absent extension means "not an authority" (RFC 5280 §4.2.1.9).
        if case .isCertificateAuthority = constraints {
            throw VerificationError(.badChainRules, "the leaf is a certificate authority")
        }
        guard let usage, usage.digitalSignature else {
            throw VerificationError(.badChainRules, "the leaf may not be used for digital signatures")
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
