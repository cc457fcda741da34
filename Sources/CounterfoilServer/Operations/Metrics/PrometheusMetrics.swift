package import LedgerServices
public import CoreMetrics
internal import Foundation
internal import Synchronization

/// A backend of swift-metrics that keeps metrics in memory and writes them in Prometheus' text format, version 0.0.4.
///
/// A server records to one of its own unless it is handed another backend, and answers `/metrics` with ``text()``. To have the
/// metrics of other packages in the same text, make one, hand it to `MetricsSystem.bootstrap` and to the server:
///
/// ```swift
/// let metrics = PrometheusMetrics()
/// MetricsSystem.bootstrap(metrics)
/// let server = try await Server.start(configuration, metrics: metrics)
/// ```
///
/// Characters that Prometheus does not allow in names become `_`. A counter beyond 2^64 begins at zero again, as after a restart.
/// One name is one kind of metric: what else is made under it is not shown.
public final class PrometheusMetrics: MetricsFactory {
    /// A metric, and its samples by their labels.
    private struct Entry {
        let family: MetricFamily
        let place: Int
        var series: [PrometheusLabels: any PrometheusSeries] = [:]
    }

    private let entries: Mutex<[String: Entry]>
    private let started = Date()

    /// Makes a backend that knows the server's metrics, and learns others when they are made.
    public convenience init() { self.init(MetricFamily.all) }

    package init(_ families: [MetricFamily]) {
        let entries = families.enumerated().map { ($1.name, Entry(family: $1, place: $0)) }
        self.entries = Mutex(Dictionary(entries, uniquingKeysWith: { first, _ in first }))
    }

    // MARK: Reading

    /// Everything that was recorded, and what the system says about the process.
    ///
    /// What a server reads from its ledger only when it is asked, such as its backlog, is as old as its last answer to `/metrics`.
    public func text() -> String {
        var text = PrometheusText()
        for entry in entries.withLock({ $0.values.sorted { $0.place < $1.place } }) {
            text.head(entry.family)
            for (labels, series) in Self.sorted(entry) { series.write(to: &text, entry.family.name, labels) }
        }
        ProcessFigures.read().write(to: &text, since: started)
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

    /// Makes a counter, or returns the one of this name and these labels.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter, PrometheusCounter.self) ?? PrometheusCounter()
    }

    /// Makes a gauge, or returns the one of this name and these labels.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    /// Makes a histogram, or a gauge where nothing is to be aggregated, or returns the one of this name and these labels.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate ? histogram(label, dimensions, .sizes) : gauge(label, dimensions)
    }

    /// Makes a histogram of seconds, or returns the one of this name and these labels.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions, .answers)
    }

    /// Forgets a counter.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// Forgets a gauge.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Forgets a histogram or a gauge.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// Forgets a histogram.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> PrometheusGauge {
        series(label, dimensions, .gauge, PrometheusGauge.self) ?? PrometheusGauge()
    }

    /// - Parameter buckets: For a name that is not declared.
    private func histogram(
        _ label: String, _ dimensions: [(String, String)], _ buckets: HistogramBuckets
    ) -> PrometheusHistogram {
        series(label, dimensions, .histogram(buckets), PrometheusHistogram.self) ?? PrometheusHistogram(buckets)
    }

    /// The samples under a name and labels, which are made if there are none; nil if the name is another kind's.
    private func series<Series: PrometheusSeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricFamily.Kind, _ type: Series.Type
    ) -> Series? {
        let (name, labels) = (PrometheusText.name(label), PrometheusLabels(dimensions))
        let series: (any PrometheusSeries)? = entries.withLock { entries in
            let place = entries.count
            let family = entries[name]?.family ?? MetricFamily(name, kind)
            guard family.kind.word == kind.word else { return nil }
            if let known = entries[name]?.series[labels] { return known }
            let made = family.kind.makeSeries()
            entries[name, default: Entry(family: family, place: place)].series[labels] = made
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
