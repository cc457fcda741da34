/// The pauses of a recovery.
package enum RecoveryPause {
    /// Returns the number of consecutive failures including this one, and the pause before the next attempt: 5 seconds,
    /// doubled up to 10 minutes, or the longer delay that the App Store requests, up to an hour.
    ///
    /// If the client's circuit breaker is open, the pause ends when the breaker closes, within 1 second to 10 minutes.
    /// Such a failure is not counted: the client made no request, so the next pauses must not grow.
    ///
    /// - Parameters:
    ///   - count: The number of consecutive failures before this one.
    ///   - delay: The time until the App Store accepts requests again or the circuit breaker closes; nil if unknown.
    package static func after(
        _ count: Int, requestedDelay delay: Duration?, isCircuitOpen: Bool
    ) -> (count: Int, pause: Duration) {
        let delay = delay ?? .zero
        if isCircuitOpen { return (max(count, 1), min(max(delay, .seconds(1)), .seconds(600))) }
        let pause = min(Duration.seconds(5 * (1 << min(max(count, 0), 7))), .seconds(600))
        return (count + 1, max(pause, min(delay, .seconds(3600))))
    }

    /// Returns the pause before spans with unverified notifications are read again: the interval of recoveries, doubled
    /// with each reading in a row that changed nothing, up to a day.
    package static func beforeRereading(_ count: Int, interval: Duration) -> Duration {
        min(interval * (1 << min(max(count, 0), 16)), .seconds(86_400))
    }
}
