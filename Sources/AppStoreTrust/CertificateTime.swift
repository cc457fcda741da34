internal import Basics
internal import Foundation
internal import SwiftASN1

/// Parses the validity dates of a certificate.
enum CertificateTime {
    /// Parses UTCTime through the year 2049 and GeneralizedTime from 2050 on, to the second and in UTC: the only form
    /// that RFC 5280 §4.1.2.5 allows for a date.
    static func read(_ node: ASN1Node) throws -> Date {
        let yearDigits = node.identifier == .utcTime ? 2 : node.identifier == .generalizedTime ? 4 : 0
        guard yearDigits > 0, case .primitive(let octets) = node.content, octets.count == yearDigits + 11,
            octets.last == UInt8(ascii: "Z"),
            let year = number(octets.prefix(yearDigits)),
            let date = date(inYear: yearDigits == 4 ? year : year < 50 ? 2000 + year : 1900 + year, octets.suffix(11))
        else {
            throw CertificateProblem("a time is not a UTCTime or GeneralizedTime in UTC, to the second")
        }
        guard yearDigits == 2 || year >= 2050 else {
            throw CertificateProblem("a time before 2050 is a GeneralizedTime")
        }
        return date
    }

    /// `MMDDhhmmssZ`.
    private static func date(inYear year: Int, _ octets: ArraySlice<UInt8>) -> Date? {
        let numbers = stride(from: 0, to: 10, by: 2).compactMap { number(octets.dropFirst($0).prefix(2)) }
        guard numbers.count == 5 else { return nil }
        return GregorianDate.utc(
            year: year, month: numbers[0], day: numbers[1], hours: numbers[2], minutes: numbers[3], seconds: numbers[4])
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0) { value, digit in
            guard let value, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            return value * 10 + Int(digit - UInt8(ascii: "0"))
        }
    }
}
