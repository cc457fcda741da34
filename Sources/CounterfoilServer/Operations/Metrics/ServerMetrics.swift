package import CoreMetrics
internal import Synchronization

/// What the server counts and measures about itself, recorded through swift-metrics.
///
/// The handles are made once. With our own backend, whatever is on the way of a notification costs a few atomic additions. What can
/// be read when somebody asks is a ``SampledGauge``, which each part of the server adds for itself.
package final class ServerMetrics: Sendable {
    // MARK: Notifications

    /// Those that were new.
    package let kept: Counter
    /// Those that were there already.
    package let duplicates: Counter
    /// Those that were refused, by the reason's code.
    package let refused: LabelledCounters
    /// Those that were new, by type and subtype.
    private let types: LabelledCounters
    /// Deliveries that were signed long before they came.
    package let late: Counter
    /// From the request's head to the answer.
    package let acknowledgement: Timer
    /// The proof of one signed text, whatever it waits for included.
    package let verification: Timer

    // MARK: The ledger

    /// One commit.
    package let commit: Timer
    /// How many notifications were received in one commit.
    package let batch: Recorder
    /// One batch that is folded, from its verification to its commit.
    package let fold: Timer
    /// From when a notification was received to when it was folded.
    package let foldLag: Timer

    // MARK: Others

    /// One question to a certificate's responder.
    package let revocation: Timer
    /// Those that got no answer.
    package let revocationFailures: Counter
    /// The requests of all routes.
    package let requests: RequestMetrics
    /// Connections of clients who had as many as they may.
    package let refusedConnections: Counter

    /// Where everything is recorded.
    private let factory: any MetricsFactory
    private let gauges = Mutex<[SampledGauge]>([])

    /// Records to a backend.
    package init(_ factory: any MetricsFactory = PrometheusMetrics()) {
        self.factory = factory
        func timer(_ family: MetricFamily) -> Timer { Timer(label: family.name, factory: factory) }
        let notifications: @Sendable (String, String) -> Counter = { result, code in
            let labels = [("result", result), ("code", code)]
            return Counter(label: MetricFamily.notifications.name, dimensions: labels, factory: factory)
        }
        kept = notifications("kept", "")
        duplicates = notifications("duplicate", "")
        refused = LabelledCounters { notifications("refused", $0) }
        types = LabelledCounters { kind in
            let parts = kind.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            let labels = [("type", parts.first ?? ""), ("subtype", parts.count > 1 ? parts[1] : "")]
            return Counter(label: MetricFamily.notificationTypes.name, dimensions: labels, factory: factory)
        }
        // So that the family is there before the first notification.
        _ = Counter(
            label: MetricFamily.notificationTypes.name, dimensions: [("type", "TEST"), ("subtype", "")],
            factory: factory)
        late = Counter(label: MetricFamily.lateNotifications.name, factory: factory)
        (acknowledgement, verification) = (timer(.acknowledgement), timer(.verification))
        (commit, fold, foldLag, revocation) = (timer(.commit), timer(.fold), timer(.foldLag), timer(.revocation))
        batch = Recorder(label: MetricFamily.batch.name, factory: factory)
        revocationFailures = Counter(label: MetricFamily.revocationFailures.name, factory: factory)
        refusedConnections = Counter(label: MetricFamily.refusedConnections.name, factory: factory)
        let requests = RequestMetrics(factory)
        self.requests = requests
        add(.init(.requestsUnderWay) { [([], Double(requests.underWay))] })
    }

    /// Counts a notification that was new.
    package func countKept(type: String, subtype: String?) {
        kept.increment()
        types.increment("\(type)/\(subtype ?? "")")
    }

    /// Adds a gauge.
    package func add(_ gauge: SampledGauge) { gauges.withLock { $0.append(gauge) } }

    /// Reads all gauges, and records what they show.
    package func sampleGauges() async {
        for gauge in gauges.withLock(\.self) { await gauge.sample(factory) }
    }

    /// Our own backend; nil where another was handed in, which then shows what was recorded.
    var exposition: PrometheusMetrics? { factory as? PrometheusMetrics }

    /// Everything, as Prometheus reads it; nil where another backend has it.
    package func text() async -> String? {
        guard let exposition else { return nil }
        await sampleGauges()
        return exposition.text()
    }
}

/// A gauge whose value is read when somebody asks for it.
package final class SampledGauge: Sendable {
    package typealias Reading = (labels: [(String, String)], value: Double)

    private let family: MetricFamily
    private let read: @Sendable () async -> [Reading]
    private let meters = Mutex<[[String]: Meter]>([:])

    /// Makes a gauge.
    ///
    /// - Parameters:
    ///   - family: What it is called.
    ///   - read: Reads a value for each set of labels, of which there must be few; nothing while it is not known.
    package init(_ family: MetricFamily, read: @escaping @Sendable () async -> [Reading]) {
        (self.family, self.read) = (family, read)
    }

    /// Records what it shows now. What is not known any more has no sample.
    fileprivate func sample(_ factory: any MetricsFactory) async {
        let readings = await read()
        meters.withLock { meters in
            var shown: [[String]: Meter] = [:]
            for (labels, value) in readings {
                let key = labels.map(\.1)
                let meter =
                    meters.removeValue(forKey: key)
                    ?? Meter(label: family.name, dimensions: labels, factory: factory)
                meter.set(value)
                shown[key] = meter
            }
            for meter in meters.values { meter.destroy() }
            meters = shown
        }
    }
}

extension Timer {
    /// Records the time that has passed since `start`.
    package func record(since start: ContinuousClock.Instant) {
        let (seconds, attoseconds) = start.duration(to: .now).components
        recordNanoseconds(seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }
}
