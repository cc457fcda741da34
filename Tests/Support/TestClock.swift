package import Foundation
internal import Synchronization

/// A clock that moves only when a test advances it.
package final class TestClock: Sendable {
    private let instant: Mutex<Date>

    package init(_ instant: Date) { self.instant = Mutex(instant) }

    package var now: Date { instant.withLock { $0 } }

    package func advance(by seconds: TimeInterval) { instant.withLock { $0 += seconds } }
}
