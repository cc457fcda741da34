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
        try ChainRules.check(chain.map { ChainRules.Subject($0) }, markers)
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
