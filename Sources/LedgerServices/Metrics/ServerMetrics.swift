package import CoreMetrics
package import Ledger
internal import Synchronization
package import Tracing

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
    /// Attempts to deliver to webhooks, by result.
    private let webhookAttempts: [String: Counter]

    /// Where everything is recorded.
    package let factory: any MetricsFactory
    /// The spans of the same work.
    package let spans: Spans
    private let gauges = Mutex<[SampledGauge]>([])

    /// Records to a backend, and to a tracer.
    package init(_ factory: any MetricsFactory, tracer: any Tracer = NoOpTracer()) {
        self.factory = factory
        spans = Spans(tracer)
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
        let results = ["delivered", "retried", "failed", "discarded"]
        webhookAttempts = Dictionary(
            uniqueKeysWithValues: results.map {
                let labels = [("result", $0)]
                return ($0, Counter(label: MetricFamily.webhookAttempts.name, dimensions: labels, factory: factory))
            })
        revocationFailures = Counter(label: MetricFamily.revocationFailures.name, factory: factory)
    }

    /// Counts a notification that was new.
    package func countKept(type: String, subtype: String?) {
        kept.increment()
        types.increment("\(type)/\(subtype ?? "")")
    }

    /// Counts an attempt to deliver to a webhook.
    package func count(_ outcome: DeliveryOutcome) { webhookAttempts[outcome.result.word]?.increment() }

    /// Adds a gauge.
    ///
    /// - Parameters:
    ///   - family: What it is called.
    ///   - read: Reads a value for each set of labels, of which there must be few; nothing while it is not known.
    package func addGauge(_ family: MetricFamily, read: @escaping @Sendable () async -> [SampledGauge.Reading]) {
        let gauge = SampledGauge(family, read: read)
        gauges.withLock { $0.append(gauge) }
    }

    /// Reads all gauges, and records what they show.
    package func sampleGauges() async {
        for gauge in gauges.withLock(\.self) { await gauge.sample(factory) }
    }

}

/// A gauge whose value is read when somebody asks for it.
package final class SampledGauge: Sendable {
    package typealias Reading = (labels: [(String, String)], value: Double)

    private let family: MetricFamily
    private let read: @Sendable () async -> [Reading]
    private let meters = Mutex<[[String]: Meter]>([:])

    fileprivate init(_ family: MetricFamily, read: @escaping @Sendable () async -> [Reading]) {
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

extension DeliveryOutcome.Result {
    /// The word in metrics.
    fileprivate var word: String {
        switch self {
        case .delivered: "delivered"
        case .again: "retried"
        case .failed: "failed"
        case .discarded: "discarded"
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
