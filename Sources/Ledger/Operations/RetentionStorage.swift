/// Deletes data whose retention has ended.
package protocol RetentionStorage: Sendable {
    /// Deletes some deliveries that ended more than ``WebhookDelivery/retention`` ago, with their attempts, some
    /// requests with an idempotency key that began more than ``IdempotencyDecision/retention`` ago, and as many of the
    /// oldest entries of the audit log as ``AuditEntry/expiredCount(_:followedBy:at:)`` says, in one transaction.
    ///
    /// - Parameter limit: The maximum number of deliveries, requests and entries.
    /// - Returns: The number of deleted deliveries, requests and entries. If it is less than `limit`, none are left.
    func removeExpired(at now: Milliseconds, limit: Int) async throws -> Int
}
