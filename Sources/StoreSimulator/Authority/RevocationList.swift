internal import Foundation
internal import SwiftASN1
internal import X509

/// A certificate revocation list of version 2 (RFC 5280 §5). swift-certificates has no type for it.
struct RevocationList {
    /// The serial numbers of the revoked certificates, with their revocation dates.
    var revoked: [(serialNumber: Certificate.SerialNumber, date: Date)] = []
    var thisUpdate: Date
    var nextUpdate: Date

    /// Creates an empty list that is valid during `times`, and after them as long as a response of the OCSP responder.
    init(times: ClosedRange<Date>) {
        thisUpdate = times.lowerBound - 60
        nextUpdate = times.upperBound + OCSPService.lifetime
    }

    /// Signs the list as `issuer`, which must have a P-384 key.
    func signed(by issuer: Issued) throws -> Data {
        let algorithm = RawDER.sequence(try RawDER.oid([1, 2, 840, 10045, 4, 3, 3]))
        let list = RawDER.sequence(
            RawDER.integer(1), algorithm, try RawDER.encoded(issuer.certificate.subject), try Self.time(thisUpdate),
            try Self.time(nextUpdate), try entries(), try extensions(issuer))
        let signature = try issuer.key.sign(bytes: list, signatureAlgorithm: .ecdsaWithSHA384).rawRepresentation
        return Data(RawDER.sequence(list, algorithm, RawDER.element(0x03, [0] + Array(signature))))
    }

    /// RFC 5280 §5.1.2.6: an empty list of entries must be absent.
    private func entries() throws -> [UInt8] {
        guard !revoked.isEmpty else { return [] }
        let entries = try revoked.map { entry in
            RawDER.sequence(RawDER.unsigned(Array(entry.serialNumber.bytes)), try Self.time(entry.date))
        }
        return RawDER.element(0x30, Array(entries.joined()))
    }

    /// Returns the two extensions that §5.2 requires: the authority key identifier and an increasing CRL number.
    private func extensions(_ issuer: Issued) throws -> [UInt8] {
        let key = SubjectKeyIdentifier(hash: issuer.certificate.publicKey).keyIdentifier
        let authorityKey = try Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: key), critical: false)
        // The lists are not counted, so the time in seconds is the number.
        let number = Certificate.Extension(
            oid: [2, 5, 29, 20], critical: false,
            value: RawDER.integer(Int64(max(0, thisUpdate.timeIntervalSince1970)))[...])
        return RawDER.element(0xA0, RawDER.sequence(try RawDER.encoded(authorityKey), try RawDER.encoded(number)))
    }

    /// §5.1.2.4: UTCTime with a two-digit year until 2049, GeneralizedTime from 2050.
    private static func time(_ date: Date) throws -> [UInt8] {
        // Compare seconds, not dates: a date that is NaN compares as later than any other.
        guard possible.contains(date.timeIntervalSince1970) else { throw CocoaError(.formatting) }
        let time = try GeneralizedTime(date)
        guard time.year < 2050 else { return try RawDER.encoded(time) }
        return try RawDER.encoded(
            UTCTime(
                year: time.year, month: time.month, day: time.day, hours: time.hours, minutes: time.minutes,
                seconds: time.seconds))
    }

    /// The range of representable times, from the start of UTCTime to the end of GeneralizedTime.
    private static let possible: ClosedRange<TimeInterval> = -631_152_000...253_402_300_799
}
