package import Foundation
package import SwiftASN1
package import X509

/// The extensions that mark the purpose of the certificates in a chain. Only their presence counts.
package struct ChainMarkers: Sendable, Hashable {
    package let leaf: ASN1ObjectIdentifier
    package let intermediate: ASN1ObjectIdentifier

    /// App Store signed data and unified receipts: receipt signing under Worldwide Developer Relations. Without the
    /// leaf marker any developer could sign, because developer certificates end at the same roots.
    package static let appStore = ChainMarkers(
        leaf: [1, 2, 840, 113635, 100, 6, 11, 1], intermediate: [1, 2, 840, 113635, 100, 6, 2, 1])

    /// Transaction receipts of blob version 2, signed under the iTunes Store authority until 2016.
    package static let legacyReceipt = ChainMarkers(
        leaf: [1, 2, 840, 113635, 100, 6, 5, 1], intermediate: [1, 2, 840, 113635, 100, 6, 2, 2])
}

/// A chain of three certificates that ends at an anchor, with verified signatures, RFC 5280 rules and markers.
///
/// The chain does not depend on the time, so it can be cached; require for every use that its certificates are valid.
package struct CertificateChain: Sendable {
    package let leaf: Certificate
    package let intermediate: Certificate
    package let root: Certificate
    package let anchor: String
    package let certificates: [CertificateSummary]

    /// Checks everything except the validity dates.
    ///
    /// - Parameter ders: Leaf, intermediate and root, DER encoded.
    /// - Throws: The first violated rule. Cheap checks come first, so that an attacker cannot cause expensive
    ///   elliptic-curve operations, or even parsing without a chain that ends at an anchor.
    package init(
        ders: [[UInt8]], anchors: TrustAnchors, markers: ChainMarkers
    ) throws(VerificationError) {
        let anchor = try Self.anchor(of: ders, anchors)
        let chain = try ders.enumerated().map { (index, der) throws(VerificationError) in
            try Self.addingNumber(of: index) { () throws(VerificationError) in try CertificateFields(der: der) }
        }
        try self.init(chain, anchor: anchor, markers: markers)
    }

    /// Checks certificates that were parsed already.
    package init(
        _ chain: [CertificateFields], anchors: TrustAnchors, markers: ChainMarkers
    ) throws(VerificationError) {
        try self.init(chain, anchor: Self.anchor(of: chain.map(\.der), anchors), markers: markers)
    }

    private init(_ chain: [CertificateFields], anchor: String, markers: ChainMarkers) throws(VerificationError) {
        let parsed = try chain.enumerated().map { (index, fields) throws(VerificationError) in
            try Self.addingNumber(of: index) { () throws(VerificationError) in try Self.parse(fields.der) }
        }
        (leaf, intermediate, root, self.anchor) = (parsed[0], parsed[1], parsed[2], anchor)
        try ChainRules.check(chain, markers)
        // From the anchor down, so that no stranger's key verifies anything: it may be an RSA key of 16,384 bits, which
        // takes far longer than an anchor's.
        try Self.requireSignature(of: (chain[1], intermediate), at: 1, by: (chain[2], root))
        try Self.requireSignature(of: (chain[0], leaf), at: 0, by: (chain[1], intermediate))
        var certificates = chain.map(\.summary)
        // `ChainRules` has checked that the markers are present.
        certificates[0].markers = ["\(markers.leaf)"]
        certificates[1].markers = ["\(markers.intermediate)"]
        self.certificates = certificates
    }

    /// Returns the name of the anchor that equals the third of exactly three certificates byte for byte.
    private static func anchor(of ders: [[UInt8]], _ anchors: TrustAnchors) throws(VerificationError) -> String {
        guard ders.count == 3 else {
            throw VerificationError(.chainLength, "the chain has \(ders.count) certificates, not 3")
        }
        guard let anchor = anchors.name(ofRoot: ders[2]) else {
            throw VerificationError(.untrustedRoot, "the third certificate is not a trusted root")
        }
        return anchor
    }

    private static func requireSignature(
        of certificate: (fields: CertificateFields, parsed: Certificate), at index: Int,
        by issuer: (fields: CertificateFields, parsed: Certificate)
    ) throws(VerificationError) {
        // Compare bytes. X.500's looser comparison is not needed for the App Store's certificates.
        guard certificate.fields.issuer == issuer.fields.subject else {
            throw VerificationError(
                .badChainSignature, "certificate \(index + 1) names another issuer than certificate \(index + 2)")
        }
        guard issuer.parsed.publicKey.isValidSignature(certificate.parsed.signature, for: certificate.parsed) else {
            throw VerificationError(
                .badChainSignature, "certificate \(index + 1) is not signed by certificate \(index + 2)")
        }
    }

    /// Returns the type of swift-certificates that verifies signatures. `CertificateFields` has parsed the bytes
    /// strictly before.
    private static func parse(_ der: [UInt8]) throws(VerificationError) -> Certificate {
        do {
            return try Certificate(derEncoded: der)
        } catch {
            throw VerificationError(.certificateMalformed, CertificateProblem.reason(of: error))
        }
    }

    /// Adds the number of the certificate to an error.
    private static func addingNumber<Value>(
        of index: Int, _ read: () throws(VerificationError) -> Value
    ) throws(VerificationError) -> Value {
        do {
            return try read()
        } catch {
            throw VerificationError(error.code, "certificate \(index + 1): \(error.message)")
        }
    }
}

extension CertificateSummary {
    package init(_ certificate: Certificate, der: [UInt8]) {
        self.init(
            subject: certificate.subject.description, issuer: certificate.issuer.description,
            serialNumber: Array(certificate.serialNumber.bytes), notBefore: certificate.notValidBefore,
            notAfter: certificate.notValidAfter, der: der)
    }

    /// Throws unless the certificate is valid at `instant`. Its dates are whole seconds, both inclusive (RFC 5280
    /// §4.1.2.5), while App Store data are signed at a millisecond: the whole last second counts.
    package func requireValid(at instant: Date) throws(VerificationError) {
        guard notBefore <= instant, instant < notAfter + 1 else {
            let when = instant < notBefore ? "not yet valid" : "no longer valid"
            throw VerificationError(
                .expiredOrNotYetValid,
                "\(subject) is \(when) at \(instant.formatted(.iso8601)): \(notBefore.formatted(.iso8601)) to \(notAfter.formatted(.iso8601))"
            )
        }
    }
}

extension [CertificateSummary] {
    /// Throws unless every certificate is valid at `instant`.
    package func requireValid(at instant: Date) throws(VerificationError) {
        for certificate in self { try certificate.requireValid(at: instant) }
    }
}

extension Certificate {
    /// The common name, or the whole subject if there is none.
    package var shortName: String {
        for relative in subject {
            for attribute in relative where attribute.type == .RDNAttributeType.commonName {
                if let name = String(attribute.value) { return name }
            }
        }
        return subject.description
    }
}
