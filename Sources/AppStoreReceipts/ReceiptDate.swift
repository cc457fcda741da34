internal import AppStoreModels
internal import Basics
internal import Foundation

/// Parses the date formats of receipts.
enum ReceiptDate {
    /// Parses `2025-12-26T18:39:47Z`, with or without a fraction of a second, or with an offset instead of `Z`, with or
    /// without a colon (Xcode). Returns nil for other text.
    static func parse(_ text: String) -> Date? {
        var digits = DateDigits(text)
        guard let day = digits.day(), digits.skip("T"), let second = digits.timeOfDay() else { return nil }
        guard let milliseconds = digits.fraction(), let offset = digits.offset(), digits.isAtEnd else { return nil }
        return date(day: day, second: second - offset, milliseconds: milliseconds)
    }

    /// Parses `2012-04-30 15:05:55 Etc/GMT`, the format of transaction receipts. Returns nil for other text.
    static func parseFormatted(_ text: String) -> Date? {
        var digits = DateDigits(text)
        guard let day = digits.day(), digits.skip(" "), let second = digits.timeOfDay(), digits.skip(" Etc/GMT") else {
            return nil
        }
        return digits.isAtEnd ? date(day: day, second: second, milliseconds: 0) : nil
    }

    /// Parses milliseconds since 1970 as decimal text. Returns nil for other text, and for dates after the year 9999.
    static func parse(milliseconds text: String) -> Date? {
        guard text.isDigits(), let value = Int64(text), value < 253_402_300_800_000 else { return nil }
        return Date(millisecondsSince1970: value)
    }

    // Like the dates of signed data: two dates of the same millisecond are equal.
    private static func date(day: Int, second: Int, milliseconds: Int) -> Date? {
        Date(millisecondsSince1970: Int64((day * 86400 + second) * 1000 + milliseconds))
    }
}
