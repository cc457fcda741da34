internal import AppStoreTrust
package import Crypto
package import Foundation
internal import SwiftASN1
package import X509

/// A throw-away certificate authority shaped like the App Store's: a P-384 root, a P-384 intermediate, a P-256 leaf with
/// the marker extensions. What it signs verifies wherever its root is trusted, and nowhere else.
package struct Authority: Sendable {
    package let root: Issued
    package let intermediate: Issued
    package let leaf: Issued
    private let constant: CryptoConstant<P256.Signing.PrivateKey>

    /// The host that its certificates name as their OCSP responder.
    package static let ocspHost = "ocsp.counterfoil.test"

    /// Changes to the certificates before they are issued.
    package struct Changes {
        package var root: (inout CertificateTemplate) -> Void = { _ in }
        package var intermediate: (inout CertificateTemplate) -> Void = { _ in }
        package var leaf: (inout CertificateTemplate) -> Void = { _ in }
        /// The key that the leaf certifies instead of the signing key.
        package var leafKey: Certificate.PrivateKey?

        package init() {}
    }

    /// Issues a new chain, valid from two years before `now` to eight years after it.
    package init(now: Date = Date(), name: String = "Test", changes: Changes = Changes()) throws {
        var (rootTemplate, intermediateTemplate, leafTemplate) = (
            Self.rootTemplate(name, now), Self.intermediateTemplate(name, now), Self.leafTemplate(name, now)
        )
        changes.root(&rootTemplate)
        changes.intermediate(&intermediateTemplate)
        changes.leaf(&leafTemplate)
        let signingKey = P256.Signing.PrivateKey()
        let root = try rootTemplate.issue(for: .init(P384.Signing.PrivateKey()))
        let intermediate = try intermediateTemplate.issue(for: .init(P384.Signing.PrivateKey()), by: root)
        let leaf = try leafTemplate.issue(for: changes.leafKey ?? .init(signingKey), by: intermediate)
        self.init(root: root, intermediate: intermediate, leaf: leaf, signingKey: signingKey)
    }

    /// Takes certificates as they are, fitting or not.
    package init(root: Issued, intermediate: Issued, leaf: Issued, signingKey: P256.Signing.PrivateKey) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
        constant = CryptoConstant(signingKey)
    }

    /// The leaf's key, unless the leaf was issued for another one.
    package var signingKey: P256.Signing.PrivateKey { constant.value }

    /// The chain as a header carries it: leaf, intermediate, root.
    package var chain: [[UInt8]] { [leaf.der, intermediate.der, root.der] }

    /// The root in PEM, for tools that read files.
    package func rootPEM() throws -> String { try root.certificate.serializeAsPEM().pemString }

    /// The leaf's key in PEM (PKCS #8), for tools that sign.
    package var signingKeyPEM: String { signingKey.pemRepresentation }

    private static let year: TimeInterval = 365 * 86_400
}

extension Authority {
    /// A root like Apple Root CA - G3.
    package static func rootTemplate(_ name: String, _ now: Date) -> CertificateTemplate {
        CertificateTemplate(
            commonName: "\(name) Root CA", notBefore: now - 2 * year, notAfter: now + 8 * year,
            basicConstraints: .isCertificateAuthority(maxPathLength: nil),
            keyUsage: KeyUsage(keyCertSign: true, cRLSign: true))
    }

    /// An intermediate like Apple's Worldwide Developer Relations authority.
    package static func intermediateTemplate(_ name: String, _ now: Date) -> CertificateTemplate {
        var template = CertificateTemplate(
            commonName: "\(name) Worldwide Developer Relations", organizationalUnit: "G6",
            notBefore: now - 2 * year, notAfter: now + 8 * year,
            basicConstraints: .isCertificateAuthority(maxPathLength: 0),
            keyUsage: KeyUsage(keyCertSign: true, cRLSign: true))
        template.markers = [[1, 2, 840, 113635, 100, 6, 2, 1]]
        template.ocspResponder = "http://\(ocspHost)/root"
        return template
    }

    /// A leaf like the one that signs App Store data.
    package static func leafTemplate(_ name: String, _ now: Date) -> CertificateTemplate {
        var template = CertificateTemplate(
            commonName: "\(name) Receipt Signing", organizationalUnit: "Worldwide Developer Relations",
            notBefore: now - 2 * year, notAfter: now + 8 * year, basicConstraints: .notCertificateAuthority,
            keyUsage: KeyUsage(digitalSignature: true))
        template.markers = [[1, 2, 840, 113635, 100, 6, 11, 1]]
        template.ocspResponder = "http://\(ocspHost)/intermediate"
        return template
    }
}
