/// When failed deliveries are sent again.
package enum RetrySchedule {
    /// The pauses after each attempt, in seconds; after the last attempt the delivery has failed. About four days in
    /// total.
    package static let pauses: [Double] = [
        5, 30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 24 * 3600, 24 * 3600,
    ]

    /// The jitter: pauses vary by up to a fifth, so that deliveries that failed together are not retried together.
    private static let jitter = 0.8...1.2

    /// The longest `Retry-After` of a receiver that is respected, in seconds.
    private static let longestRetryAfter: Double = 24 * 3600

    /// The longest time before a delivery's next attempt.
    package static let longestPause = Milliseconds(
        max((pauses.max() ?? 0) * jitter.upperBound, longestRetryAfter) * 1000)

    /// How long all attempts at an endpoint may fail before the endpoint is disabled. Time without attempts does not
    /// count: see ``EndpointHealth``.
    package static let disableAfter: Milliseconds = 5 * 86_400_000

    /// Returns the pause after a number of attempts, in seconds; nil if there are no more attempts.
    ///
    /// - Parameter retryAfter: The receiver's `Retry-After`, in seconds.
    package static func pause(
        after attempts: Int, retryAfter: Double?, using generator: inout some RandomNumberGenerator
    ) -> Double? {
        guard pauses.indices.contains(attempts - 1) else { return nil }
        let pause = pauses[attempts - 1] * Double.random(in: jitter, using: &generator)
        return max(pause, min(retryAfter ?? 0, longestRetryAfter))
    }
}
