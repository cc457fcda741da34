/// A database engine: every storage protocol together. Only the server's assembly requires all of them; each service
/// requires only the protocols that it uses.
///
/// The contract suite tests the behaviour that an engine must have.
package protocol LedgerEngine: LedgerStorage, CustomerStorage, HistoryRequestStorage, RecoveryStorage, HistoryStorage,
    ClaimStorage, InspectionStorage, RefusalStorage, WebhookStorage, ConsumptionStorage, HealthStorage,
    OriginalPurchaseStorage, EntitlementContextStorage, GrantStorage, IdempotencyStorage, EventFeedStorage,
    UnclaimedStorage, SegmentStorage, ErasureStorage, AttemptStorage, DeliveryInspectionStorage, AuditStorage,
    DigestStorage, RetentionStorage
{
    /// Ends all work on the ledger and releases what the engine holds of it, such as connections and locks, so that
    /// another server can open the ledger. Nothing is called afterwards.
    func close() async throws
}
