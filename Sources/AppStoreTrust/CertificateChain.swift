internal import Crypto
package import Foundation
package import SwiftASN1
package import X509

/// The extension that says what a certificate of the chain is for. Only its presence counts.
package struct ChainMarkers: Sendable, Hashable {
    package let leaf: ASN1ObjectIdentifier
    package let intermediate: ASN1ObjectIdentifier

    package init(leaf: ASN1ObjectIdentifier, intermediate: ASN1ObjectIdentifier) {
        self.leaf = leaf
        self.intermediate = intermediate
    }

    /// App Store signed data and unified receipts: receipt signing under Worldwide Developer Relations. Without the leaf
    /// marker any developer could sign: their certificates end at the same roots.
    package static let appStore = ChainMarkers(
        leaf: [1, 2, 840, 113635, 100, 6, 11, 1], intermediate: [1, 2, 840, 113635, 100, 6, 2, 1])

    /// Transaction receipts of blob version 2, signed under the iTunes Store authority until 2016.
    package static let legacyReceipt = ChainMarkers(
        leaf: [1, 2, 840, 113635, 100, 6, 5, 1], intermediate: [1, 2, 840, 113635, 100, 6, 2, 2])
}

/// A chain of three certificates whose signatures, rules and markers hold and that ends at an anchor.
///
/// Nothing here depends on the time, so a chain can be kept; ``requireValid(at:)`` is asked anew for every use.
package struct CertificateChain: Sendable {
    package let leaf: Certificate
    package let intermediate: Certificate
    package let root: Certificate
    package let anchor: String
    package let certificates: [CertificateSummary]

    /// Checks everything but the validity dates.
    ///
    /// - Parameter ders: leaf, intermediate and root, DER encoded.
    /// - Throws: the first rule that is broken. What is cheap comes first: a stranger must not buy elliptic-curve work.
    package init(
        ders: [[UInt8]], anchors: TrustAnchors, markers: ChainMarkers
    ) throws(VerificationError) {
        guard ders.count == 3 else {
            throw VerificationError(.chainLength, "the chain has \(ders.count) certificates, not 3")
        }
        let chain = try ders.enumerated().map { (index, der) throws(VerificationError) in
            try Self.parse(der, at: index)
        }
        guard let anchor = anchors.name(ofRoot: ders[2]) else {
            throw VerificationError(.untrustedRoot, "the third certificate is none of the anchors")
        }
        (leaf, intermediate, root, self.anchor) = (chain[0], chain[1], chain[2], anchor)
        try ChainRules.check(leaf, intermediate, root, markers)
        try Self.requireSignature(of: leaf, at: 0, by: intermediate)
        try Self.requireSignature(of: intermediate, at: 1, by: root)
        certificates = zip(chain, ders).map { CertificateSummary($0, der: $1) }
    }

    /// Refuses unless every certificate is valid at `instant`, both ends included.
    package func requireValid(at instant: Date) throws(VerificationError) {
        for certificate in certificates {
            try certificate.requireValid(at: instant)
        }
    }

    private static func parse(_ der: [UInt8], at index: Int) throws(VerificationError) -> Certificate {
        do {
            return try Certificate(derEncoded: der)
        } catch {
            throw VerificationError(.certificateMalformed, "certificate \(index + 1) cannot be read: \(error)")
        }
    }

    private static func requireSignature(
        of certificate: Certificate, at index: Int, by issuer: Certificate
    ) throws(VerificationError) {
        guard certificate.issuer == issuer.subject else {
            throw VerificationError(
                .badChainSignature, "certificate \(index + 1) names another issuer than certificate \(index + 2)")
        }
        guard issuer.publicKey.isValidSignature(certificate.signature, for: certificate) else {
            throw VerificationError(
                .badChainSignature, "certificate \(index + 1) is not signed by certificate \(index + 2)")
        }
    }
}

/// The rules of RFC 5280 §6.1 that a chain of exactly three certificates can break.
enum ChainRules {
    static func check(
        _ leaf: Certificate, _ intermediate: Certificate, _ root: Certificate, _ markers: ChainMarkers
    ) throws(VerificationError) {
        for (index, certificate) in [leaf, intermediate, root].enumerated() {
            guard certificate.version == .v3 else {
                throw VerificationError(
                    .badChainRules, "certificate \(index + 1) is not an X.509 version 3 certificate")
            }
            try refuseUnknownCriticalExtensions(of: certificate, at: index)
            try requireRole(of: certificate, at: index)
        }
        guard leaf.extensions[oid: markers.leaf] != nil else {
            throw VerificationError(.missingLeafMarker, "the leaf lacks extension \(markers.leaf)")
        }
        guard intermediate.extensions[oid: markers.intermediate] != nil else {
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
        of certificate: Certificate, at index: Int
    ) throws(VerificationError) {
        for item in certificate.extensions where item.critical && !understood.contains(item.oid) {
            throw VerificationError(
                .badChainRules, "certificate \(index + 1) has the unknown critical extension \(item.oid)")
        }
    }

    private static func requireRole(of certificate: Certificate, at index: Int) throws(VerificationError) {
        let constraints: BasicConstraints?
        let usage: KeyUsage?
        do {
            constraints = try certificate.extensions.basicConstraints
            usage = try certificate.extensions.keyUsage
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

extension CertificateSummary {
    package init(_ certificate: Certificate, der: [UInt8]) {
        subject = certificate.subject.description
        issuer = certificate.issuer.description
        serialNumber = certificate.serialNumber.bytes.hexadecimal.uppercased()
        notBefore = certificate.notValidBefore
        notAfter = certificate.notValidAfter
        fingerprint = SHA256.hash(data: der).hexadecimal
    }

    package func requireValid(at instant: Date) throws(VerificationError) {
        guard notBefore <= instant, instant <= notAfter else {
            let when = instant < notBefore ? "not yet valid" : "no longer valid"
            throw VerificationError(
                .expiredOrNotYetValid,
                "\(subject) is \(when) at \(instant.formatted(.iso8601)): \(notBefore.formatted(.iso8601)) to \(notAfter.formatted(.iso8601))"
            )
        }
    }
}

extension Certificate {
    /// The common name, else the whole subject.
    package var shortName: String {
        for relative in subject {
            for attribute in relative where attribute.type == .RDNAttributeType.commonName {
                if let name = String(attribute.value) { return name }
            }
        }
        return subject.description
    }
}
