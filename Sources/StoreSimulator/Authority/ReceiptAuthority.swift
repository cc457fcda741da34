internal import AppStoreReceipts
package import Foundation
internal import SwiftASN1
internal import X509
internal import _CryptoExtras

/// A throw-away certificate authority shaped like the one that signs the App Store's receipts: RSA with 2048 bits
/// throughout, SHA-256, a root, an intermediate and a leaf with the marker extensions. A receipt of its making validates
/// wherever its root is trusted, and nowhere else.
///
/// RSA keys are slow to make, above all in a debug build: keep one authority for long.
package struct ReceiptAuthority: Sendable {
    package let root: Issued
    package let intermediate: Issued
    package let leaf: Issued
    /// The self-signed certificate that receipts of StoreKit testing in Xcode have instead of a chain.
    package let xcode: Issued
    /// When all four are valid.
    package let validity: ClosedRange<Date>

    /// Issues new certificates, valid from two years before `now` to eight years after it.
    package init(now: Date = Date(), name: String = "Test") throws {
        let validity = (now - 2 * Self.year)...(now + 8 * Self.year)
        func template(
            _ commonName: String, _ constraints: BasicConstraints, _ usage: KeyUsage,
            _ markers: [ASN1ObjectIdentifier] = []
        ) -> CertificateTemplate {
            var template = CertificateTemplate(
                commonName: commonName, notBefore: validity.lowerBound, notAfter: validity.upperBound,
                basicConstraints: constraints, keyUsage: usage)
            template.markers = markers
            return template
        }
        let certificateSigning = KeyUsage(keyCertSign: true, cRLSign: true)

        self.validity = validity
        root = try template("\(name) Root CA", .isCertificateAuthority(maxPathLength: nil), certificateSigning)
            .issue(for: Self.newKey())
        intermediate = try template(
            "\(name) Worldwide Developer Relations", .isCertificateAuthority(maxPathLength: 0), certificateSigning,
            [[1, 2, 840, 113635, 100, 6, 2, 1]]
        ).issue(for: Self.newKey(), by: root)
        leaf = try template(
            "\(name) Receipt Signing", .notCertificateAuthority, KeyUsage(digitalSignature: true),
            [[1, 2, 840, 113635, 100, 6, 11, 1]]
        ).issue(for: Self.newKey(), by: intermediate)
        var selfSigned = template(
            "StoreKit", .isCertificateAuthority(maxPathLength: nil), KeyUsage(digitalSignature: true, keyCertSign: true)
        )
        selfSigned.extraExtensions = [try .init(ExtendedKeyUsage([.codeSigning]), critical: true)]
        xcode = try selfSigned.issue(for: Self.newKey())
    }

    /// Signs a receipt in the form that its kind has: pure DER with the whole chain, or for Xcode indefinite lengths with
    /// the one certificate.
    package func sign(_ contents: ReceiptContents) throws -> Data {
        var builder = ReceiptBuilder(payload: contents.encoded, authority: self)
        if contents.type == .xcode {
            builder.signer = xcode
            builder.certificates = [xcode.der]
            builder.isIndefinite = true
        }
        return Data(try builder.bytes())
    }

    /// The root in PEM, for tools that read files.
    package func rootPEM() throws -> String { try root.certificate.serializeAsPEM().pemString }

    private static func newKey() throws -> Certificate.PrivateKey {
        Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
    }

    private static let year: TimeInterval = 365 * 86_400
}
