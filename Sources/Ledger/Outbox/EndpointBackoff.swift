/// Slows down the deliveries to an endpoint that does not accept any: one at a time, with growing pauses.
///
/// A single delivery that always fails does not slow down others that succeed. A delivery without others only has the
/// pauses of ``RetrySchedule``.
package struct EndpointBackoff: Sendable, Hashable {
    /// The action after an attempt.
    package enum Action: Sendable, Hashable {
        /// No change.
        case nothing
        /// Send nothing during the pause, then one delivery.
        case pause(Duration)
        /// Send everything that is due.
        case resume
    }

    /// The number of different deliveries that have to fail in a row.
    package static let threshold = 10
    /// The first pause; each pause is twice as long as the previous one.
    private static let firstPause = Duration.seconds(1)
    package static let longestPause = Duration.seconds(60)

    /// The deliveries that failed since the last success, up to the threshold.
    private var failed: Set<Int64> = []
    /// The last pause; nil while there is no backoff.
    private var pause: Duration?

    package init() {}

    /// Records the result of an attempt. An attempt that failed before it sent anything says nothing about the
    /// endpoint.
    ///
    /// - Parameter isPausing: Whether a pause is active. The attempt began before the pause, so its failure changes
    ///   nothing.
    package mutating func record(_ outcome: DeliveryOutcome, isPausing: Bool) -> Action {
        switch outcome.result {
        case .discarded: return .nothing
        case .delivered:
            self = EndpointBackoff()
            return .resume
        case .retry, .failed:
            guard !outcome.isInternalFailure, !isPausing else { return .nothing }
            if pause == nil { failed.insert(outcome.delivery) }
            guard failed.count >= Self.threshold else { return .nothing }
            let next = pause.map { min($0 * 2, Self.longestPause) } ?? Self.firstPause
            pause = next
            return .pause(next)
        }
    }
}
