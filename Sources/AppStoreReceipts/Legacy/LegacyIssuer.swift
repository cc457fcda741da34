internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import SwiftASN1
internal import X509

/// An issuer in the chain of a transaction receipt: a name and a key, which RFC 5280 §6.1.1 (d) requires of a trust
/// anchor. A root is trusted only if its fingerprint is that of an anchor.
struct LegacyIssuer: Sendable {
    /// The name, DER encoded.
    let subject: [UInt8]
    let subjectPublicKeyInfo: [UInt8]
    let summary: CertificateSummary
    /// The certificate, which must also satisfy the chain rules; nil for the built-in root.
    let certificate: CertificateFields?

    init(_ certificate: CertificateFields) {
        subject = certificate.subject
        subjectPublicKeyInfo = certificate.subjectPublicKeyInfo
        summary = certificate.summary
        self.certificate = certificate
    }

    /// Apple Root CA, which transaction receipts do not contain, as trust anchor information. The fingerprint is that
    /// of the certificate, which is a built-in anchor.
    static let apple: LegacyIssuer? = try? LegacyIssuer(
        appleModulus: """
            e491a9091f91db1e4750eb05ed5e79842deb36a2574c55ec8b1989def94b6cf507ab223002e8183ef85009d37f41a898f9d1ca669c246b11\
            d0a3bbe41b2ac31f959e7a0ca4478b5bd4163733cbc40f4dce1469d1c91972f55d0ed57f5f9bf22503ba558f4d5d0df1643523154b15591d\
            b394f7f69c9ecf50bac15850678f08b420f7cbac2c206f70b63f01308cb743cf0f9d3df32b49281ac8feceb5b90ed95e1cd6cb3db53aadf4\
            0f0e00920bb121162e74d53c0ddb6216aba37192475355c1af2f41b3f8fbe370cde6a34c457e1f4c6b50964189c474620b10834187338a81\
            b13058ec5a04328c68b38f1dde6573ff675e65bc49d8769f331465a17794c92d
            """)

    private init?(appleModulus: String) throws {
        guard let modulus = [UInt8](hexadecimal: appleModulus),
            let notBefore = GregorianDate.utc(year: 2006, month: 4, day: 25, hours: 21, minutes: 40, seconds: 36),
            let notAfter = GregorianDate.utc(year: 2035, month: 2, day: 9, hours: 21, minutes: 40, seconds: 36)
        else { return nil }
        let attributes = [
            try RelativeDistinguishedName.Attribute(type: .RDNAttributeType.countryName, printableString: "US"),
            try .init(type: .RDNAttributeType.organizationName, printableString: "Apple Inc."),
            try .init(
                type: .RDNAttributeType.organizationalUnitName, printableString: "Apple Certification Authority"),
            try .init(type: .RDNAttributeType.commonName, printableString: "Apple Root CA"),
        ]
        let subject = DistinguishedName(attributes.map { RelativeDistinguishedName([$0]) })
        var serializer = DER.Serializer()
        try serializer.serialize(subject)
        self.subject = serializer.serializedBytes
        subjectPublicKeyInfo = try Self.keyInfo(modulus: modulus)
        summary = CertificateSummary(
            subject: subject.description, issuer: subject.description, serialNumber: "02", notBefore: notBefore,
            notAfter: notAfter, fingerprint: TrustAnchors.appleRootFingerprint)
        certificate = nil
    }

    /// Returns an RSA key with the exponent 65537 (RFC 8017 §A.1.1) as SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    private static func keyInfo(modulus: [UInt8]) throws -> [UInt8] {
        var key = DER.Serializer()
        key.appendConstructedNode(identifier: .sequence) { fields in
            fields.appendPrimitiveNode(identifier: .integer) { $0 += [0] + modulus }
            fields.appendPrimitiveNode(identifier: .integer) { $0 += [1, 0, 1] }
        }
        let keyBytes = key.serializedBytes
        var info = DER.Serializer()
        try info.appendConstructedNode(identifier: .sequence) { fields in
            try fields.appendConstructedNode(identifier: .sequence) { algorithm in
                try algorithm.serialize(ASN1ObjectIdentifier.rsaEncryption)
                try algorithm.serialize(ASN1Null())
            }
            try fields.serialize(ASN1BitString(bytes: keyBytes[...]))
        }
        return info.serializedBytes
    }
}
