package import Foundation

/// Dates of the proleptic Gregorian calendar in UTC.
package enum GregorianDate {
    /// Returns the instant; nil if the day or time does not exist. There are no leap seconds.
    package static func utc(
        year: Int, month: Int, day: Int, hours: Int, minutes: Int, seconds: Int
    ) -> Date? {
        guard let day = dayNumber(year: year, month: month, day: day), (0...23).contains(hours),
            (0...59).contains(minutes), (0...59).contains(seconds)
        else { return nil }
        return Date(timeIntervalSince1970: Double(day * 86400 + hours * 3600 + minutes * 60 + seconds))
    }

    /// Returns the number of days since 1970-01-01; nil if the day does not exist or the year is not 1 to 9999.
    static func dayNumber(year: Int, month: Int, day: Int) -> Int? {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...9999).contains(year), (1...12).contains(month), (1...lengths[month - 1]).contains(day) else {
            return nil
        }
        let past = year - 1
        let daysOfPastYears = past * 365 + past / 4 - past / 100 + past / 400
        return daysOfPastYears + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_162  // 0001-01-01 to 1970-01-01
    }
}
