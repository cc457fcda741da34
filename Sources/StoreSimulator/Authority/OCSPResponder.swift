internal import AppStoreModels
internal import Crypto
package import Foundation
internal import SwiftASN1
internal import X509
internal import _CryptoExtras

/// Answers OCSP requests for certificates of an issuer. Its properties produce correct or defective responses.
package struct OCSPResponder: Sendable {
    /// The certificate status in the response.
    package enum Status: Sendable, Hashable {
        case good
        case revoked(Date)
        case unknown
    }

    package var status = Status.good
    package var thisUpdate: Date
    package var nextUpdate: Date?
    /// The delegated responder that signs the response; nil if the issuer signs.
    package var delegate: Issued?
    /// The serial number in the response; nil for the requested one.
    package var serialNumber: [UInt8]?
    /// Whether the responder ID is the hash of the key instead of the name.
    package var isNamedByKey = false
    /// Where to add an unknown critical extension; nil for none.
    package var criticalExtension: ExtensionLocation?
    /// Whether the signature is invalid.
    package var forgesSignature = false

    /// The location of an extension: in the single response about the certificate, or in the whole response.
    package enum ExtensionLocation: Sendable, Hashable { case answer, response }

    private let issuer: Issued

    package init(issuer: Issued, now: Date) {
        self.issuer = issuer
        thisUpdate = now - 60
        nextUpdate = now + 12 * 3600
    }

    /// Returns the DER of the response to a request (RFC 6960 §4.2.1).
    package func answer(_ query: OCSPQuery) throws -> Data {
        let data = try responseData(query)
        let signer = delegate ?? issuer
        let isRSA = _RSA.Signing.PublicKey(signer.certificate.publicKey) != nil
        let algorithm: Certificate.SignatureAlgorithm = isRSA ? .sha256WithRSAEncryption : .ecdsaWithSHA384
        var signature = Array(try signer.key.sign(bytes: data, signatureAlgorithm: algorithm).rawRepresentation)
        if forgesSignature, let last = signature.indices.last { signature[last] ^= 1 }
        let identifier = try RawDER.oid(isRSA ? Self.sha256WithRSA : Self.ecdsaWithSHA384)
        let basic = RawDER.sequence(
            data, RawDER.sequence(identifier, isRSA ? RawDER.null : []), RawDER.element(0x03, [0] + signature),
            delegate.map { RawDER.element(0xA0, RawDER.sequence($0.der)) } ?? [])
        let response = RawDER.sequence(try RawDER.oid([1, 3, 6, 1, 5, 5, 7, 48, 1, 1]), RawDER.octets(basic))
        return Data(RawDER.sequence(RawDER.element(0x0A, [0]), RawDER.element(0xA0, response)))
    }

    private func responseData(_ query: OCSPQuery) throws -> [UInt8] {
        let time = try RawDER.encoded(GeneralizedTime(thisUpdate))
        let end = try nextUpdate.map { RawDER.element(0xA0, try RawDER.encoded(GeneralizedTime($0))) }
        let single = RawDER.sequence(
            try certificateID(query), try encodedStatus(), time, end ?? [],
            try Self.extensions(criticalExtension == .answer ? Self.unknownExtension : nil))
        return RawDER.sequence(
            try name(), time, RawDER.sequence(single),
            try Self.extensions(criticalExtension == .response ? Self.unknownExtension : query.nonce))
    }

    private func name() throws -> [UInt8] {
        let responder = (delegate ?? issuer).certificate
        guard isNamedByKey else { return RawDER.element(0xA1, try RawDER.encoded(responder.subject)) }
        let hash = Insecure.SHA1.hash(data: Array(responder.publicKey.subjectPublicKeyInfoBytes))
        return RawDER.element(0xA2, RawDER.octets(Array(hash)))
    }

    private func encodedStatus() throws -> [UInt8] {
        switch status {
        case .good: return RawDER.element(0x80, [])
        case .revoked(let date): return RawDER.element(0xA1, try RawDER.encoded(GeneralizedTime(date)))
        case .unknown: return RawDER.element(0x82, [])
        }
    }

    private static func extensions(_ item: Certificate.Extension?) throws -> [UInt8] {
        guard let item else { return [] }
        return RawDER.element(0xA1, RawDER.sequence(try RawDER.encoded(item)))
    }

    private static let unknownExtension = Certificate.Extension(
        oid: [1, 3, 6, 1, 4, 1, 55555, 1], critical: true, value: [5, 0])

    private static let ecdsaWithSHA384: ASN1ObjectIdentifier = [1, 2, 840, 10045, 4, 3, 3]

    private static let sha256WithRSA: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 11]

    private func certificateID(_ query: OCSPQuery) throws -> [UInt8] {
        guard let serialNumber else { return query.certificateID }
        return RawDER.sequence(
            RawDER.sequence(try RawDER.oid(query.hashAlgorithm), RawDER.null), RawDER.octets(query.issuerNameHash),
            RawDER.octets(query.issuerKeyHash), RawDER.element(0x02, serialNumber))
    }
}

extension GeneralizedTime {
    /// Creates the time of a date, rounded down to the second.
    init(_ date: Date) throws {
        // The year has four digits. The calendar would convert any date, however distant.
        guard abs(date.timeIntervalSinceReferenceDate) < 60e9 else { throw CocoaError(.formatting) }
        let parts = Calendar.gregorianUTC.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        try self.init(
            year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0, hours: parts.hour ?? 0,
            minutes: parts.minute ?? 0, seconds: parts.second ?? 0, fractionalSeconds: 0)
    }
}
