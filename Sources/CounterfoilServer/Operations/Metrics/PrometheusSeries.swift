internal import CoreMetrics
internal import LedgerServices
internal import Synchronization

/// The samples of one metric with one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    func write(to text: inout PrometheusText, _ name: String, _ labels: PrometheusLabels)
}

extension MetricFamily.Kind {
    func makeSeries() -> any PrometheusSeries {
        switch self {
        case .counter: PrometheusCounter()
        case .gauge: PrometheusGauge()
        case .histogram(let buckets): PrometheusHistogram(buckets)
        }
    }
}

/// A counter. Counting is one atomic addition.
final class PrometheusCounter: CounterHandler, PrometheusSeries {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .relaxed) }

    func increment(by amount: Int64) {
        // A counter never goes down.
        guard amount > 0 else { return }
        count.wrappingAdd(UInt64(amount), ordering: .relaxed)
    }

    func reset() { count.store(0, ordering: .relaxed) }

    func write(to text: inout PrometheusText, _ name: String, _ labels: PrometheusLabels) {
        text.line(name, labels, "\(value)")
    }
}

/// A value that goes up and down.
final class PrometheusGauge: MeterHandler, RecorderHandler, PrometheusSeries {
    private let bits = Atomic<UInt64>(0)

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func set(_ value: Int64) { set(Double(value)) }

    func record(_ value: Double) { set(value) }

    func record(_ value: Int64) { set(Double(value)) }

    func increment(by amount: Double) {
        var known = bits.load(ordering: .relaxed)
        while true {
            let sum = (Double(bitPattern: known) + amount).bitPattern
            let result = bits.compareExchange(expected: known, desired: sum, ordering: .relaxed)
            if result.exchanged { return }
            known = result.original
        }
    }

    func decrement(by amount: Double) { increment(by: -amount) }

    func write(to text: inout PrometheusText, _ name: String, _ labels: PrometheusLabels) {
        text.line(name, labels, PrometheusText.number(value))
    }
}

/// A histogram of durations or sizes. Recording takes two atomic additions and no allocation.
final class PrometheusHistogram: TimerHandler, RecorderHandler, PrometheusSeries {
    private let buckets: HistogramBuckets
    private let counts: [PrometheusCounter]
    /// The sum of the non-negative integers; `rest` is the sum of the other values.
    private let sum = PrometheusCounter()
    private let rest = PrometheusGauge()

    init(_ buckets: HistogramBuckets) {
        self.buckets = buckets
        counts = (0...buckets.bounds.count).map { _ in PrometheusCounter() }
    }

    func recordNanoseconds(_ duration: Int64) { record(max(0, duration)) }

    func record(_ value: Int64) {
        count { $0 < value }
        if value < 0 { rest.increment(by: Double(value)) } else { sum.increment(by: value) }
    }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        count { Double($0) < value }
        rest.increment(by: value)
    }

    /// Counts a value in the first bucket whose bound is at least the value.
    private func count(_ isBelow: (Int64) -> Bool) {
        var index = 0
        while index < buckets.bounds.count, isBelow(buckets.bounds[index]) { index += 1 }
        counts[index].increment(by: 1)
    }

    func write(to text: inout PrometheusText, _ name: String, _ labels: PrometheusLabels) {
        var total: UInt64 = 0
        let limits = buckets.bounds.map { PrometheusText.number(Double($0) / buckets.scale) } + ["+Inf"]
        for (limit, count) in zip(limits, counts) {
            total &+= count.value
            text.line(name + "_bucket", labels.adding("le", limit), "\(total)")
        }
        let sum = (Double(sum.value) + rest.value) / buckets.scale
        text.line(name + "_sum", labels, PrometheusText.number(sum))
        text.line(name + "_count", labels, "\(total)")
    }
}
