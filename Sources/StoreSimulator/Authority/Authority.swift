internal import AppStoreTrust
package import Crypto
package import Foundation
internal import SwiftASN1
package import X509

/// A throw-away certificate authority shaped like the App Store's: a P-384 root, a P-384 intermediate and a P-256 leaf
/// with every extension that the genuine ones have. What it signs verifies wherever its root is trusted, and nowhere else.
/// Its names and its policy say that it is a simulation; no name is Apple's.
package struct Authority: Sendable {
    package let root: Issued
    package let intermediate: Issued
    package let leaf: Issued
    private let constant: CryptoConstant<P256.Signing.PrivateKey>

    /// The host that its certificates name as their OCSP responder.
    package static let ocspHost = "ocsp.counterfoil.test"

    /// The places that a certificate names: where its issuer answers, and where to fetch what the issuer published.
    package struct Places: Sendable, Hashable {
        /// Who answers for the intermediate: the root.
        package var rootResponder: String
        /// Who answers for the leaf: the intermediate.
        package var intermediateResponder: String
        package var intermediateCertificate: String
        package var rootRevocationList: String

        /// The places of the test authority, which nobody can reach: `.test` is reserved (RFC 6761).
        package static let nowhere = Self(
            rootResponder: "http://\(ocspHost)/root", intermediateResponder: "http://\(ocspHost)/intermediate",
            intermediateCertificate: "http://certs.counterfoil.test/intermediate.der",
            rootRevocationList: "http://crl.counterfoil.test/root.crl")
    }

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

    static let year: TimeInterval = 365 * 86_400
}
