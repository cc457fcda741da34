internal import AppStoreServer
internal import Foundation

/// The pauses of a recovery after failures.
package enum RecoveryPause {
    /// Returns the number of consecutive failures including this one, and the pause before the next attempt: 5 seconds,
    /// doubled up to 10 minutes, or the longer delay that the App Store requests, up to an hour.
    ///
    /// If the client's circuit breaker is open, the pause ends when the breaker closes. Such a failure is not counted:
    /// the client made no request, so the next pauses must not grow.
    ///
    /// - Parameter count: The number of consecutive failures before this one.
    package static func after(_ count: Int, _ error: any Error) -> (count: Int, pause: Duration) {
        if let pause = circuit(error) { return (max(count, 1), pause) }
        let pause = Duration.seconds(5 * (1 << min(max(count, 0), 7)))
        guard let date = (error as? AppStoreServerError)?.retryAfter else {
            return (count + 1, min(pause, .seconds(600)))
        }
        let retryAfter = min(Duration.seconds(max(date.timeIntervalSinceNow, 0)), .seconds(3600))
        return (count + 1, max(min(pause, .seconds(600)), retryAfter))
    }

    /// Returns the remaining time of an open circuit breaker, from 1 second to 10 minutes; nil for any other failure.
    private static func circuit(_ error: any Error) -> Duration? {
        guard let error = error as? AppStoreServerError, error.code == .circuitOpen else { return nil }
        let seconds = error.retryAfter?.timeIntervalSinceNow ?? 0
        return .seconds(min(max(seconds, 1), 600))
    }
}
