internal import LedgerServices
internal import ServiceLifecycle
internal import Synchronization

/// The metrics of the last hour, for the charts of the console. For longer periods, use Prometheus.
final class MetricHistory: Sendable {
    /// The recording interval in seconds.
    static let interval = 5
    /// The number of points of a chart, one per minute.
    static let minutes = 60

    /// A chart of one metric.
    struct Chart: Sendable {
        enum Kind: Sendable {
            /// The increase of a counter in a minute.
            case perMinute
            /// The maximum of a gauge in a minute.
            case level
            /// The mean of the values that a histogram recorded in a minute; a minute without one has no point.
            case mean
        }

        var title, unit: String
        /// The metric. The values of all its series are added.
        var metric: MetricFamily
        var kind: Kind
        /// The factor that converts a value to the unit.
        var factor = 1.0
        /// The points, oldest first; nil for a minute without a value.
        var values: [Double?] = []
    }

    private static let definitions = [
        Chart(title: "Notifications", unit: "a minute", metric: .notifications, kind: .perMinute),
        Chart(title: "Acknowledgement", unit: "ms on average", metric: .acknowledgement, kind: .mean, factor: 1000),
        Chart(title: "From received to processed", unit: "s on average", metric: .processingDelay, kind: .mean),
        Chart(title: "Waiting to be processed", unit: "notifications", metric: .inboxBacklog, kind: .level),
        Chart(title: "Attempts to deliver", unit: "a minute", metric: .webhookAttempts, kind: .perMinute),
        Chart(title: "Waiting to be delivered", unit: "deliveries", metric: .webhookBacklog, kind: .level),
        Chart(title: "Requests under way", unit: "requests", metric: .requestsUnderWay, kind: .level),
        Chart(title: "Memory", unit: "MiB", metric: .residentBytes, kind: .level, factor: 1 / 1_048_576),
        Chart(
            title: "Processor", unit: "% of one core", metric: .processorSeconds, kind: .perMinute, factor: 100 / 60),
    ]

    /// The sums by name at the end of a minute, and the maximum of each within it.
    private struct Minute {
        var number: Int
        var last, most: [String: Double]
    }

    private let recorded = Mutex<[Minute]>([])

    /// Records the text of `/metrics`.
    ///
    /// - Parameter second: The time in seconds of a monotonic clock.
    func record(_ text: String, at second: Int) {
        let sums = Self.sums(text)
        let number = second / 60
        recorded.withLock { minutes in
            if let last = minutes.last, last.number == number {
                minutes[minutes.count - 1].last = sums
                minutes[minutes.count - 1].most.merge(sums) { max($0, $1) }
            } else {
                minutes.append(Minute(number: number, last: sums, most: sums))
            }
            // Keep one more minute than a chart shows: the first increase needs a previous point.
            minutes.removeAll { $0.number < number - Self.minutes }
        }
    }

    /// All charts, including those without values.
    var charts: [Chart] {
        let minutes = recorded.withLock(\.self)
        return Self.definitions.map { definition in
            var chart = definition
            chart.values = Self.values(chart, minutes)
            return chart
        }
    }

    private static func values(_ chart: Chart, _ minutes: [Minute]) -> [Double?] {
        if chart.kind == .level {
            return minutes.suffix(Self.minutes).compactMap { $0.most[chart.metric.name] }.map { $0 * chart.factor }
        }
        return zip(minutes, minutes.dropFirst()).map { before, after in
            // The increase of minutes without a record is added to the next recorded minute.
            func increase(_ name: String) -> Double { max(0, (after.last[name] ?? 0) - (before.last[name] ?? 0)) }
            guard chart.kind == .mean else { return increase(chart.metric.name) * chart.factor }
            let count = increase(chart.metric.name + "_count")
            return count > 0 ? increase(chart.metric.name + "_sum") / count * chart.factor : nil
        }
    }

    /// Returns the values by name, summed over all labels.
    private static func sums(_ text: String) -> [String: Double] {
        let wanted = Set(definitions.flatMap { chart in ["", "_sum", "_count"].map { chart.metric.name + $0 } })
        var sums: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let (name, value) = sample(line)
            let family = String(name.prefix { $0 != "{" })
            if wanted.contains(family) { sums[family, default: 0] += value }
        }
        return sums
    }

    /// Parses a sample line of Prometheus' text: the name with its labels, and the value after the last space.
    static func sample(_ line: Substring) -> (name: String, value: Double) {
        guard let space = line.lastIndex(of: " ") else { return (String(line), 0) }
        return (String(line[..<space]), Double(line[line.index(after: space)...]) ?? 0)
    }
}

/// Records the metrics periodically while the server runs.
struct MetricHistoryService: Service {
    let history: MetricHistory
    let metrics: ServerMetrics

    func run() async throws {
        await cancelWhenGracefulShutdown {
            let start = ContinuousClock.now
            while !Task.isCancelled, let text = await metrics.text() {
                history.record(text, at: Int(start.duration(to: .now).components.seconds))
                // Cancellation ends the service.
                do { try await Task.sleep(for: .seconds(MetricHistory.interval)) } catch { return }
            }
        }
    }
}
