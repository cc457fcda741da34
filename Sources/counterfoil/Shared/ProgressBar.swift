/// A progress bar with the estimated time left on standard error, shown only if standard error is a terminal.
struct ProgressBar {
    private let start = ContinuousClock.now
    private var first: Double?

    /// Shows `fraction`, 0 to 1, and a text.
    mutating func show(_ fraction: Double, _ text: String) {
        guard StatusLine.isShown else { return }
        let fraction = min(max(fraction, 0), 1)
        let begun = first ?? fraction
        first = begun
        let filled = Int(fraction * 24)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
        StatusLine.show("\(bar) \(Int(fraction * 100)) % \(text)\(rest(fraction, since: begun))")
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
