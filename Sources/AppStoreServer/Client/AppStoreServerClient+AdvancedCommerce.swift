public import AppStoreModels

// The Advanced Commerce API. Apple recognizes a repeated request by its `requestReferenceId`: use the same one only to
// repeat a request that timed out. `transactionID` is the original or any later transaction of the purchase.

extension AppStoreServerClient {
    /// Turns renewal off; the customer keeps access until the end of the paid period. Apple's page: *Cancel a
    /// Subscription*.
    public func cancelSubscription(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionCancelRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionCancelResponse {
        try await response(.cancelSubscription, [transactionID], body: json(request, for: .cancelSubscription))
    }

    /// Changes SKU, name and description, but not the price. Apple's page: *Change Subscription Metadata*.
    public func changeSubscriptionMetadata(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionChangeMetadataRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionChangeMetadataResponse {
        try await response(
            .changeSubscriptionMetadata, [transactionID], body: json(request, for: .changeSubscriptionMetadata))
    }

    /// Changes the price as of the next renewal. Call it at least 24 hours before. Apple's page: *Change Subscription
    /// Price*.
    public func changeSubscriptionPrice(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionPriceChangeRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionPriceChangeResponse {
        try await response(
            .changeSubscriptionPrice, [transactionID], body: json(request, for: .changeSubscriptionPrice))
    }

    /// Migrates an ordinary subscription to Advanced Commerce, under a new original transaction. Apple's page: *Migrate
    /// a Subscription*.
    public func migrateSubscription(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionMigrateRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionMigrateResponse {
        try await response(.migrateSubscription, [transactionID], body: json(request, for: .migrateSubscription))
    }

    /// Requests a refund. A notification reports the decision. Apple's page: *Request Transaction Refund*.
    public func requestRefund(
        _ transactionID: String, _ request: AdvancedCommerceRequestRefundRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceRequestRefundResponse {
        try await response(.requestRefund, [transactionID], body: json(request, for: .requestRefund))
    }

    /// Ends a subscription and all its items immediately, with a refund. Apple's page: *Revoke Subscription*.
    public func revokeSubscription(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionRevokeRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionRevokeResponse {
        try await response(.revokeSubscription, [transactionID], body: json(request, for: .revokeSubscription))
    }
}
