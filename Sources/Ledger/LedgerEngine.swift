/// A database engine: every storage protocol together. Only the server's assembly requires all of them; each service
/// requires only the protocols that it uses.
///
/// The contract suite tests the behaviour that an engine must have.
package protocol LedgerEngine: LedgerStorage, CustomerStorage, HistoryRequestStorage, RecoveryStorage, HistoryStorage,
    ClaimStorage, InspectionStorage, RefusalStorage, WebhookStorage, ConsumptionStorage, HealthStorage,
    OriginalPurchaseStorage, EntitlementContextStorage, GrantStorage, IdempotencyStorage, EventFeedStorage,
    UnclaimedStorage, SegmentStorage, ErasureStorage, AttemptStorage, DeliveryInspectionStorage, AuditStorage,
    DigestStorage, RetentionStorage
{}
