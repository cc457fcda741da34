package import Crypto
package import Foundation
internal import SwiftASN1
internal import X509

/// A throw-away certificate authority shaped like the App Store's: a P-384 root, a P-384 intermediate, a P-256 leaf with
/// the marker extensions. What it signs verifies wherever its root is trusted, and nowhere else.
package struct Authority: Sendable {
    package let root: Issued
    package let intermediate: Issued
    package let leaf: Issued
    package let signingKey: P256.Signing.PrivateKey

    /// The host that its certificates name as their OCSP responder.
    package static let ocspHost = "ocsp.counterfoil.test"

    /// Changes to the certificates before they are issued.
    package struct Changes {
        package var root: (inout CertificateTemplate) -> Void = { _ in }
        package var intermediate: (inout CertificateTemplate) -> Void = { _ in }
        package var leaf: (inout CertificateTemplate) -> Void = { _ in }

        package init() {}
    }

    /// Issues a new chain, valid from two years before `now` to eight years after it.
    package init(now: Date = Date(), name: String = "Test", changes: Changes = Changes()) throws {
        let (begin, end) = (now - 2 * Self.year, now + 8 * Self.year)
        let signing = P256.Signing.PrivateKey()
        var template = CertificateTemplate(
            commonName: "\(name) Root CA", notBefore: begin, notAfter: end,
            basicConstraints: .isCertificateAuthority(maxPathLength: nil),
            keyUsage: KeyUsage(keyCertSign: true, cRLSign: true))
        changes.root(&template)
        root = try template.issue(for: .init(P384.Signing.PrivateKey()))

        template = CertificateTemplate(
            commonName: "\(name) Worldwide Developer Relations", organizationalUnit: "G6",
            notBefore: begin, notAfter: end, basicConstraints: .isCertificateAuthority(maxPathLength: 0),
            keyUsage: KeyUsage(keyCertSign: true, cRLSign: true))
        template.markers = [[1, 2, 840, 113635, 100, 6, 2, 1]]
        template.ocspResponder = "http://\(Self.ocspHost)/root"
        changes.intermediate(&template)
        intermediate = try template.issue(for: .init(P384.Signing.PrivateKey()), by: root)

        template = CertificateTemplate(
            commonName: "\(name) Receipt Signing", organizationalUnit: "Worldwide Developer Relations",
            notBefore: begin, notAfter: end, basicConstraints: .notCertificateAuthority,
            keyUsage: KeyUsage(digitalSignature: true))
        template.markers = [[1, 2, 840, 113635, 100, 6, 11, 1]]
        template.ocspResponder = "http://\(Self.ocspHost)/intermediate"
        changes.leaf(&template)
        leaf = try template.issue(for: .init(signing), by: intermediate)
        signingKey = signing
    }

    /// The chain as a header carries it: leaf, intermediate, root.
    package var chain: [[UInt8]] { [leaf.der, intermediate.der, root.der] }

    /// The root in PEM, for tools that read files.
    package func rootPEM() throws -> String { try root.certificate.serializeAsPEM().pemString }

    private static let year: TimeInterval = 365 * 86_400
}
