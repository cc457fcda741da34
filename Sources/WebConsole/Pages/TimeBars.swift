package import Foundation

/// A chart of periods as bars on a time axis, with one row per purchase.
package struct TimeBars: Sendable {
    /// The meaning of a bar. The raw value is the legend's text.
    package enum Kind: String, Sendable, CaseIterable {
        case paid = "Paid"
        case trial = "Free or trial"
        case grace = "Billing grace period"
        case retry = "Billing retry"
        case refunded = "Refunded or revoked"
        case upgraded = "Ended by an upgrade"
        case once = "Bought once"
        case complete = "Complete"
        case unverified = "Not all verified"
        case unknown = "Not known"

        /// The CSS class.
        fileprivate var look: StaticString {
            switch self {
            case .paid, .complete: "paid"
            case .trial: "trial"
            case .grace: "grace"
            case .retry: "retry"
            case .refunded, .unverified: "refunded"
            case .upgraded: "upgraded"
            case .once: "once"
            case .unknown: "unknown"
            }
        }
    }

    package struct Bar: Sendable {
        package var start: Date
        /// The end; nil for an event at one instant.
        package var end: Date?
        package var kind: Kind
        /// The tooltip.
        package var label: String

        package init(_ start: Date, _ end: Date?, _ kind: Kind, _ label: String) {
            (self.start, self.end, self.kind, self.label) = (start, end, kind, label)
        }
    }

    package struct Row: Sendable {
        package var label: String
        package var bars: [Bar]

        package init(_ label: String, _ bars: [Bar]) { (self.label, self.bars) = (label, bars) }
    }

    private let rows: [Row]
    private let now: Date
    private let start: Date
    private let end: Date

    private static let rowHeight = 50.0

    /// The maximum length of a row's label, which a phone shows in one line.
    private static let longestLabel = 34

    /// The maximum number of bars in a row: four years of monthly periods. More would make the page too large.
    private static let maximumBars = 48

    /// The maximum number of rows.
    private static let maximumRows = 20

    /// Creates a chart that extends somewhat beyond `now`. It contains only the rows with the latest bars and the last
    /// bars of each row, see ``omissions(from:)``.
    package init(_ rows: [Row], now: Date) {
        // A subscription may have renewed, and a product may have been bought again, after later rows began.
        let latest = rows.map { $0.bars.map(\.start).max() ?? .distantPast }
        let shown = rows.indices.sorted { (latest[$0], $0) < (latest[$1], $1) }.suffix(Self.maximumRows).sorted()
        self.rows = shown.map { Row(rows[$0].label, Array(rows[$0].bars.suffix(Self.maximumBars))) }
        self.now = now
        let bars = self.rows.flatMap(\.bars)
        let first = min(now, bars.map(\.start).min() ?? now)
        let last = max(now, bars.compactMap { $0.end ?? $0.start }.max() ?? now)
        let span = max(86_400, last.timeIntervalSince(first))
        // The chart always includes the next day.
        (start, end) = (first - span * 0.02, max(last + span * 0.12, Self.nextMidnight(after: now) + 86_400))
    }

    /// Returns the part of a caption that describes omitted rows and bars; empty if none are omitted.
    package static func omissions(from rows: [Row]) -> String {
        (rows.count > maximumRows ? "; the last \(maximumRows) of \(rows.count)" : "")
            + (rows.contains { $0.bars.count > maximumBars } ? "; the last \(maximumBars) of each" : "")
    }

    /// The legend of the kinds in the chart, for a list whose items have the class `look` and the text `word`.
    package var legend: PageValue {
        let kinds = Kind.allCases.filter { kind in rows.contains { $0.bars.contains { $0.kind == kind } } }
        return .list(kinds.map { ["look": .text("\($0.look)"), "word": .text($0.rawValue)] })
    }

    /// Returns the drawing.
    ///
    /// - Parameter link: Returns the link of a future day, from its beginning in UTC. Nil for a chart without links.
    package func drawing(title: String, summary: String, link: ((Date) -> PageLink)? = nil) -> Drawing {
        let bottom = Double(max(1, rows.count)) * Self.rowHeight + 6
        var drawing = Drawing(height: Int(bottom) + 34, title: title, summary: summary)
        let dates = ticks
        for tick in dates { drawing.line(x1: tick.x, y1: 4, x2: tick.x, y2: bottom, kind: "axis") }
        for (index, row) in rows.enumerated() {
            for bar in row.bars { draw(bar, top: Double(index) * Self.rowHeight + 24, in: &drawing) }
        }
        drawing.line(x1: x(now), y1: 0, x2: x(now), y2: bottom, kind: "now")
        for (index, row) in rows.enumerated() {
            let isLong = row.label.count > Self.longestLabel
            let label = isLong ? "…" + row.label.suffix(Self.longestLabel - 1) : row.label
            drawing.text(label, x: 0, y: Double(index) * Self.rowHeight + 17)
        }
        let (narrow, wide) = AxisLabel.shown(of: dates)
        for tick in narrow { tick.draw(y: bottom + 16, in: &drawing) }
        for tick in wide { tick.draw(y: bottom + 16, in: &drawing, kind: "small wide") }
        AxisLabel(text: "now", x: x(now)).draw(y: bottom + 31, in: &drawing)
        if let link {
            for day in days {
                let next = min(day.end, end)
                drawing.rectangle(
                    x: x(day.start), y: 0, width: x(next) - x(day.start), height: bottom, kind: "hit",
                    label: "Enter \(day.start.consoleText.prefix(10)) above", link: link(day.start))
            }
        }
        return drawing
    }

    /// The maximum number of clickable parts of the future.
    private static let maximumDays = 120

    /// The future days of the chart. If there are more than `maximumDays`, each part covers several days.
    private var days: [(start: Date, end: Date)] {
        let first = Self.nextMidnight(after: now)
        let count = max(1, Int((end.timeIntervalSince(first) / 86_400).rounded(.up)))
        let step = (count + Self.maximumDays - 1) / Self.maximumDays
        return stride(from: 0, to: count, by: step).map { index in
            let start = first + Double(index) * 86_400
            return (start, start + Double(step) * 86_400)
        }
    }

    /// Returns the first midnight in UTC after an instant. All days of Unix time have the same length.
    private static func nextMidnight(after date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400 + 86_400)
    }

    private func draw(_ bar: Bar, top: Double, in drawing: inout Drawing) {
        guard let end = bar.end else {
            return drawing.marker(x: x(bar.start), y: top + 2, height: 18, kind: bar.kind.look, label: bar.label)
        }
        // Leave a gap between consecutive periods.
        let width = max(0.4, x(end) - x(bar.start) - 0.2)
        let isThin = bar.kind == .grace || bar.kind == .retry
        drawing.rectangle(
            x: x(bar.start), y: top + (isThin ? 6 : 0), width: width, height: isThin ? 10 : 22, kind: bar.kind.look,
            label: bar.label)
    }

    /// Returns the horizontal position of a date, in percent.
    private func x(_ date: Date) -> Double {
        100 * date.timeIntervalSince(start) / end.timeIntervalSince(start)
    }

    /// The ticks of the time axis: beginnings of days, months or years.
    private var ticks: [AxisLabel] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let days = end.timeIntervalSince(start) / 86_400
        let (unit, step): (Calendar.Component, Int) =
            switch days {
            case ..<8: (.day, 1)
            case ..<60: (.day, 7)
            case ..<250: (.month, 1)
            case ..<800: (.month, 3)
            default: (.year, max(1, Int(days / 365 / 7)))
            }
        guard var date = calendar.dateInterval(of: unit, for: start)?.start else { return [] }
        var ticks: [AxisLabel] = []
        while date < end, ticks.count < 16 {
            let text = date.consoleText.prefix(unit == .year ? 4 : unit == .month ? 7 : 10)
            if date >= start { ticks.append(AxisLabel(text: String(text), x: x(date))) }
            guard let next = calendar.date(byAdding: unit, value: step, to: date), next > date else { break }
            date = next
        }
        return ticks
    }
}
