/// A metric with its name, its kind and its help text, as in the Prometheus text format.
///
/// swift-metrics passes only the name to a backend. Counterfoil's own backend looks up the rest here.
package struct MetricFamily: Sendable {
    package enum Kind: Sendable {
        case counter
        case gauge
        case histogram(HistogramBuckets)

        /// The name of the kind in the Prometheus text format.
        package var word: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    package var name: String
    package var kind: Kind
    /// The help text, one sentence; nil for metrics of other libraries.
    package var help: String?
    /// The values of the first label whose samples are written before all others.
    package var leading: [String]

    package init(_ name: String, _ kind: Kind, _ help: String? = nil, leading: [String] = []) {
        (self.name, self.kind, self.help, self.leading) = (name, kind, help, leading)
    }
}

/// The upper bounds of a histogram's buckets. An additional bucket contains all larger values.
package struct HistogramBuckets: Sendable {
    /// The bounds in the recorded unit, in ascending order.
    package let bounds: [Int64]
    /// The number of recorded units per shown unit.
    package let scale: Double

    package init(bounds: [Int64], scale: Double = 1) { (self.bounds, self.scale) = (bounds, scale) }

    /// Creates buckets for durations, recorded in nanoseconds and shown in seconds.
    private init(microseconds: [Int64]) { self.init(bounds: microseconds.map { $0 * 1000 }, scale: 1e9) }

    /// From a fraction of a millisecond to seconds: for response times. The alert on slow acknowledgements needs a bound
    /// at its threshold, half a second: quantiles between two bounds are interpolated.
    package static let responses = HistogramBuckets(microseconds: [
        250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 5_000_000,
    ])
    /// From microseconds to a second: for computations.
    package static let work = HistogramBuckets(microseconds: [
        50, 100, 250, 500, 1000, 2500, 5000, 10_000, 50_000, 250_000, 1_000_000,
    ])
    /// From milliseconds to a day: for waiting times.
    static let delays = HistogramBuckets(
        microseconds: [10, 100, 1000, 5000, 30_000, 300_000, 3_600_000, 86_400_000].map { $0 * 1000 })
    /// For counts.
    package static let sizes = HistogramBuckets(bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
}

/// The metrics of a server. `docs/operations-monitoring.md` lists them.
extension MetricFamily {
    /// All metrics, in the order of the output.
    package static let all = [
        notifications, notificationTypes, lateNotifications, acknowledgement, verification, revocation,
        revocationFailures, commit, batch, processing, processingDelay, ready, ledgerLog,
        requests, requestDuration, refusedConnections, requestsUnderWay, inboxBacklog, inboxAge, failedNotifications,
        bodies, completeness, recoveryFailures, historyRequests, consumption, consumptionBacklog, consumptionAge,
        webhookAttempts, webhookBacklog, webhookAge, disabledWebhooks, rootExpiry, certificateExpiry,
    ]

    package static let notifications = MetricFamily(
        "counterfoil_notifications_total", .counter, "Received notifications by result.",
        leading: ["kept", "duplicate"])
    static let notificationTypes = MetricFamily(
        "counterfoil_notification_types_total", .counter, "New notifications by type and subtype.")
    static let lateNotifications = MetricFamily(
        "counterfoil_notifications_late_total", .counter,
        "Deliveries half an hour or more after signing, so earlier attempts failed.")
    package static let acknowledgement = MetricFamily(
        "counterfoil_acknowledgement_duration_seconds", .histogram(.responses),
        "Time from a notification's request to its response.")
    package static let verification = MetricFamily(
        "counterfoil_verification_duration_seconds", .histogram(.work),
        "Verification time of one notification, including revocation.")
    package static let revocation = MetricFamily(
        "counterfoil_revocation_lookup_duration_seconds", .histogram(.responses),
        "Duration of OCSP requests.")
    static let revocationFailures = MetricFamily(
        "counterfoil_revocation_lookup_failures_total", .counter, "OCSP requests without an answer.")

    package static let commit = MetricFamily(
        "counterfoil_commit_duration_seconds", .histogram(.responses), "Duration of one commit to the ledger.")
    package static let batch = MetricFamily(
        "counterfoil_commit_notifications", .histogram(.sizes), "Notifications received in one commit.")
    package static let processing = MetricFamily(
        "counterfoil_processing_duration_seconds", .histogram(.responses),
        "Processing time of one batch of notifications.")
    package static let processingDelay = MetricFamily(
        "counterfoil_processing_lag_seconds", .histogram(.delays),
        "Time from receiving a notification to processing it.")
    package static let ready = MetricFamily(
        "counterfoil_ready", .gauge, "1 if the server is ready for requests, otherwise 0.")
    package static let ledgerLog = MetricFamily(
        "counterfoil_ledger_log_bytes", .gauge, "Size of the ledger's write-ahead log, in bytes.")

    package static let requests = MetricFamily(
        "counterfoil_http_requests_total", .counter, "Requests with a response.")
    package static let requestDuration = MetricFamily(
        "counterfoil_http_request_duration_seconds", .histogram(.responses),
        "Time from a request's head to its response."
    )
    package static let refusedConnections = MetricFamily(
        "counterfoil_http_connections_refused_total", .counter, "Connections refused because the client had too many.")
    package static let requestsUnderWay = MetricFamily(
        "counterfoil_http_requests_under_way", .gauge, "Requests in progress.")

    package static let inboxBacklog = MetricFamily(
        "counterfoil_inbox_backlog", .gauge, "Notifications waiting to be processed.")
    package static let inboxAge = MetricFamily(
        "counterfoil_inbox_oldest_age_seconds", .gauge, "Waiting time of the oldest notification in the inbox.")
    package static let failedNotifications = MetricFamily(
        "counterfoil_notifications_failed", .gauge, "Stored notifications that could not be processed.")
    package static let bodies = MetricFamily("counterfoil_http_body_bytes", .gauge, "Request bodies in memory.")
    package static let completeness = MetricFamily(
        "counterfoil_completeness_age_seconds", .gauge, "Time since completeness was last known.")
    package static let recoveryFailures = MetricFamily(
        "counterfoil_recovery_failures", .gauge, "Consecutive recovery failures.")
    package static let historyRequests = MetricFamily(
        "counterfoil_history_requests", .gauge, "Purchase histories waiting to be requested.")
    static let consumption = MetricFamily(
        "counterfoil_consumption_requests_total", .counter, "Consumption requests by result.")
    package static let consumptionBacklog = MetricFamily(
        "counterfoil_consumption_backlog", .gauge, "Consumption requests whose answer was not accepted yet.")
    package static let consumptionAge = MetricFamily(
        "counterfoil_consumption_oldest_age_seconds", .gauge, "Age of the oldest consumption request in the backlog.")
    package static let webhookAttempts = MetricFamily(
        "counterfoil_webhook_attempts_total", .counter, "Webhook delivery attempts by result.",
        leading: ["delivered", "retried", "failed"])
    package static let webhookAge = MetricFamily(
        "counterfoil_webhook_oldest_age_seconds", .gauge,
        "Waiting time of the oldest webhook delivery, or event without one.")
    package static let disabledWebhooks = MetricFamily(
        "counterfoil_webhook_endpoints_disabled", .gauge, "Disabled webhook endpoints.")
    package static let rootExpiry = MetricFamily(
        "counterfoil_root_expiry_timestamp_seconds", .gauge,
        "Expiry of a trusted root certificate, in seconds since 1970.")
    package static let certificateExpiry = MetricFamily(
        "counterfoil_tls_expiry_timestamp_seconds", .gauge,
        "Expiry of the server's TLS certificate, in seconds since 1970.")
    package static let webhookBacklog = MetricFamily(
        "counterfoil_webhook_backlog", .gauge, "Pending webhook deliveries, at most 100,000.")
}
