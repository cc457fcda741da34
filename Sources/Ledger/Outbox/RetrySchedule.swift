/// When what did not arrive is sent again.
package enum RetrySchedule {
    /// The pauses after each attempt, in seconds; after the last one it has failed. All together four days.
    package static let pauses: [Double] = [
        5, 30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 24 * 3600, 24 * 3600,
    ]

    /// What a pause is multiplied by: up to a fifth more or less, so that what failed together does not come again together.
    private static let spread = 0.8...1.2

    /// The longest that a receiver may ask us to wait, in seconds.
    package static let longestRetryAfter: Double = 24 * 3600

    /// The longest that a delivery waits for its next attempt, in milliseconds.
    package static let longestPause = Milliseconds(
        max((pauses.max() ?? 0) * spread.upperBound, longestRetryAfter) * 1000)

    /// How long all attempts at an endpoint may fail before nothing more is sent there. Time without attempts does not
    /// count: see ``EndpointHealth``.
    package static let patience: Milliseconds = 5 * 86_400_000

    /// The pause after so many attempts, in seconds; nil when they were enough.
    ///
    /// - Parameter retryAfter: What the receiver asked for (`Retry-After`), in seconds.
    package static func pause(
        after attempts: Int, retryAfter: Double?, using generator: inout some RandomNumberGenerator
    ) -> Double? {
        guard pauses.indices.contains(attempts - 1) else { return nil }
        let pause = pauses[attempts - 1] * Double.random(in: spread, using: &generator)
        return max(pause, min(retryAfter ?? 0, longestRetryAfter))
    }
}
