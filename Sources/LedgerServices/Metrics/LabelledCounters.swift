package import CoreMetrics
internal import Synchronization

/// Counters by a label. There is a limit to the labels: what comes after it is counted as `other`.
package final class LabelledCounters: Sendable {
    private static let capacity = 64
    private let make: @Sendable (String) -> Counter
    private let counters = Mutex<[String: Counter]>([:])

    package init(_ make: @escaping @Sendable (String) -> Counter) { self.make = make }

    /// Counts one more.
    package func increment(_ label: String) {
        let counter = counters.withLock { counters in
            let label = counters[label] != nil || counters.count < Self.capacity ? label : "other"
            if let known = counters[label] { return known }
            let made = make(label)
            counters[label] = made
            return made
        }
        counter.increment()
    }
}
