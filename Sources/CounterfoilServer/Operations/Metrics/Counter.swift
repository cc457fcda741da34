internal import Synchronization

/// Something that is counted. Counting is one atomic addition.
package final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package var value: Int { count.load(ordering: .relaxed) }

    package func add(_ number: Int = 1) { count.wrappingAdd(number, ordering: .relaxed) }
}

/// How often something took how long, or had which size. Noting one is three atomic additions and no allocation.
package final class Histogram: Sendable {
    /// The upper bounds of the buckets, in the unit of what is noted; one more bucket has the rest.
    let bounds: [Int]
    /// How many of that unit make one of the unit that is shown.
    let scale: Double
    private let buckets: [Counter]
    private let total = Counter()

    init(bounds: [Int], scale: Double = 1) {
        self.bounds = bounds
        self.scale = scale
        buckets = (0...bounds.count).map { _ in Counter() }
    }

    /// Of durations, shown in seconds; the bounds are in microseconds.
    convenience init(microseconds: [Int]) { self.init(bounds: microseconds.map { $0 * 1000 }, scale: 1e9) }

    /// Notes a value.
    package func note(_ value: Int) {
        var index = 0
        while index < bounds.count, bounds[index] < value { index += 1 }
        buckets[index].add()
        total.add(value)
    }

    /// Notes the time that has passed since `start`.
    package func note(since start: ContinuousClock.Instant) {
        let (seconds, attoseconds) = start.duration(to: .now).components
        note(Int(clamping: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000))
    }

    /// How many were noted in each bucket, the last being that of the rest, and the sum of all.
    var reading: (counts: [Int], sum: Double) { (buckets.map(\.value), Double(total.value) / scale) }

    /// From a fraction of a millisecond to seconds: what somebody waits for.
    static func ofAnswers() -> Histogram {
        Histogram(microseconds: [
            250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000,
        ])
    }

    /// From microseconds to a second: what is calculated.
    static func ofWork() -> Histogram {
        Histogram(microseconds: [50, 100, 250, 500, 1000, 2500, 5000, 10_000, 50_000, 250_000, 1_000_000])
    }

    /// From milliseconds to a day: what waits.
    static func ofDelays() -> Histogram {
        Histogram(microseconds: [10, 100, 1000, 5000, 30_000, 300_000, 3_600_000, 86_400_000].map { $0 * 1000 })
    }
}

/// Counters by a label. There is a limit to the labels: what comes after it is counted as `other`.
package final class LabelledCounters: Sendable {
    private static let capacity = 64
    private let counters = Mutex<[String: Int]>([:])

    /// Counts one more.
    package func add(_ label: String) {
        counters.withLock { counters in
            let isKnown = counters[label] != nil || counters.count < Self.capacity
            counters[isKnown ? label : "other", default: 0] += 1
        }
    }

    var reading: [(label: String, count: Int)] {
        counters.withLock { $0.map { ($0.key, $0.value) } }.sorted { $0.0 < $1.0 }
    }
}
