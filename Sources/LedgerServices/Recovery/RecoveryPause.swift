internal import AppStoreServer
internal import Foundation

/// How long to wait after a failure.
package enum RecoveryPause {
    /// After so many failures in a row: how many there are with this one, and how long to wait. That is 5 seconds, doubled up
    /// to 10 minutes, or what the App Store asks for.
    ///
    /// Where the client did not call, because too many calls had failed, it is tried again as soon as the client calls: that
    /// was no failure, and when the App Store is back nobody shall wait the longer for it.
    package static func after(_ count: Int, _ error: any Error) -> (count: Int, pause: Duration) {
        if let pause = circuit(error) { return (max(count, 1), pause) }
        let pause = Duration.seconds(5 * (1 << min(max(count, 0), 7)))
        guard let date = (error as? AppStoreServerError)?.retryAfter else {
            return (count + 1, min(pause, .seconds(600)))
        }
        let asked = min(Duration.seconds(max(date.timeIntervalSinceNow, 0)), .seconds(3600))
        return (count + 1, max(min(pause, .seconds(600)), asked))
    }

    /// How long the client calls nobody, at least a second; nil for any other failure.
    private static func circuit(_ error: any Error) -> Duration? {
        guard let error = error as? AppStoreServerError, error.code == .circuitOpen else { return nil }
        let seconds = error.retryAfter?.timeIntervalSinceNow ?? 0
        return .seconds(min(max(seconds, 1), 600))
    }
}
