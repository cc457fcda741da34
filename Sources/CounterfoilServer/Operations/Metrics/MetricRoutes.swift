internal import Basics
internal import Hummingbird
internal import LedgerServices

/// The metrics of the last hour, one value per minute, for the charts of the operations page.
struct MetricRoutes {
    let history: MetricHistory
    let metrics: ServerMetrics

    func add(to v1: APIRouter) { v1.get("/operations/metrics", needs: .operationsRead, list) }

    private func list(_ call: APICall) async throws -> Response {
        try call.principal.requireAllApps()
        guard metrics.exposition != nil else { throw APIFailure.metricsNotExposed }
        return .list(history.charts, next: nil) { json, chart in
            json.object("metric_series") { json in
                json.member("metric", chart.metric.name)
                json.member("title", chart.title)
                json.member("unit", chart.unit)
                json.member("values", chart.values) { json, value in
                    if let value, value.isFinite { json.double(value) } else { json.null() }
                }
            }
        }
    }
}
