package import Ledger

extension DeliveryInspectionStorage {
    /// Returns the deliveries of an endpoint, the newest first.
    package func deliveries(
        of endpoint: Int64, in state: WebhookDelivery.State? = nil, limit: Int
    ) async throws -> [WebhookDelivery] {
        try await deliveries(
            of: endpoint, matching: DeliveryFilter(state: state), before: .max, limit: limit, scanLimit: limit + 1
        ).items
    }
}
