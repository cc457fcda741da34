/// Deletes data whose retention has ended.
package protocol RetentionStorage: Sendable {
    /// Deletes some deliveries that ended more than ``WebhookDelivery/retention`` ago, with their attempts, and some
    /// requests with an idempotency key that began more than ``IdempotencyDecision/retention`` ago, in one transaction.
    ///
    /// - Parameter limit: The maximum number of deliveries and requests.
    /// - Returns: The number of deleted deliveries and requests. If it is less than `limit`, none are left.
    func removeExpired(at now: Milliseconds, limit: Int) async throws -> Int
}
