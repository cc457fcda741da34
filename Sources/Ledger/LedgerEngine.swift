/// A database: all that has to be kept. Only the assembly of a server asks for all of it; each service asks for the protocols
/// that it needs.
///
/// What an engine has to do is what the contract suite tests.
package protocol LedgerEngine: LedgerStorage, CustomerStorage, HistoryRequestStorage, RecoveryStorage, HistoryStorage,
    ClaimStorage,
    InspectionStorage, RefusalStorage, WebhookStorage, ConsumptionStorage, HealthStorage, OriginalPurchaseStorage,
    CircumstanceStorage, GrantStorage, IdempotencyStorage, EventFeedStorage, UnclaimedStorage, SegmentStorage,
    ErasureStorage, AttemptStorage, DeliveryInspectionStorage, AuditStorage, DigestStorage
{}
