/// Parses the parts of a date one after the other. Numbers must have the exact number of digits, and days and times
/// must exist.
package struct DateDigits {
    private var rest: Substring.UTF8View

    package init(_ text: String) { rest = text[...].utf8 }

    package var isAtEnd: Bool { rest.isEmpty }

    /// Skips `text` if it comes next. Returns whether it did.
    package mutating func skip(_ text: StaticString) -> Bool {
        let expected = text.description.utf8
        guard rest.starts(with: expected) else { return false }
        rest = rest.dropFirst(expected.count)
        return true
    }

    /// Parses a number with this many digits.
    package mutating func number(digits: Int) -> Int? {
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

    /// Parses `2026-05-03`. Returns the number of days since 1970-01-01.
    package mutating func day() -> Int? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2)
        else { return nil }
        return GregorianDate.dayNumber(year: year, month: month, day: day)
    }

    /// Parses `12:34:56`. Returns seconds.
    package mutating func timeOfDay() -> Int? {
        guard let hours = number(digits: 2), hours < 24, skip(":"), let minutes = number(digits: 2), minutes < 60,
            skip(":"), let seconds = number(digits: 2), seconds < 60
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }

    /// Parses a fraction of a second. Returns milliseconds, without further digits, or 0 if there is no fraction.
    package mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        guard var value = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            if count < 3 { value = value * 10 + digit }
            count += 1
        }
        return count == 1 ? value * 100 : count == 2 ? value * 10 : value
    }

    /// Parses `Z`, `+0130` or `+01:30`. Returns seconds east of Greenwich.
    ///
    /// - Parameter takesHours: Whether `+01` at the end of the text is accepted too.
    package mutating func offset(takesHours: Bool = false) -> Int? {
        if skip("Z") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip("+") || skip("-"), let hours = number(digits: 2), hours < 24 else { return nil }
        guard let minutes = takesHours && isAtEnd ? 0 : minutes() else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return isWest ? -seconds : seconds
    }

    private mutating func minutes() -> Int? {
        _ = skip(":")
        return number(digits: 2).flatMap { $0 < 60 ? $0 : nil }
    }
}
