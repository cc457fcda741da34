package import AppStoreModels
package import CoreMetrics
package import Ledger
internal import Synchronization
package import Tracing

/// The metrics of the server, recorded through swift-metrics.
///
/// The handles are created once. With Counterfoil's own backend, recording a metric costs a few atomic additions.
/// Values that are read on demand are ``SampledGauge``s, which each part of the server adds.
package final class ServerMetrics: Sendable {
    // MARK: Notifications

    /// Counts new notifications.
    package let stored: Counter
    /// Counts notifications that were already stored.
    package let duplicates: Counter
    /// Counts refused notifications by the reason's code.
    package let refused: LabelledCounters
    /// Counts new notifications by type and subtype.
    private let types: LabelledCounters
    /// Counts delivered notifications that were signed long before their arrival.
    package let late: Counter
    /// The time from a request's head to its response.
    package let acknowledgement: Timer
    /// The time to verify the outer signature of one notification, including waiting times.
    package let verification: Timer

    // MARK: The ledger

    /// The duration of one commit.
    package let commit: Timer
    /// The number of received notifications in one commit.
    package let batch: Recorder
    /// The time to process one batch, from its verification to its commit.
    package let processing: Timer
    /// The time from receiving a notification to processing it.
    package let processingDelay: Timer

    // MARK: Others

    /// The duration of one OCSP request.
    package let revocation: Timer
    /// Counts OCSP requests without a response.
    package let revocationFailures: Counter
    /// Counters of webhook delivery attempts, by result.
    private let webhookAttempts: [String: Counter]
    /// Counters of consumption requests, by environment and result.
    private let consumption: [AppStoreEnvironment: [ConsumptionResult: Counter]]

    /// The metrics backend.
    package let factory: any MetricsFactory
    /// Creates the tracing spans of the measured work.
    package let spans: Spans
    private let gauges = Mutex<[SampledGauge]>([])

    /// Creates metrics that are recorded to a backend, and spans for a tracer.
    package init(_ factory: any MetricsFactory, tracer: any Tracer = NoOpTracer()) {
        self.factory = factory
        spans = Spans(tracer)
        func timer(_ family: MetricFamily) -> Timer { Timer(label: family.name, factory: factory) }
        @Sendable func counter(_ family: MetricFamily, _ labels: [(String, String)] = []) -> Counter {
            Counter(label: family.name, dimensions: labels, factory: factory)
        }
        stored = counter(.notifications, [("result", "kept"), ("code", "")])
        duplicates = counter(.notifications, [("result", "duplicate"), ("code", "")])
        refused = LabelledCounters { counter(.notifications, [("result", "refused"), ("code", $0)]) }
        types = LabelledCounters { kind in
            let parts = kind.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            let labels = [("type", parts.first ?? ""), ("subtype", parts.count > 1 ? parts[1] : "")]
            return counter(.notificationTypes, labels)
        }
        // Create one sample, so that the metric exists before the first notification.
        _ = counter(.notificationTypes, [("type", "TEST"), ("subtype", "")])
        late = counter(.lateNotifications)
        (acknowledgement, verification) = (timer(.acknowledgement), timer(.verification))
        (commit, revocation) = (timer(.commit), timer(.revocation))
        (processing, processingDelay) = (timer(.processing), timer(.processingDelay))
        batch = Recorder(label: MetricFamily.batch.name, factory: factory)
        let results = ["delivered", "retried", "failed", "discarded"]
        webhookAttempts = Dictionary(
            uniqueKeysWithValues: results.map { ($0, counter(.webhookAttempts, [("result", $0)])) })
        // All exist from the beginning: Prometheus does not see the increase of a counter that begins with 1.
        consumption = Dictionary(
            uniqueKeysWithValues: [AppStoreEnvironment.production, .sandbox].map { environment in
                let counters = ConsumptionResult.allCases.map { result in
                    let labels = [("environment", environment.rawValue), ("result", result.rawValue)]
                    return (result, counter(.consumption, labels))
                }
                return (environment, Dictionary(uniqueKeysWithValues: counters))
            })
        revocationFailures = counter(.revocationFailures)
    }

    /// Counts a new notification.
    func countNewNotification(type: String, subtype: String?) {
        stored.increment()
        types.increment("\(type)/\(subtype ?? "")")
    }

    /// Counts a webhook delivery attempt.
    package func count(_ outcome: DeliveryOutcome) { webhookAttempts[outcome.result.word]?.increment() }

    /// Counts a consumption request that has ended.
    package func count(_ result: ConsumptionResult, in environment: AppStoreEnvironment) {
        consumption[environment]?[result]?.increment()
    }

    /// Adds a gauge.
    ///
    /// - Parameters:
    ///   - family: The metric.
    ///   - read: Returns a value for each set of labels. The number of sets must be small. A set without a known value
    ///     is omitted.
    package func addGauge(_ family: MetricFamily, read: @escaping @Sendable () async -> [SampledGauge.Reading]) {
        let gauge = SampledGauge(family, read: read)
        gauges.withLock { $0.append(gauge) }
    }

    /// Reads all gauges and records their values.
    package func sampleGauges() async {
        for gauge in gauges.withLock(\.self) { await gauge.sample(factory) }
    }
}

/// How a consumption request ended.
package enum ConsumptionResult: String, Sendable, CaseIterable {
    /// The App Store accepted the answer.
    case sent
    /// The App Store permanently refused the answer.
    case refused
    /// No answer was accepted before the deadline.
    case missed
    /// Nothing was sent, for a reason that is no failure: see ``ConsumptionPreview/Obstacle``.
    case withheld
}

/// A gauge whose value is read on demand.
package final class SampledGauge: Sendable {
    package typealias Reading = (labels: [(String, String)], value: Double)

    private let family: MetricFamily
    private let read: @Sendable () async -> [Reading]
    private let meters = Mutex<[[String]: Meter]>([:])

    fileprivate init(_ family: MetricFamily, read: @escaping @Sendable () async -> [Reading]) {
        (self.family, self.read) = (family, read)
    }

    /// Records the current values. Samples whose value is no longer known are removed.
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
    /// The value of the metric's label `result`.
    fileprivate var word: String {
        switch self {
        case .delivered: "delivered"
        case .retry: "retried"
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
