package import Foundation
internal import Synchronization

/// A clock that stands until it is told to move.
package final class TestClock: Sendable {
    private let instant: Mutex<Date>

    package init(_ instant: Date) { self.instant = Mutex(instant) }

    package var now: Date { instant.withLock { $0 } }

    package func advance(by seconds: TimeInterval) { instant.withLock { $0 += seconds } }
}
