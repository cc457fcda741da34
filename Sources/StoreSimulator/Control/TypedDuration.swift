internal import AppStoreModels
internal import Basics
package import Foundation

/// A duration in one of the notations that people type.
package struct TypedDuration: Sendable {
    private typealias Part = (count: Int, unit: TimeUnit)

    private let parts: [Part]

    /// The units that the calendar counts.
    private static let calendarUnits: [TimeUnit: Period.Unit] = [
        .day: .day, .week: .week, .month: .month, .year: .year,
    ]

    /// Parses ISO 8601 (`P13M`, `PT1M`, `P1DT12H`) or numbers with units (`31d`, `2h 30m`, `13 months`). Returns nil
    /// for any other text.
    package init?(_ text: String) {
        guard text.utf8.count <= 100 else { return nil }
        if let parts = Self.parts(iso8601: text) {
            self.parts = parts
            return
        }
        guard let typed = MeasureParser.parts(of: text, upTo: 1_000_000_000) else { return nil }
        var parts: [Part] = []
        for part in typed {
            guard let count = Int(exactly: part.count), let unit = TimeUnit(name: part.unit) else { return nil }
            parts.append((count, unit))
        }
        self.parts = parts
    }

    /// Parses the parts of `P1Y2M3W4DT5H6M7S`: at least one, each at most once, in that order.
    private static func parts(iso8601 text: String) -> [Part]? {
        guard text.first == "P" else { return nil }
        let halves = text.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 1 || halves.last?.isEmpty == false else { return nil }
        var parts: [Part] = []
        let letters: [[(Character, TimeUnit)]] = [
            [("Y", .year), ("M", .month), ("W", .week), ("D", .day)],
            [("H", .hour), ("M", .minute), ("S", .second)],
        ]
        for (half, units) in zip(halves, letters) {
            var rest = half
            var left = units[...]
            while !rest.isEmpty {
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                rest = rest.dropFirst(digits.count)
                guard let count = Int(digits), (0...1_000_000_000).contains(count), let letter = rest.popFirst(),
                    let place = left.firstIndex(where: { $0.0 == letter })
                else { return nil }
                parts.append((count, left[place].1))
                left = left[(place + 1)...]
            }
        }
        return parts.isEmpty ? nil : parts
    }

    /// Returns the instant that is this duration after `date`.
    package func after(_ date: Date) -> Date {
        parts.reduce(date) { date, part in
            guard let unit = Self.calendarUnits[part.unit] else {
                return date + Double(part.count) * Double(part.unit.seconds ?? 0)
            }
            // A count that `Period` cannot represent lies beyond the end of the clock anyway.
            return part.count == 0 ? date : Period(part.count, unit)?.date(after: date) ?? .distantFuture
        }
    }
}
