internal import AppStoreTrust
package import Crypto
package import Foundation
package import X509

/// A temporary certificate authority with the structure of the App Store's: a P-384 root, a P-384 intermediate and a
/// P-256 leaf with all extensions of Apple's certificates. Its signatures verify only where its root is trusted. Its
/// names and its policy say that it is a simulation; no name is Apple's.
package struct Authority: Sendable {
    package let root: Issued
    package let intermediate: Issued
    package let leaf: Issued
    private let constant: CryptoConstant<P256.Signing.PrivateKey>

    /// The host of the OCSP responder in the certificates.
    package static let ocspHost = "ocsp.counterfoil.test"

    /// The URLs in certificates: OCSP responders, the intermediate certificate and the revocation list.
    package struct URLs: Sendable, Hashable {
        /// The OCSP responder for the intermediate, which the root operates.
        package var rootResponder: String
        /// The OCSP responder for the leaf, which the intermediate operates.
        package var intermediateResponder: String
        package var intermediateCertificate: String
        package var rootRevocationList: String

        /// The URLs of the test authority. They cannot be reached, because `.test` is reserved (RFC 6761).
        package static let unreachable = Self(
            rootResponder: "http://\(ocspHost)/root", intermediateResponder: "http://\(ocspHost)/intermediate",
            intermediateCertificate: "http://certs.counterfoil.test/intermediate.der",
            rootRevocationList: "http://crl.counterfoil.test/root.crl")
    }

    /// Changes to the certificates before they are issued.
    package struct Changes {
        package var root: (inout CertificateTemplate) -> Void = { _ in }
        package var intermediate: (inout CertificateTemplate) -> Void = { _ in }
        package var leaf: (inout CertificateTemplate) -> Void = { _ in }
        /// The key in the leaf instead of the signing key.
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

    /// Creates an authority from existing certificates. Does not check that they form a chain.
    package init(root: Issued, intermediate: Issued, leaf: Issued, signingKey: P256.Signing.PrivateKey) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
        constant = CryptoConstant(signingKey)
    }

    /// The signing key. The leaf contains it, unless the leaf was issued for another key.
    package var signingKey: P256.Signing.PrivateKey { constant.value }

    /// The chain as in a JWS header: leaf, intermediate, root.
    package var chain: [[UInt8]] { [leaf.der, intermediate.der, root.der] }

    static let year: TimeInterval = 365 * 86_400
}
