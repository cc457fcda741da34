internal import Basics
package import Foundation
internal import Synchronization

/// Limits failed sign-ins. An address with five failures within a minute has to wait. Does not depend on the date.
package final class FailureLimit: Sendable {
    private static let maximumFailures = 5
    private static let window = Duration.seconds(60)

    private let failures = Mutex<[String: [ContinuousClock.Instant]]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant
    private let capacity: Int

    package init(capacity: Int = 10_000, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (self.capacity, self.now) = (capacity, now)
    }

    /// Returns how long the address has to wait, in seconds; nil if it does not.
    package func wait(of address: String) -> TimeInterval? {
        let instant = now()
        return failures.withLock { failures in
            let last = recent(failures[key(address)] ?? [], at: instant)
            guard last.count >= Self.maximumFailures, let first = last.first else { return nil }
            return instant.duration(to: first + Self.window).seconds
        }
    }

    /// Records a failed sign-in. If the maximum number of addresses is reached, evicts the one that failed least recently.
    package func recordFailure(of address: String) {
        let instant = now()
        failures.withLock { failures in
            let key = key(address)
            failures[key] = recent(failures[key] ?? [], at: instant) + [instant]
            guard failures.count > capacity else { return }
            failures = failures.filter { !recent($0.value, at: instant).isEmpty }
            // So many addresses at once indicate an attack. Evict those with the oldest failures.
            while failures.count > capacity,
                let first = failures.min(by: { ($0.value.last ?? instant) < ($1.value.last ?? instant) })
            {
                failures[first.key] = nil
            }
        }
    }

    private func recent(
        _ failures: [ContinuousClock.Instant], at instant: ContinuousClock.Instant
    ) -> [ContinuousClock.Instant] {
        failures.filter { $0.duration(to: instant) < Self.window }.suffix(Self.maximumFailures)
    }

    /// Returns the key of an address. An IPv6 subscriber has a /64 network, which counts as one address.
    private func key(_ address: String) -> String { Network.ofClient(at: address)?.key ?? address }
}
