public import CoreMetrics
internal import Foundation
package import LedgerServices
internal import Synchronization

/// A backend of swift-metrics that stores metrics in memory and writes them in Prometheus' text format, version 0.0.4.
///
/// By default a server creates its own instance and answers `/metrics` with ``text()``. To include the metrics of other
/// packages, pass one instance to `MetricsSystem.bootstrap` and to the server:
///
/// ```swift
/// let metrics = PrometheusMetrics()
/// MetricsSystem.bootstrap(metrics)
/// let server = try await Server.start(configuration, metrics: metrics)
/// ```
///
/// Characters that Prometheus does not allow in names are replaced by `_`. A counter wraps to zero beyond 2^64, as
/// after a restart. Each name has one kind of metric: metrics of another kind with the same name are not written.
public final class PrometheusMetrics: MetricsFactory {
    /// A metric and its series by label.
    private struct Entry {
        let family: MetricFamily
        let position: Int
        var series: [PrometheusLabels: any PrometheusSeries] = [:]
    }

    private let entries: Mutex<[String: Entry]>
    private let started = Date()

    /// Creates a backend that declares the server's metrics. Other metrics are added when they are made.
    public convenience init() { self.init(MetricFamily.all) }

    package init(_ families: [MetricFamily]) {
        let entries = families.enumerated().map { ($1.name, Entry(family: $1, position: $0)) }
        self.entries = Mutex(Dictionary(entries, uniquingKeysWith: { first, _ in first }))
    }

    // MARK: Reading

    /// Returns all recorded metrics, and the system's metrics of the process.
    ///
    /// Gauges that the server reads from the ledger, such as the backlog, are as old as the last request for
    /// `/metrics`.
    public func text() -> String {
        var text = PrometheusText()
        for entry in entries.withLock({ $0.values.sorted { $0.position < $1.position } }) {
            text.head(entry.family)
            for (labels, series) in Self.sorted(entry) { series.write(to: &text, entry.family.name, labels) }
        }
        ProcessMetrics.write(to: &text, since: started)
        return text.text
    }

    private static func sorted(_ entry: Entry) -> [(PrometheusLabels, any PrometheusSeries)] {
        let leading = entry.family.leading
        let ranked = entry.series.map { labels, series in
            let rank = labels.values.first.flatMap { leading.firstIndex(of: $0) } ?? leading.count
            return (rank: rank, labels: labels, series: series)
        }
        return ranked.sorted { ($0.rank, $0.labels) < ($1.rank, $1.labels) }.map { ($0.labels, $0.series) }
    }

    // MARK: MetricsFactory

    /// Returns the counter with this name and these labels, and creates it if needed.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter, PrometheusCounter.self) ?? PrometheusCounter()
    }

    /// Returns the gauge with this name and these labels, and creates it if needed.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    /// Returns the histogram (or, if `aggregate` is false, the gauge) with this name and these labels, and creates it
    /// if needed.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate ? histogram(label, dimensions, .sizes) : gauge(label, dimensions)
    }

    /// Returns the histogram of seconds with this name and these labels, and creates it if needed.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions, .responses)
    }

    /// Removes a counter.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// Removes a gauge.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Removes a histogram or a gauge.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// Removes a histogram.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> PrometheusGauge {
        series(label, dimensions, .gauge, PrometheusGauge.self) ?? PrometheusGauge()
    }

    /// - Parameter buckets: The buckets if the name is not declared.
    private func histogram(
        _ label: String, _ dimensions: [(String, String)], _ buckets: HistogramBuckets
    ) -> PrometheusHistogram {
        series(label, dimensions, .histogram(buckets), PrometheusHistogram.self) ?? PrometheusHistogram(buckets)
    }

    /// Returns the series with this name and these labels, and creates it if needed; nil if the name has another kind.
    private func series<Series: PrometheusSeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricFamily.Kind, _ type: Series.Type
    ) -> Series? {
        let (name, labels) = (PrometheusText.name(label), PrometheusLabels(dimensions))
        let series: (any PrometheusSeries)? = entries.withLock { entries in
            let position = entries.count
            let family = entries[name]?.family ?? MetricFamily(name, kind)
            guard family.kind.word == kind.word else { return nil }
            if let known = entries[name]?.series[labels] { return known }
            let made = family.kind.makeSeries()
            entries[name, default: Entry(family: family, position: position)].series[labels] = made
            return made
        }
        return series as? Series
    }

    private func remove(_ handler: AnyObject) {
        entries.withLock { entries in
            for (name, entry) in entries {
                for (labels, series) in entry.series where series === handler { entries[name]?.series[labels] = nil }
            }
        }
    }
}
