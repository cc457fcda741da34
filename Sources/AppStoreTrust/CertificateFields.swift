internal import Foundation
package import SwiftASN1
package import X509

/// The fields of a certificate, from the only certificate parser for signed data and receipts.
///
/// Accepts exactly what RFC 5280 §4.1 and DER allow, so that every certificate has only one encoding and every field
/// only one meaning. ``ChainRules`` checks the fields for their role in a chain. Keys that swift-certificates cannot
/// represent, such as RSA-1024, are accepted.
package struct CertificateFields: Sendable {
    package let der: [UInt8]
    /// The TBSCertificate, DER encoded.
    package let signedBytes: [UInt8]
    package let isVersion3: Bool
    /// The content octets of the INTEGER.
    package let serialNumber: [UInt8]
    /// The name, DER encoded: names are compared byte for byte.
    package let issuer: [UInt8]
    package let subject: [UInt8]
    package let subjectPublicKeyInfo: [UInt8]
    package let signatureAlgorithm: ASN1ObjectIdentifier
    package let signature: [UInt8]
    package let extensions: Certificate.Extensions
    package let summary: CertificateSummary

    package var isSelfIssued: Bool { issuer == subject }

    /// - Throws: `certificate_malformed`.
    package init(der: [UInt8]) throws(VerificationError) {
        do {
            self = try DER.sequence(DER.parse(der), identifier: .sequence) { try Self(&$0, der: der) }
        } catch {
            throw VerificationError(.certificateMalformed, CertificateProblem.reason(of: error))
        }
    }

    private init(_ outer: inout ASN1NodeCollection.Iterator, der: [UInt8]) throws {
        self.der = der
        let signed = try outer.required("the signed part")
        let algorithm = try outer.required("the signature's algorithm")
        signedBytes = Array(signed.encodedBytes)
        signatureAlgorithm = try CertificateAlgorithm.signature(algorithm)
        signature = try Array(CertificateAlgorithm.octets(outer.required("the signature"), "signature"))
        let fields = try DER.sequence(signed, identifier: .sequence) { try SignedPart(&$0) }
        // RFC 5280 §4.1.1.2: the algorithms inside and outside the signed part must be the same.
        guard fields.signatureAlgorithm == algorithm.encodedBytes else {
            throw CertificateProblem("the signature algorithms inside and outside the signed part differ")
        }
        isVersion3 = fields.isVersion3
        serialNumber = fields.serialNumber
        (issuer, subject) = (fields.issuer.der, fields.subject.der)
        subjectPublicKeyInfo = fields.subjectPublicKeyInfo
        extensions = fields.extensions
        summary = CertificateSummary(
            subject: fields.subject.text, issuer: fields.issuer.text,
            serialNumber: Array(serialNumber.drop { $0 == 0 }), notBefore: fields.notBefore, notAfter: fields.notAfter,
            der: der)
    }
}

/// A TBSCertificate (RFC 5280 §4.1).
private struct SignedPart {
    let isVersion3: Bool
    let serialNumber: [UInt8]
    let signatureAlgorithm: ArraySlice<UInt8>
    let issuer: CertificateName
    let subject: CertificateName
    let notBefore: Date
    let notAfter: Date
    let subjectPublicKeyInfo: [UInt8]
    let extensions: Certificate.Extensions

    init(_ fields: inout ASN1NodeCollection.Iterator) throws {
        let version = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) {
            try Int(derEncoded: $0)
        }
        // X.690 §11.5: version 1 is the default and must not be encoded.
        guard version == nil || version == 1 || version == 2 else { throw CertificateProblem("an unknown version") }
        isVersion3 = version == 2
        serialNumber = try Self.serialNumber(fields.required("the serial number"))
        signatureAlgorithm = try fields.required("the signature's algorithm").encodedBytes
        issuer = try CertificateName(fields.required("the issuer"))
        (notBefore, notAfter) = try DER.sequence(fields.required("the validity"), identifier: .sequence) { dates in
            (
                try CertificateTime.read(dates.required("the beginning")),
                try CertificateTime.read(dates.required("the end"))
            )
        }
        subject = try CertificateName(fields.required("the subject"))
        let key = try fields.required("the key")
        try CertificateAlgorithm.requireKey(key)
        subjectPublicKeyInfo = Array(key.encodedBytes)
        // RFC 5280 §4.1.2.8 forbids unique identifiers in new certificates, and nothing here would compare them.
        extensions =
            try DER.optionalExplicitlyTagged(&fields, tagNumber: 3, tagClass: .contextSpecific) {
                try Self.extensions($0)
            } ?? Certificate.Extensions()
    }

    /// RFC 5280 §4.1.2.2: positive, and at most 20 octets. A leading zero octet that keeps the number positive is not
    /// counted, because some issuers use 160 random bits.
    private static func serialNumber(_ node: ASN1Node) throws -> [UInt8] {
        let digits = try ArraySlice<UInt8>(derEncoded: node)
        guard case .primitive(let octets) = node.content, digits.count <= 20, !digits.isEmpty else {
            throw CertificateProblem("the serial number is not a positive number of at most 20 octets")
        }
        return Array(octets)
    }

    private static func extensions(_ node: ASN1Node) throws -> Certificate.Extensions {
        let extensions = try DER.sequence(of: Certificate.Extension.self, identifier: .sequence, rootNode: node)
        guard !extensions.isEmpty else { throw CertificateProblem("the list of extensions is empty") }
        return try Certificate.Extensions(extensions)
    }
}

/// Why a certificate cannot be read.
struct CertificateProblem: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// Describes an error of the parser. For library errors only the code is used: the rest names types and source
    /// lines.
    static func reason(of error: any Error) -> String {
        switch error {
        case let problem as CertificateProblem: "the certificate cannot be read: \(problem.reason)"
        case let error as ASN1Error: "the certificate violates RFC 5280 or DER (\(error.code))"
        case let error as CertificateError: "the certificate violates RFC 5280 (\(error.code))"
        default: "the certificate cannot be read"
        }
    }
}

extension ASN1NodeCollection.Iterator {
    /// Returns the next field. Throws if there is none.
    mutating func required(_ name: String) throws -> ASN1Node {
        guard let node = next() else { throw CertificateProblem("\(name) is missing") }
        return node
    }
}
