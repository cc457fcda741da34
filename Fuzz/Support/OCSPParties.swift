package import AppStoreTrust
package import Crypto
import Foundation
package import StoreSimulator
import X509

/// An issuer and the certificate whose status is requested. Names, keys and serial numbers are the same in every run,
/// so that responses saved as seeds stay valid. Only the certificates' signatures differ, and OCSP does not hash these.
package struct OCSPParties: Sendable {
    package let issuer: Issued
    package let stranger: Issued
    package let delegate: Issued
    package let question: OCSPRequest
    package let key: P256.Signing.PrivateKey

    package init() throws {
        key = try Self.key("issuer")
        issuer = try Self.template("Fuzz Authority", 1, isAuthority: true).issue(for: .init(key))
        stranger = try Self.template("Stranger", 2, isAuthority: true).issue(for: .init(Self.key("stranger")))
        var template = Self.template("Fuzz Responder", 3)
        template.isOCSPSigner = true
        delegate = try template.issue(for: .init(Self.key("delegate")), by: issuer)
        let leaf = try Self.template("Fuzz Leaf", 4).issue(for: .init(Self.key("leaf")), by: issuer)
        question = try OCSPRequest(certificate: leaf.certificate, issuer: issuer.certificate)
    }

    private static func key(_ name: String) throws -> P256.Signing.PrivateKey {
        try P256.Signing.PrivateKey(rawRepresentation: SHA256.hash(data: Data("counterfoil fuzz \(name)".utf8)))
    }

    private static func template(_ name: String, _ serial: UInt8, isAuthority: Bool = false) -> CertificateTemplate {
        CertificateTemplate(
            commonName: name, serialNumber: .init(bytes: [serial]), notBefore: present - 86_400 * 365,
            notAfter: present + 86_400 * 3650,
            basicConstraints: isAuthority ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority,
            keyUsage: KeyUsage(digitalSignature: !isAuthority, keyCertSign: isAuthority))
    }
}
