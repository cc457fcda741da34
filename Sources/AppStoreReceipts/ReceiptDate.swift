internal import AppStoreTrust
internal import Basics
internal import Foundation

/// The date texts of receipts.
enum ReceiptDate {
    /// Reads `2025-12-26T18:39:47Z`, with or without a fraction of a second, and with an offset instead of `Z`, with or
    /// without a colon (Xcode). Nil for anything else.
    static func parse(_ text: String) -> Date? {
        var digits = Digits(text)
        guard let day = digits.day(), digits.skip("T"), let second = digits.timeOfDay() else { return nil }
        guard let milliseconds = digits.fraction(), let offset = digits.offset(), digits.isAtEnd else { return nil }
        return date(day: day, second: second - offset, milliseconds: milliseconds)
    }

    /// Reads `2012-04-30 15:05:55 Etc/GMT`, the form of transaction receipts. Nil for anything else.
    static func parseFormatted(_ text: String) -> Date? {
        var digits = Digits(text)
        guard let day = digits.day(), digits.skip(" "), let second = digits.timeOfDay(), digits.skip(" Etc/GMT") else {
            return nil
        }
        return digits.isAtEnd ? date(day: day, second: second, milliseconds: 0) : nil
    }

    /// Reads milliseconds since 1970 as decimal text. Nil for anything else, and beyond the year 9999.
    static func parse(milliseconds text: String) -> Date? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let value = Int64(text),
            value < 253_402_300_800_000
        else { return nil }
        return Date(timeIntervalSince1970: Double(value) / 1000)
    }

    private static func date(day: Int, second: Int, milliseconds: Int) -> Date {
        Date(timeIntervalSince1970: Double((day * 86400 + second) * 1000 + milliseconds) / 1000)
    }
}

extension Date {
    /// Milliseconds since 1970, to the nearest; nil for what no receipt date can be.
    package var receiptMilliseconds: Int64? { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) }
}

private struct Digits {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ text: StaticString) -> Bool {
        let expected = text.description.utf8
        guard rest.starts(with: expected) else { return false }
        rest = rest.dropFirst(expected.count)
        return true
    }

    mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    private mutating func digit() -> Int? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        rest = rest.dropFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    mutating func day() -> Int? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2)
        else { return nil }
        return GregorianDate.dayNumber(year: year, month: month, day: day)
    }

    mutating func timeOfDay() -> Int? {
        guard let hours = number(digits: 2), hours < 24, skip(":"), let minutes = number(digits: 2), minutes < 60,
            skip(":"), let seconds = number(digits: 2), seconds < 60
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }

    /// Milliseconds; further digits are dropped. Zero when there is no fraction.
    mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        guard var value = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            if count < 3 { value = value * 10 + digit }
            count += 1
        }
        return count == 1 ? value * 100 : count == 2 ? value * 10 : value
    }

    /// Seconds east of Greenwich.
    mutating func offset() -> Int? {
        if skip("Z") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip("+") || skip("-"), let hours = number(digits: 2), hours < 24 else { return nil }
        _ = skip(":")
        guard let minutes = number(digits: 2), minutes < 60 else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return isWest ? -seconds : seconds
    }
}
