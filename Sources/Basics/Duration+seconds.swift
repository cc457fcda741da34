package import Foundation

extension Duration {
    /// The duration in seconds.
    package var seconds: TimeInterval {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    /// The longest time that anything waits: 68 years. `sleep` and ``seconds`` do not accept every duration, and
    /// arithmetic with the longest ones overflows.
    package static let longestWait = Duration.seconds(1 << 31)

    /// The duration, from zero to ``longestWait``.
    package var clampedToWait: Duration { min(max(self, .zero), .longestWait) }
}
