/// Slows down deliveries to an endpoint at which nothing arrives: one at a time, after pauses that grow.
///
/// One delivery that is always refused slows nothing down while others arrive, and neither does one that is alone: it
/// has the pauses of ``RetrySchedule``.
package struct EndpointBackoff: Sendable, Hashable {
    /// What happens after an attempt.
    package enum Action: Sendable, Hashable {
        /// Nothing changes.
        case nothing
        /// Nothing is sent for so long, then one delivery.
        case pause(Duration)
        /// Everything that is due is sent.
        case resume
    }

    /// How many deliveries have to fail in a row, different ones.
    package static let threshold = 10
    /// The first pause; each is twice as long as the one before.
    package static let firstPause = Duration.seconds(1)
    package static let longestPause = Duration.seconds(60)

    /// The deliveries that failed since one arrived, until they are enough.
    private var failed: Set<Int64> = []
    /// The pause before the next attempt; nil while deliveries are sent as usual.
    private var pause: Duration?

    package init() {}

    /// Records what came of an attempt. What never came to sending says nothing about the endpoint.
    ///
    /// - Parameter isPausing: Whether a pause is under way. The attempt began before it; its failure changes nothing.
    package mutating func record(_ outcome: DeliveryOutcome, isPausing: Bool) -> Action {
        switch outcome.result {
        case .discarded: return .nothing
        case .delivered:
            self = EndpointBackoff()
            return .resume
        case .again, .failed:
            guard !outcome.isOurFault, !isPausing else { return .nothing }
            if pause == nil { failed.insert(outcome.delivery) }
            guard failed.count >= Self.threshold else { return .nothing }
            let next = pause.map { min($0 * 2, Self.longestPause) } ?? Self.firstPause
            pause = next
            return .pause(next)
        }
    }
}
