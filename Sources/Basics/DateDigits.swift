/// Reads the parts of a written date one after the other. No number has more or fewer digits than its place, and there is no day
/// and no time of day that does not exist.
package struct DateDigits {
    private var rest: Substring.UTF8View

    package init(_ text: String) { rest = text[...].utf8 }

    package var isAtEnd: Bool { rest.isEmpty }

    /// Whether the text came next; then it is passed.
    package mutating func skip(_ text: StaticString) -> Bool {
        let expected = text.description.utf8
        guard rest.starts(with: expected) else { return false }
        rest = rest.dropFirst(expected.count)
        return true
    }

    private mutating func number(digits: Int) -> Int? {
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

    /// `2026-05-03`, as the number of days since 1970-01-01.
    package mutating func day() -> Int? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2)
        else { return nil }
        return GregorianDate.dayNumber(year: year, month: month, day: day)
    }

    /// `12:34:56`, in seconds.
    package mutating func timeOfDay() -> Int? {
        guard let hours = number(digits: 2), hours < 24, skip(":"), let minutes = number(digits: 2), minutes < 60,
            skip(":"), let seconds = number(digits: 2), seconds < 60
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }

    /// Milliseconds; further digits are dropped. Zero when there is no fraction.
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

    /// `Z`, `+0130` or `+01:30`, in seconds east of Greenwich.
    ///
    /// - Parameter takesHours: Whether `+01` at the end of the text is one as well.
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
