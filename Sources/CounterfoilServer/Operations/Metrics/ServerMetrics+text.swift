internal import Foundation

extension ServerMetrics {
    /// Everything, as Prometheus reads it.
    package func text() async -> String {
        var text = MetricsText()
        notifications(&text)
        ledger(&text)
        requests(&text)
        for gauge in gauges { text.gauge(gauge.name, gauge.help, await gauge.read()) }
        ProcessFigures.read().write(to: &text)
        text.gauge(
            "process_start_time_seconds", "When the server began, in seconds since 1970.",
            [([], started.timeIntervalSince1970)])
        return text.text
    }

    private func notifications(_ text: inout MetricsText) {
        var samples: [(labels: MetricsText.Labels, value: Double)] = [
            ([("result", "kept"), ("code", "")], Double(kept.value)),
            ([("result", "duplicate"), ("code", "")], Double(duplicates.value)),
        ]
        samples += refused.reading.map { ([("result", "refused"), ("code", $0.label)], Double($0.count)) }
        text.counter("counterfoil_notifications_total", "Notifications, by what became of them.", samples)
        text.histogram(
            "counterfoil_acknowledgement_duration_seconds", "From a notification's request to its answer.",
            acknowledgement)
        text.histogram(
            "counterfoil_verification_duration_seconds", "The proof of one signed text, revocation included.",
            verification)
        text.histogram(
            "counterfoil_revocation_lookup_duration_seconds", "Questions to the responders of certificates.", revocation
        )
        text.counter(
            "counterfoil_revocation_lookup_failures_total", "Questions to responders that got no answer.",
            [([], Double(revocationFailures.value))])
    }

    private func ledger(_ text: inout MetricsText) {
        text.histogram("counterfoil_commit_duration_seconds", "One commit to the ledger.", commit)
        text.histogram("counterfoil_commit_notifications", "Notifications received in one commit.", batch)
        text.histogram(
            "counterfoil_fold_duration_seconds", "One batch of notifications folded into the ledger.", fold)
        text.histogram(
            "counterfoil_fold_lag_seconds", "From when a notification was received to when it was folded.", foldLag)
    }

    private func requests(_ text: inout MetricsText) {
        let reading = requests.reading.map { entry in
            (
                labels: [
                    ("route", entry.key.route), ("method", entry.key.method), ("status", "\(entry.key.status)"),
                ] as MetricsText.Labels, histogram: entry.histogram
            )
        }
        text.counter(
            "counterfoil_http_requests_total", "Requests that were answered.",
            reading.map { ($0.labels, Double($0.histogram.reading.counts.reduce(0, +))) })
        text.histogram("counterfoil_http_request_duration_seconds", "From a request's head to its answer.", reading)
        text.counter(
            "counterfoil_http_connections_refused_total", "Connections of clients that had too many.",
            [([], Double(refusedConnections.value))])
        text.gauge("counterfoil_http_requests_under_way", "Requests under way.", [([], Double(requests.underWay))])
    }
}
