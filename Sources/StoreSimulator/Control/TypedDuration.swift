internal import AppStoreModels
package import Foundation

/// A length of time as people type it.
package struct TypedDuration: Sendable, Hashable {
    private let parts: [Part]

    private struct Part: Hashable {
        let count: Int
        let unit: Unit
    }

    private enum Unit: Hashable { case second, minute, hour, period(Period.Unit) }

    /// Reads ISO 8601 (`P13M`, `PT1M`, `P1DT12H`), or numbers with units (`31d`, `2h 30m`, `13 months`); nil for anything
    /// else.
    package init?(_ text: String) {
        guard text.utf8.count <= 100 else { return nil }
        if let period = Period(iso8601: text) {
            parts = [Part(count: period.count, unit: .period(period.unit))]
            return
        }
        if let parts = Self.parts(iso8601: text) {
            self.parts = parts
            return
        }
        var parts: [Part] = []
        var rest = text[...].drop { $0 == " " }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count).drop { $0 == " " }
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(name.count).drop { $0 == " " }
            guard let count = Int(digits), (0...1_000_000_000).contains(count), let unit = Self.units[name.lowercased()]
            else { return nil }
            parts.append(Part(count: count, unit: unit))
        }
        guard !parts.isEmpty else { return nil }
        self.parts = parts
    }

    /// The parts of `P1Y2M3W4DT5H6M7S`: each at most once, in that order, at least one.
    private static func parts(iso8601 text: String) -> [Part]? {
        guard text.first == "P" else { return nil }
        let halves = text.dropFirst().split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 1 || halves.last?.isEmpty == false else { return nil }
        var parts: [Part] = []
        let letters: [[(Character, Unit)]] = [
            [("Y", .period(.year)), ("M", .period(.month)), ("W", .period(.week)), ("D", .period(.day))],
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
                parts.append(Part(count: count, unit: left[place].1))
                left = left[(place + 1)...]
            }
        }
        return parts.isEmpty ? nil : parts
    }

    private static let units: [String: Unit] = {
        var units: [String: Unit] = [:]
        for name in ["s", "sec", "second", "seconds"] { units[name] = .second }
        for name in ["m", "min", "minute", "minutes"] { units[name] = .minute }
        for name in ["h", "hour", "hours"] { units[name] = .hour }
        for name in ["d", "day", "days"] { units[name] = .period(.day) }
        for name in ["w", "week", "weeks"] { units[name] = .period(.week) }
        for name in ["mo", "month", "months"] { units[name] = .period(.month) }
        for name in ["y", "year", "years"] { units[name] = .period(.year) }
        return units
    }()

    /// The instant so much later.
    package func after(_ date: Date) -> Date {
        parts.reduce(date) { date, part in
            switch part.unit {
            case .second: date + Double(part.count)
            case .minute: date + Double(part.count) * 60
            case .hour: date + Double(part.count) * 3600
            // More than a period can hold is beyond the end of the clock anyway.
            case .period(let unit): part.count == 0 ? date : Period(part.count, unit)?.after(date) ?? .distantFuture
            }
        }
    }
}
