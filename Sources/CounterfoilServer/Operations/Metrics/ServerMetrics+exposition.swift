internal import LedgerServices

extension ServerMetrics {
    /// The Prometheus backend; nil if the server records to another kind of backend.
    var exposition: PrometheusMetrics? { factory as? PrometheusMetrics }

    /// Returns all metrics in Prometheus' text format; nil if the server records to another kind of backend.
    package func text() async -> String? {
        guard let exposition else { return nil }
        await sampleGauges()
        return exposition.text()
    }
}
