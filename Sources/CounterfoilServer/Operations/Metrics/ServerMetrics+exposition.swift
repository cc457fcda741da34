internal import LedgerServices

extension ServerMetrics {
    /// Our own backend; nil where another was handed in, which then shows what was recorded.
    var exposition: PrometheusMetrics? { factory as? PrometheusMetrics }

    /// Everything, as Prometheus reads it; nil where another backend has it.
    package func text() async -> String? {
        guard let exposition else { return nil }
        await sampleGauges()
        return exposition.text()
    }
}
