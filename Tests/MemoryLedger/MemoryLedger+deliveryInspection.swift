internal import AppStoreModels
package import Ledger

extension MemoryLedger: DeliveryInspectionStorage {
    package func webhookActivity(since: Milliseconds, limit: Int) async throws -> [Int64: WebhookActivity] {
        try read { state in
            state.endpoints.mapValues { endpoint -> WebhookActivity in
                let deliveries = state.deliveries.values.filter { $0.endpoint == endpoint.endpoint.id }
                func ended(_ end: WebhookDelivery.State) -> Int {
                    min(limit, deliveries.count { $0.state == end && $0.endedAt.map { $0 >= since } ?? false })
                }
                let waiting = deliveries.filter { $0.state == .pending }
                var activity = WebhookActivity()
                (activity.delivered, activity.failed) = (ended(.delivered), ended(.failed))
                (activity.discarded, activity.pending) = (ended(.discarded), min(limit, waiting.count))
                activity.oldest = waiting.min { $0.id < $1.id }?.createdAt
                activity.eventsBehind = (state.lastEvent - endpoint.cursor) / state.step
                return activity
            }
        }
    }

    package func deliveries(
        of endpoint: Int64, matching filter: DeliveryFilter, before id: Int64, limit: Int, scanLimit: Int
    ) async throws -> DeliveryList {
        try read { state in
            var (found, ends): ([WebhookDelivery], [Int64]) = ([], [])
            for end in filter.states {
                let all = state.deliveries.values.filter { $0.endpoint == endpoint && $0.state == end && $0.id < id }
                let scanned = all.sorted { $0.id > $1.id }.prefix(scanLimit)
                if scanned.count == scanLimit, let last = scanned.last { ends.append(last.id) }
                found += scanned.filter { state.matches($0, filter) }.compactMap { state.webhookDelivery($0) }
            }
            return DeliveryList(found: found, ends: ends, limit: limit)
        }
    }
}

extension MemoryLedger.State {
    fileprivate func matches(_ delivery: MemoryLedger.Delivery, _ filter: DeliveryFilter) -> Bool {
        guard let event = event(delivery.event) else { return false }
        if let type = filter.eventType, type != event.type { return false }
        if let scopes = filter.scopes, !scopes.contains(event.scope) { return false }
        guard let customer = filter.customer else { return true }
        return customer.scopes.contains(event.scope) && event.customer?.isExactly(customer.name) ?? false
    }
}
