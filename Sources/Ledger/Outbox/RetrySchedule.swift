package import Foundation

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

extension DeliveryOutcome {
    /// Records the status of a response. Returns whether the receiver accepted the delivery, with any 2xx.
    package mutating func record(status: Int) -> Bool {
        self.status = status
        guard !(200...299).contains(status) else {
            result = .delivered
            return true
        }
        error = "status_\(status)"
        isGone = status == 410
        return false
    }

    /// Decides whether and when the delivery is sent again after a failed attempt. A delivery to an endpoint that is
    /// gone never fails, even when all attempts are used: the endpoint is disabled, and may be enabled again.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts, including this one.
    ///   - body: The body that was sent; nil if there was none.
    package mutating func scheduleRetry(
        after attempts: Int, body: Data?, retryAfter: Double?, at now: Milliseconds,
        using generator: inout some RandomNumberGenerator
    ) {
        let pause = RetrySchedule.pause(after: attempts, retryAfter: retryAfter, using: &generator)
        if let pause = pause ?? (isGone ? 0 : nil) {
            result = .retry(at: now + Milliseconds(pause * 1000), body: body)
        } else {
            result = .failed
        }
    }
}
