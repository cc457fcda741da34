import Synchronization

/// A progress bar with the estimated time left on standard error, shown only if standard error is a terminal.
final class ProgressBar: Sendable {
    private let start = ContinuousClock.now
    /// The first fraction and the present line.
    private let shown = Mutex<(first: Double?, line: String)>((nil, ""))

    /// Runs `body` with a bar, and removes the bar.
    static func showing<Value>(_ body: (ProgressBar) async throws -> Value) async throws -> Value {
        let bar = ProgressBar()
        defer { bar.end() }
        return try await body(bar)
    }

    /// Shows `fraction`, 0 to 1, and a text.
    func show(_ fraction: Double, _ text: String) {
        guard StatusLine.isShown, fraction.isFinite else { return }
        let fraction = min(max(fraction, 0), 1)
        let filled = Int(fraction * 24)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
        let changed = shown.withLock { shown -> String? in
            let begun = shown.first ?? fraction
            let line = "\(bar) \(Int(fraction * 100)) % \(text)\(rest(fraction, since: begun))"
            defer { shown = (begun, line) }
            return line == shown.line ? nil : line
        }
        if let changed { StatusLine.show(changed) }
    }

    /// Removes the bar.
    func end() { StatusLine.show("") }

    /// Returns the estimated time left, from the progress since `begun`, the first fraction that was shown: continued
    /// work does not start at 0.
    private func rest(_ fraction: Double, since begun: Double) -> String {
        let seconds = Double(start.duration(to: .now).components.seconds)
        guard seconds >= 2, fraction > begun, fraction < 1 else { return "" }
        let left = min(seconds / (fraction - begun) * (1 - fraction), 8_640_000)
        let (minutes, rest) = Int(left).quotientAndRemainder(dividingBy: 60)
        return minutes >= 60 ? ", \(minutes / 60) h \(minutes % 60) min left" : ", \(minutes) min \(rest) s left"
    }
}
