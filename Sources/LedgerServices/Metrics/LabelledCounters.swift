package import CoreMetrics
internal import Synchronization

/// Counters by the value of a label. Beyond 64 values, all others are counted as `other`.
package final class LabelledCounters: Sendable {
    private static let capacity = 64
    private let make: @Sendable (String) -> Counter
    private let counters = Mutex<[String: Counter]>([:])

    package init(_ make: @escaping @Sendable (String) -> Counter) { self.make = make }

    /// Increments the counter of a label value.
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
