internal import Foundation
internal import WebConsole

extension OperationsPage {
    /// Adds charts of the last hour.
    func lastHour(_ page: inout ConsolePage) {
        page.title("The last hour")
        let charts = history.charts
        guard charts.contains(where: { $0.values.count > 1 }) else {
            return page.paragraph(
                "Nothing yet: the server records its metrics every five seconds, and keeps them for an hour.", "empty")
        }
        for chart in charts where chart.values.count > 1 {
            page.drawing(chart.drawing, caption: "\(chart.title): \(chart.sentence)")
        }
    }

    /// The prefix of metrics with a series for each route. They are left to `/metrics`.
    private static let perRoute = "counterfoil_http_request"

    /// Adds the current values from `/metrics`.
    func metricsNow(_ page: inout ConsolePage) async {
        page.title("Metrics now")
        guard let text = await metrics.text() else {
            return page.paragraph("This server sends its metrics to another backend: read them there.", "empty")
        }
        let lines = text.split(separator: "\n").filter {
            !$0.hasPrefix("#") && !$0.contains("_bucket") && !$0.hasPrefix(Self.perRoute)
        }
        page.table(
            nil, ["Metric", "Value"],
            lines.prefix(80).map { line in
                let (name, value) = MetricHistory.sample(line)
                return [.code(name), .number(Self.text(of: value))]
            }, empty: "There are none yet.")
    }

    /// Returns a value of a metric, with at most three digits after the point unless it is less than one.
    static func text(of value: Double) -> String {
        if value == value.rounded(), value.magnitude < 1e15 { return Int64(value).grouped }
        return value.magnitude < 1 ? "\(value)" : "\((value * 1000).rounded() / 1000)"
    }
}

extension MetricHistory.Chart {
    /// A description of the chart.
    var sentence: String {
        guard let most = values.compactMap(\.self).max() else { return "no value in this hour" }
        guard case let last?? = values.last else { return "no value now, \(Self.text(most)) \(unit) at most" }
        return "\(Self.text(last)) \(unit) now, \(Self.text(most)) at most"
    }

    /// The chart: a line over the last hour, starting at zero, with a gap for minutes without a value.
    var drawing: Drawing {
        let (height, top) = (90.0, 16.0)
        var drawing = Drawing(height: Int(height) + 20, title: title, summary: sentence)
        let most = values.compactMap(\.self).max()
        // If all values are zero, the line is at the bottom.
        let scale = if let most, most > 0 { most } else { 1.0 }
        drawing.line(x1: 0, y1: height, x2: 100, y2: height, kind: "axis")
        drawing.line(x1: 0, y1: top, x2: 100, y2: top, kind: "axis")
        // The newest value is at the right end, even if the server has run for less than an hour.
        let step = 100 / Double(MetricHistory.minutes - 1)
        let start = 100 - step * Double(values.count - 1)
        for run in values.enumerated().split(whereSeparator: { $0.element == nil }) {
            drawing.curve(
                run.map { index, value in
                    (x: start + step * Double(index), y: height - (value ?? 0) / scale * (height - top))
                }, kind: "curve")
        }
        if let most { drawing.text("\(Self.text(most)) \(unit)", x: 0, y: top - 4, kind: "small") }
        drawing.text("an hour ago", x: 0, y: height + 15, kind: "small")
        drawing.text("now", x: 100, y: height + 15, anchor: .end, kind: "small")
        return drawing
    }

    private static func text(_ value: Double) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "?" }
        if value.magnitude >= 100 || value == value.rounded() { return Int64(value.rounded()).grouped }
        // Most of the server's waits are much shorter than a second.
        return String(format: value.magnitude < 0.1 ? "%.2g" : "%.2f", value)
    }
}
