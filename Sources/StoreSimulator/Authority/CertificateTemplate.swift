package import Foundation
package import SwiftASN1
package import X509

/// A certificate to be issued. The defaults are those of the App Store. Tests change one property and check that the
/// certificate is refused.
package struct CertificateTemplate {
    package var commonName: String
    package var organizationalUnit: String?
    package var serialNumber: Certificate.SerialNumber
    package var notBefore: Date
    package var notAfter: Date
    package var basicConstraints: BasicConstraints?
    package var keyUsage: KeyUsage?
    package var markers: [ASN1ObjectIdentifier] = []
    package var ocspResponder: String?
    /// The URL of the issuer's certificate.
    package var issuerCertificate: String?
    /// The URL of the issuer's revocation list.
    package var revocationList: String?
    /// Whether the certificate has the policy of Apple's leaves, with a notice that this is a simulation.
    package var hasPolicy = false
    package var isOCSPSigner = false
    package var version = Certificate.Version.v3
    package var extraExtensions: [Certificate.Extension] = []

    package init(
        commonName: String, organizationalUnit: String? = nil, serialNumber: Certificate.SerialNumber = .init(),
        notBefore: Date, notAfter: Date, basicConstraints: BasicConstraints?, keyUsage: KeyUsage?
    ) {
        self.commonName = commonName
        self.organizationalUnit = organizationalUnit
        self.serialNumber = serialNumber
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.basicConstraints = basicConstraints
        self.keyUsage = keyUsage
    }

    /// Issues the certificate for `key`, signed by `issuer`; self-signed if `issuer` is nil.
    package func issue(for key: Certificate.PrivateKey, by issuer: Issued? = nil) throws -> Issued {
        let certificate = try Certificate(
            version: version, serialNumber: serialNumber, publicKey: key.publicKey,
            notValidBefore: notBefore, notValidAfter: notAfter,
            issuer: issuer?.certificate.subject ?? subject(), subject: subject(),
            extensions: extensions(for: key.publicKey, issuer: issuer?.certificate.publicKey),
            issuerPrivateKey: issuer?.key ?? key)
        return try Issued(certificate: certificate, key: key)
    }

    private func subject() throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(commonName)
            if let organizationalUnit { OrganizationalUnitName(organizationalUnit) }
            OrganizationName("Counterfoil")
            CountryName("US")
        }
    }

    // The order is that of Apple's certificates. The root starts with its subject key identifier and has no authority
    // key identifier.
    private func extensions(for key: Certificate.PublicKey, issuer: Certificate.PublicKey?) throws
        -> Certificate.Extensions
    {
        var extensions = Certificate.Extensions()
        let subjectKey = SubjectKeyIdentifier(hash: key)
        if issuer == nil { try extensions.append(.init(subjectKey, critical: false)) }
        if let basicConstraints { try extensions.append(.init(basicConstraints, critical: true)) }
        if let issuer {
            let authorityKey = AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: issuer).keyIdentifier)
            try extensions.append(.init(authorityKey, critical: false))
        }
        let urls =
            [(.issuingCA, issuerCertificate), (.ocspServer, ocspResponder)]
            as [(AuthorityInformationAccess.AccessDescription.AccessMethod, String?)]
        let access = AuthorityInformationAccess(
            urls.compactMap { method, url in
                url.map { .init(method: method, location: .uniformResourceIdentifier($0)) }
            })
        if !access.isEmpty { try extensions.append(.init(access, critical: false)) }
        if hasPolicy { try extensions.append(Self.simulationPolicy()) }
        if let revocationList { try extensions.append(Self.distributionPoint(revocationList)) }
        if issuer != nil { try extensions.append(.init(subjectKey, critical: false)) }
        if let keyUsage { try extensions.append(.init(keyUsage, critical: true)) }
        if isOCSPSigner { try extensions.append(.init(ExtendedKeyUsage([.ocspSigning]), critical: false)) }
        for marker in markers { try extensions.append(.init(oid: marker, critical: false, value: [0x05, 0x00])) }
        for item in extraExtensions { try extensions.append(item) }
        return extensions
    }
}

/// A certificate and its private key.
package struct Issued: Sendable {
    package let certificate: Certificate
    package let key: Certificate.PrivateKey
    package let der: [UInt8]

    package init(certificate: Certificate, key: Certificate.PrivateKey) throws {
        self.certificate = certificate
        self.key = key
        der = try RawDER.encoded(certificate)
    }
}
