internal import Basics
package import Foundation
internal import Synchronization

/// Limits failed sign-ins. An address with five failures within a minute has to wait.
package final class FailureLimit: Sendable {
    private static let maximumFailures = 5
    private static let window: TimeInterval = 60

    private let failures = Mutex<[String: [Date]]>([:])
    private let now: @Sendable () -> Date
    private let capacity: Int

    package init(capacity: Int = 10_000, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.capacity, self.now) = (capacity, now)
    }

    /// Returns how long the address has to wait, in seconds; nil if it does not.
    package func wait(of address: String) -> TimeInterval? {
        let date = now()
        return failures.withLock { failures in
            let last = recent(failures[key(address)] ?? [], at: date)
            guard last.count >= Self.maximumFailures, let first = last.first else { return nil }
            return first.timeIntervalSince(date) + Self.window
        }
    }

    /// Records a failed sign-in. If the maximum number of addresses is reached, evicts the one that failed least recently.
    package func recordFailure(of address: String) {
        let date = now()
        failures.withLock { failures in
            let key = key(address)
            failures[key] = recent(failures[key] ?? [], at: date) + [date]
            guard failures.count > capacity else { return }
            failures = failures.filter { !recent($0.value, at: date).isEmpty }
            // So many addresses at once indicate an attack. Evict those with the oldest failures.
            while failures.count > capacity,
                let first = failures.min(by: { ($0.value.last ?? date) < ($1.value.last ?? date) })
            {
                failures[first.key] = nil
            }
        }
    }

    private func recent(_ dates: [Date], at date: Date) -> [Date] {
        dates.filter { abs(date.timeIntervalSince($0)) < Self.window }.suffix(Self.maximumFailures)
    }

    /// Returns the key of an address. An IPv6 subscriber has a /64 network, which counts as one address.
    private func key(_ address: String) -> String { Network.ofClient(at: address)?.key ?? address }
}
