public import AppStoreModels

// The Advanced Commerce API. Apple knows a request again by its `requestReferenceId`: use the same one only to repeat a
// request that timed out. `transactionID` is the original or any later transaction of the purchase.

extension AppStoreServerClient {
    /// Turns renewal off; the customer keeps what is paid for. Apple's page: *Cancel a Subscription*.
    public func cancelSubscription(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionCancelRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionCancelResponse {
        try await answer(.cancelSubscription, [transactionID], body: json(request, for: .cancelSubscription))
    }

    /// Changes SKU, name and description, not what is paid. Apple's page: *Change Subscription Metadata*.
    public func changeSubscriptionMetadata(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionChangeMetadataRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionChangeMetadataResponse {
        try await answer(
            .changeSubscriptionMetadata, [transactionID], body: json(request, for: .changeSubscriptionMetadata))
    }

    /// Changes the price from the next renewal on, at least 24 hours before it. Apple's page: *Change Subscription Price*.
    public func changeSubscriptionPrice(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionPriceChangeRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionPriceChangeResponse {
        try await answer(
            .changeSubscriptionPrice, [transactionID], body: json(request, for: .changeSubscriptionPrice))
    }

    /// Moves an ordinary subscription to Advanced Commerce, under a new original transaction.
    /// Apple's page: *Migrate a Subscription*.
    public func migrateSubscription(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionMigrateRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionMigrateResponse {
        try await answer(.migrateSubscription, [transactionID], body: json(request, for: .migrateSubscription))
    }

    /// Asks for a refund; a notification says how it was decided. Apple's page: *Request Transaction Refund*.
    public func requestRefund(
        _ transactionID: String, _ request: AdvancedCommerceRequestRefundRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceRequestRefundResponse {
        try await answer(.requestRefund, [transactionID], body: json(request, for: .requestRefund))
    }

    /// Ends a subscription and all its items at once, with a refund. Apple's page: *Revoke Subscription*.
    public func revokeSubscription(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionRevokeRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionRevokeResponse {
        try await answer(.revokeSubscription, [transactionID], body: json(request, for: .revokeSubscription))
    }
}
