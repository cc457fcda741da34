internal import Basics
package import Foundation
internal import Synchronization

/// Whether a clock has run evenly for an hour, compared with a clock that only moves forward.
///
/// A machine may start with a wrong date, or be set ahead by a wrong time server, and be corrected minutes later. So what
/// only the date decides and nothing can undo, such as the deletion of old data, waits until the clock is steady.
package final class ClockSteadiness: Sendable {
    /// How long the clock has to run evenly.
    private static let time = Duration.seconds(3600)
    /// The largest deviation that is no jump, in seconds.
    private static let tolerance = 60.0

    /// The time of the clock that only moves forward.
    private let monotonicNow: @Sendable () -> ContinuousClock.Instant
    /// When the clock began to run evenly, by both clocks.
    private let beginning: Mutex<(shown: Date, instant: ContinuousClock.Instant)>

    /// - Parameter date: The date that the clock shows now.
    package init(showing date: Date, monotonicNow: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.monotonicNow = monotonicNow
        beginning = Mutex((shown: date, instant: monotonicNow()))
    }

    /// Whether the clock is steady. After a jump the hour begins anew.
    ///
    /// - Parameter date: The date that the clock shows now.
    package func isSteady(showing date: Date) -> Bool {
        let instant = monotonicNow()
        return beginning.withLock { beginning in
            let passed = beginning.instant.duration(to: instant)
            guard abs(date.timeIntervalSince(beginning.shown) - passed.seconds) <= Self.tolerance else {
                beginning = (shown: date, instant: instant)
                return false
            }
            return passed >= Self.time
        }
    }
}
