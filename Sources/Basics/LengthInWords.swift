extension Double {
    /// This number of seconds in one unit: `3 days`.
    package var lengthInWords: String { lengthInWords(rounded: .toNearestOrAwayFromZero) }

    /// Returns this number of seconds in one unit.
    ///
    /// - Parameter rule: How the number of the unit is rounded.
    package func lengthInWords(rounded rule: FloatingPointRoundingRule) -> String {
        let units: [(name: String, length: Double)] = [
            ("year", 365.25 * 86_400), ("month", 30.4375 * 86_400), ("day", 86_400), ("hour", 3600), ("minute", 60),
        ]
        for (name, length) in units where self >= length * (name == "day" ? 1 : 1.5) || self == length {
            let count = Int(min(1e9, (self / length).rounded(rule)))
            return "\(count) \(count.noun(name))"
        }
        let count = Int(max(0, rounded(rule)))
        return "\(count) \(count.noun("second"))"
    }

    /// This number of seconds in the largest unit of which it is a whole number, without rounding: `90 minutes`,
    /// `1.5 seconds`.
    package var exactLengthInWords: String {
        let units: [(name: String, length: Double)] = [("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)]
        for (name, length) in units where self != 0 && truncatingRemainder(dividingBy: length) == 0 {
            guard let count = Int(exactly: self / length) else { break }
            return "\(count) \(count.noun(name))"
        }
        return self == 0 ? "0 seconds" : "\(self) seconds"
    }
}
