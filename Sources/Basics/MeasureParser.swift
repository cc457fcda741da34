/// Parses numbers with units: `1h 30m`, `4 MiB`, `13 months`.
package enum MeasureParser {
    /// A number and the name of its unit, in lower case.
    package struct Part: Sendable, Hashable {
        package var count: Int64
        package var unit: String
    }

    /// Returns the parts in order; nil if the text is invalid or too long, or if a number exceeds `maximumCount`.
    package static func parts(of text: String, upTo maximumCount: Int64, maximumBytes: Int = 100) -> [Part]? {
        guard text.utf8.count <= maximumBytes else { return nil }
        var parts: [Part] = []
        var rest = text[...].drop { $0 == " " }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count).drop { $0 == " " }
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count).drop { $0 == " " }
            guard !unit.isEmpty, let count = Int64(digits), (0...maximumCount).contains(count) else { return nil }
            parts.append(Part(count: count, unit: unit.lowercased()))
        }
        return parts.isEmpty ? nil : parts
    }
}

/// A unit of time.
package enum TimeUnit: Sendable, Hashable, CaseIterable {
    case second, minute, hour, day, week, month, year

    /// Finds a unit by its full or short name in lower case.
    package init?(name: String) {
        guard let unit = Self.allCases.first(where: { $0.names.contains(name) }) else { return nil }
        self = unit
    }

    private var names: [String] {
        switch self {
        case .second: ["s", "sec", "second", "seconds"]
        case .minute: ["m", "min", "minute", "minutes"]
        case .hour: ["h", "hour", "hours"]
        case .day: ["d", "day", "days"]
        case .week: ["w", "week", "weeks"]
        case .month: ["mo", "month", "months"]
        case .year: ["y", "year", "years"]
        }
    }

    /// The length in seconds; nil for months and years, whose lengths vary.
    package var seconds: Int64? {
        switch self {
        case .second: 1
        case .minute: 60
        case .hour: 3600
        case .day: 86_400
        case .week: 604_800
        case .month, .year: nil
        }
    }
}
