internal import Basics
internal import Foundation
internal import SwiftASN1

/// Parses the validity dates of a certificate.
enum CertificateTime {
    /// Parses UTCTime through the year 2049 and GeneralizedTime from 2050 on, to the second and in UTC: the only form
    /// that RFC 5280 §4.1.2.5 allows for a date.
    static func read(_ node: ASN1Node) throws -> Date {
        let yearDigits = node.identifier == .utcTime ? 2 : node.identifier == .generalizedTime ? 4 : 0
        var text = ""
        if case .primitive(let octets) = node.content { text = String(decoding: octets, as: UTF8.self) }
        var digits = DateDigits(text)
        guard yearDigits > 0, let year = digits.number(digits: yearDigits), let month = digits.number(digits: 2),
            let day = digits.number(digits: 2), let hours = digits.number(digits: 2),
            let minutes = digits.number(digits: 2), let seconds = digits.number(digits: 2), digits.skip("Z"),
            digits.isAtEnd,
            let date = GregorianDate.utc(
                year: yearDigits == 4 ? year : year < 50 ? 2000 + year : 1900 + year, month: month, day: day,
                hours: hours, minutes: minutes, seconds: seconds)
        else {
            throw CertificateProblem("a time is not a UTCTime or GeneralizedTime in UTC, to the second")
        }
        guard yearDigits == 2 || year >= 2050 else {
            throw CertificateProblem("a time before 2050 is a GeneralizedTime")
        }
        return date
    }
}
