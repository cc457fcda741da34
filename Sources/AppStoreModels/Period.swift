public import Foundation

/// A calendar period: a number of days, weeks, months or years. Written in ISO 8601, such as `P1M`.
public struct Period: Sendable, Hashable {
    /// The unit of a period.
    public enum Unit: String, Sendable, Hashable, CaseIterable { case day = "D", week = "W", month = "M", year = "Y" }

    /// The number of units, at least 1.
    public let count: Int
    /// The unit.
    public let unit: Unit

    /// Creates a period of 1 to 10,000 units; nil for other numbers.
    public init?(_ count: Int, _ unit: Unit) {
        guard (1...10_000).contains(count) else { return nil }
        self.count = count
        self.unit = unit
    }

    private init(clamping count: Int, _ unit: Unit) {
        self.count = min(max(count, 1), 10_000)
        self.unit = unit
    }

    /// One week.
    public static let week = Period(clamping: 1, .week)
    /// One month.
    public static let month = Period(clamping: 1, .month)
    /// One year.
    public static let year = Period(clamping: 1, .year)

    /// Returns a period of days. As for the other units, `count` is clamped to 1 to 10,000.
    public static func days(_ count: Int) -> Period { Period(clamping: count, .day) }
    /// Returns a period of weeks.
    public static func weeks(_ count: Int) -> Period { Period(clamping: count, .week) }
    /// Returns a period of months.
    public static func months(_ count: Int) -> Period { Period(clamping: count, .month) }
    /// Returns a period of years.
    public static func years(_ count: Int) -> Period { Period(clamping: count, .year) }

    /// Parses ISO 8601 with one unit, such as `P2W`; nil for other text.
    public init?(iso8601 text: String) {
        guard text.utf8.count <= 8, text.hasPrefix("P"), let last = text.last, let unit = Unit(rawValue: String(last)),
            case let digits = text.dropFirst().dropLast(), digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            let count = Int(digits)
        else { return nil }
        self.init(count, unit)
    }

    /// The period in ISO 8601, such as `P2W`.
    public var iso8601: String { "P\(count)\(unit.rawValue)" }

    /// Returns the period multiplied by `factor`; nil if the result is below 1 or beyond 10,000 units.
    public func multiplied(by factor: Int) -> Period? {
        let (product, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : Period(product, unit)
    }

    /// Returns the date one period after `date`, in the Gregorian calendar and UTC. One month after 31 January is the
    /// last day of February; one month after 28 February is 28 March.
    public func date(after date: Date) -> Date {
        let calendar = Calendar.gregorianUTC
        return switch unit {
        case .day: date + Double(count) * 86_400
        case .week: date + Double(count) * 7 * 86_400
        case .month: calendar.date(byAdding: .month, value: count, to: date) ?? date + Double(count) * 30 * 86_400
        case .year: calendar.date(byAdding: .year, value: count, to: date) ?? date + Double(count) * 365 * 86_400
        }
    }
}

extension Calendar {
    /// The calendar of all dates from Apple: Gregorian, in UTC.
    package static let gregorianUTC: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}

extension Period: Codable {
    /// Decodes ISO 8601, such as `P2W`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let period = Period(iso8601: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "is not a period such as P1W, P1M or P1Y")
        }
        self = period
    }

    /// Encodes ISO 8601, such as `P2W`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(iso8601)
    }
}
