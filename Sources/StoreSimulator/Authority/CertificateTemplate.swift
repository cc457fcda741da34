package import Foundation
package import SwiftASN1
package import X509

/// A certificate to be issued. The defaults are the App Store's; tests change one thing and see it refused.
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
    /// Where the issuer's certificate can be fetched.
    package var issuerCertificate: String?
    /// Where the issuer's list of revoked certificates can be fetched.
    package var revocationList: String?
    /// Whether it names the policy that Apple's leaves name, with a notice that this is a simulation.
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

    /// Issues the certificate for `key`, signed by `issuer`, or by itself without one.
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

    // In the order of the genuine certificates, of which the root begins with its own key and names no issuer's.
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
        let places =
            [(.issuingCA, issuerCertificate), (.ocspServer, ocspResponder)]
            as [(AuthorityInformationAccess.AccessDescription.AccessMethod, String?)]
        let access = AuthorityInformationAccess(
            places.compactMap { method, place in
                place.map { .init(method: method, location: .uniformResourceIdentifier($0)) }
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
