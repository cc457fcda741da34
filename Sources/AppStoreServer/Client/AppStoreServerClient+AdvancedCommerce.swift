public import AppStoreModels

// The Advanced Commerce API.

extension AppStoreServerClient {
    /// Turns renewal off; the customer keeps access until the end of the paid period. Apple's page: *Cancel a
    /// Subscription*.
    ///
    /// Error codes: 4030008, 4030010, 4030013 and 4040010, and others from 4000028 to 4000221 for an invalid request.
    ///
    /// - Parameters:
    ///   - transactionID: The original transaction of the subscription, or any later one.
    ///   - request: The request. Apple recognizes a repeated one by its `requestReferenceId`: use the same one only to
    ///     repeat a request that timed out; otherwise it is refused with 4000097.
    public func cancelSubscription(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionCancelRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionCancelResponse {
        try await response(.cancelSubscription, [transactionID], json: request)
    }

    /// Changes SKU, name and description, but not the price. Apple's page: *Change Subscription Metadata*.
    ///
    /// Error codes: 4030008, 4030010, 4030013, 4030015, 4030023, 4040010 and 4040016, and others from 4000028 to
    /// 4000221 for an invalid request.
    ///
    /// - Parameters:
    ///   - transactionID: The original transaction of the subscription, or any later one.
    ///   - request: The request. Apple recognizes a repeated one by its `requestReferenceId`: use the same one only to
    ///     repeat a request that timed out; otherwise it is refused with 4000097.
    public func changeSubscriptionMetadata(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionChangeMetadataRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionChangeMetadataResponse {
        try await response(.changeSubscriptionMetadata, [transactionID], json: request)
    }

    /// Changes the price as of the next renewal. Call it at least 24 hours before, for an active subscription that is not
    /// in billing retry. Apple's page: *Change Subscription Price*.
    ///
    /// Error codes: 4030008, 4030010 and 4040010, and others from 4000028 to 4000221 for an invalid request.
    ///
    /// - Parameters:
    ///   - transactionID: The original transaction of the subscription, or any later one.
    ///   - request: The request. Apple recognizes a repeated one by its `requestReferenceId`: use the same one only to
    ///     repeat a request that timed out; otherwise it is refused with 4000097.
    public func changeSubscriptionPrice(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionPriceChangeRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionPriceChangeResponse {
        try await response(.changeSubscriptionPrice, [transactionID], json: request)
    }

    /// Migrates an ordinary subscription to Advanced Commerce, under a new original transaction. Apple's page: *Migrate
    /// a Subscription*.
    ///
    /// Error codes: 4030008, 4030009, 4030010, 4030013, 4030015, 4030022, 4030023, 4030027, 4040010 and 4040016, and
    /// others from 4000028 to 4000221 for an invalid request.
    ///
    /// - Parameters:
    ///   - transactionID: The original transaction of the subscription, or any later one.
    ///   - request: The request. Apple recognizes a repeated one by its `requestReferenceId`: use the same one only to
    ///     repeat a request that timed out; otherwise it is refused with 4000097.
    public func migrateSubscription(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionMigrateRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionMigrateResponse {
        try await response(.migrateSubscription, [transactionID], json: request)
    }

    /// Requests a refund of a one-time charge or of items of a subscription. A notification reports the decision: `REFUND`
    /// or `REFUND_DECLINED`. Apple's page: *Request Transaction Refund*.
    ///
    /// Error codes: 4030008, 4030010, 4030013, 4030020, 4030021, 4030024, 4030025 and 4040010, and others from 4000028
    /// to 4000221 for an invalid request.
    ///
    /// - Parameters:
    ///   - transactionID: The original transaction of the purchase, or any later one.
    ///   - request: The request. Apple recognizes a repeated one by its `requestReferenceId`: use the same one only to
    ///     repeat a request that timed out; otherwise it is refused with 4000097.
    public func requestRefund(
        _ transactionID: String, _ request: AdvancedCommerceRequestRefundRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceRequestRefundResponse {
        try await response(.requestRefund, [transactionID], json: request)
    }

    /// Ends a subscription and all its items immediately, with a refund. Apple's page: *Revoke Subscription*.
    ///
    /// Error codes: 4030008, 4030010, 4030013, 4030020, 4030021, 4030024 and 4040010, and others from 4000028 to
    /// 4000221 for an invalid request.
    ///
    /// - Parameters:
    ///   - transactionID: The original transaction of the subscription, or any later one.
    ///   - request: The request. Apple recognizes a repeated one by its `requestReferenceId`: use the same one only to
    ///     repeat a request that timed out; otherwise it is refused with 4000097.
    public func revokeSubscription(
        _ transactionID: String, _ request: AdvancedCommerceSubscriptionRevokeRequest
    ) async throws(AppStoreServerError) -> AdvancedCommerceSubscriptionRevokeResponse {
        try await response(.revokeSubscription, [transactionID], json: request)
    }
}
