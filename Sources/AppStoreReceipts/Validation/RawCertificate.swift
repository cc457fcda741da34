internal import AppStoreTrust
internal import Foundation
internal import SwiftASN1
internal import X509

/// A certificate by its ASN.1 fields. Serves to look for names, and for what swift-certificates refuses to represent: the
/// RSA-1024 signer of old transaction receipts.
struct RawCertificate: Sendable {
    let der: [UInt8]
    /// The signed part, as encoded.
    let signedBytes: [UInt8]
    /// 2 for X.509 version 3.
    let version: Int64
    let serialNumber: [UInt8]
    /// Names as encoded.
    let issuer: [UInt8]
    let subject: [UInt8]
    let subjectPublicKeyInfo: [UInt8]
    let signatureAlgorithm: ASN1ObjectIdentifier
    let signature: [UInt8]
    let extensions: Certificate.Extensions
    let summary: CertificateSummary

    var isSelfIssued: Bool { issuer == subject }

    init(der: [UInt8]) throws(VerificationError) {
        do {
            try self.init(node: DER.parse(der), der: der)
        } catch let error as VerificationError {
            throw VerificationError(.certificateMalformed, error.reason)
        } catch {
            throw VerificationError(.certificateMalformed, "a certificate cannot be read")
        }
    }

    private init(node: ASN1Node, der: [UInt8]) throws {
        self.der = der
        var outer = try node.fields(.sequence, "Certificate")
        let signed = try outer.next()
        signedBytes = Array(signed.encodedBytes)
        let algorithm = try outer.next()
        signatureAlgorithm = try algorithm.algorithm("signatureAlgorithm")
        signature = try Array(ASN1BitString(derEncoded: outer.next()).bytes)
        try outer.finish()

        var fields = try signed.fields(.sequence, "TBSCertificate")
        version = try fields.next(tagged: 0).map { try $0.explicit("version").integer("version") } ?? 0
        serialNumber = try fields.next().integerOctets("serialNumber")
        // RFC 5280 §4.1.1.2: the algorithm inside of the signature and the one beside it must be the same.
        guard try fields.next().encodedBytes == algorithm.encodedBytes else {
            throw VerificationError.malformed("a certificate names two signature algorithms")
        }
        let (issuer, validity, subject) = (try fields.next(), try fields.next(), try fields.next())
        (self.issuer, self.subject) = (Array(issuer.encodedBytes), Array(subject.encodedBytes))
        subjectPublicKeyInfo = try Array(fields.next().encodedBytes)
        _ = (fields.next(tagged: 1), fields.next(tagged: 2))  // unique identifiers
        extensions = try Self.extensions(fields.next(tagged: 3))
        try fields.finish()

        var dates = try validity.fields(.sequence, "Validity")
        summary = try CertificateSummary(
            subject: DistinguishedName(derEncoded: subject).description,
            issuer: DistinguishedName(derEncoded: issuer).description, serialNumber: serialNumber,
            notBefore: Self.date(dates.next()), notAfter: Self.date(dates.next()), der: der)
        try dates.finish()
    }

    private static func extensions(_ node: ASN1Node?) throws -> Certificate.Extensions {
        guard let node else { return Certificate.Extensions() }
        var fields = try node.explicit("extensions").fields(.sequence, "extensions")
        var extensions: [Certificate.Extension] = []
        while let field = fields.nextIfAny() { extensions.append(try Certificate.Extension(derEncoded: field)) }
        return try Certificate.Extensions(extensions)
    }

    private static func date(_ node: ASN1Node) throws -> Date {
        let date: Date?
        if node.identifier == .utcTime {
            let time = try UTCTime(derEncoded: node)
            date = ReceiptDate.utc(
                year: time.year, month: time.month, day: time.day, hours: time.hours, minutes: time.minutes,
                seconds: time.seconds)
        } else {
            let time = try GeneralizedTime(derEncoded: node)
            date = ReceiptDate.utc(
                year: time.year, month: time.month, day: time.day, hours: time.hours, minutes: time.minutes,
                seconds: time.seconds)
        }
        guard let date else { throw VerificationError.malformed("a certificate has an unreadable date") }
        return date
    }
}
