internal import AppStoreReceipts
package import Foundation
internal import SwiftASN1
internal import X509
internal import _CryptoExtras

/// A temporary certificate authority with the structure of the one that signs the App Store's receipts: 2048-bit RSA
/// keys, SHA-256, a root, an intermediate and a leaf with the marker extensions. Its receipts validate only where its
/// root is trusted.
///
/// Generating RSA keys is slow, especially in a debug build, so reuse an authority.
package struct ReceiptAuthority: Sendable {
    package let root: Issued
    package let intermediate: Issued
    package let leaf: Issued
    /// The self-signed certificate of receipts from StoreKit testing in Xcode, which have no chain.
    package let xcode: Issued
    /// The time in which all four certificates are valid.
    package let validity: ClosedRange<Date>

    /// Issues new certificates, valid from two years before `now` to eight years after it.
    package init(now: Date = Date(), name: String = "Test") throws {
        let validity = Authority.validity(around: now)
        try self.init(name: name, validity: validity, rootValidity: validity, urls: nil)
    }

    /// Issues new certificates. If there is a `predecessor`, reuses its keys and its root.
    init(
        name: String, validity: ClosedRange<Date>, rootValidity: ClosedRange<Date>, urls: Authority.URLs?,
        predecessor: ReceiptAuthority? = nil
    ) throws {
        func template(
            _ commonName: String, _ constraints: BasicConstraints, _ usage: KeyUsage, _ responder: String? = nil,
            _ markers: [ASN1ObjectIdentifier] = []
        ) -> CertificateTemplate {
            var template = CertificateTemplate(
                commonName: commonName, notBefore: validity.lowerBound, notAfter: validity.upperBound,
                basicConstraints: constraints, keyUsage: usage)
            template.markers = markers
            template.ocspResponder = responder
            return template
        }
        let certificateSigning = KeyUsage(keyCertSign: true, cRLSign: true)

        self.validity = validity
        if let predecessor {
            root = predecessor.root
        } else {
            var template = template("\(name) Root CA", .isCertificateAuthority(maxPathLength: nil), certificateSigning)
            (template.notBefore, template.notAfter) = (rootValidity.lowerBound, rootValidity.upperBound)
            root = try template.issue(for: Self.newKey())
        }
        intermediate = try template(
            "\(name) Worldwide Developer Relations", .isCertificateAuthority(maxPathLength: 0), certificateSigning,
            urls?.rootResponder, [[1, 2, 840, 113635, 100, 6, 2, 1]]
        ).issue(for: predecessor?.intermediate.key ?? Self.newKey(), by: root)
        leaf = try template(
            "\(name) Receipt Signing", .notCertificateAuthority, KeyUsage(digitalSignature: true),
            urls?.intermediateResponder, [[1, 2, 840, 113635, 100, 6, 11, 1]]
        ).issue(for: predecessor?.leaf.key ?? Self.newKey(), by: intermediate)
        var selfSigned = template(
            "StoreKit", .isCertificateAuthority(maxPathLength: nil), KeyUsage(digitalSignature: true, keyCertSign: true)
        )
        selfSigned.extraExtensions = [try .init(ExtendedKeyUsage([.codeSigning]), critical: true)]
        xcode = try selfSigned.issue(for: predecessor?.xcode.key ?? Self.newKey())
    }

    /// Creates an authority from existing certificates. Does not check that they form a chain.
    init(root: Issued, intermediate: Issued, leaf: Issued, xcode: Issued) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
        self.xcode = xcode
        let certificates = [root, intermediate, leaf, xcode].map(\.certificate)
        let start = certificates.map(\.notValidBefore).max() ?? .distantPast
        let end = certificates.map(\.notValidAfter).min() ?? .distantFuture
        validity = start...max(start, end)
    }

    /// Signs a receipt in the format of its type: DER with the whole chain, or for Xcode indefinite lengths with the
    /// single certificate.
    package func sign(_ contents: ReceiptContents) throws -> Data {
        var builder = ReceiptBuilder(payload: contents.encoded, authority: self)
        if contents.type == .xcode {
            builder.signer = xcode
            builder.certificates = [xcode.der]
            builder.isIndefinite = true
        }
        return Data(try builder.bytes())
    }

    private static func newKey() throws -> Certificate.PrivateKey {
        Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
    }
}
