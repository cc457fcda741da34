public import AppStoreModels

extension AppStoreServerClient {
    /// Returns every refund that the App Store granted to a customer, oldest first, up to 20 on a page. Apple's page:
    /// *Get Refund History*.
    ///
    /// Store the `revision` of the last page and pass it as `after` later to get only new refunds.
    ///
    /// Error codes: 4000005, 4000006 and 4040010.
    ///
    /// - Parameters:
    ///   - anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    ///   - after: The `revision` to continue from; nil for the beginning.
    public func refundHistory(
        of anyTransactionID: String, after: String? = nil
    ) -> AppStorePages<RefundHistoryResponse> {
        AppStorePages(endpoint: .refundHistory, first: after) { token throws(AppStoreServerError) in
            try await response(.refundHistory, [anyTransactionID], query: parameter("revision", token))
        }
    }

    /// Returns the fifty latest refunds. Deprecated by Apple: use ``refundHistory(of:after:)``. Apple's page: *Get
    /// Refund History V1*.
    ///
    /// Error codes: 4000008 and 4040005.
    ///
    /// - Parameter originalTransactionID: An *original* transaction of the customer.
    public func refundHistoryV1(
        of originalTransactionID: String
    ) async throws(AppStoreServerError) -> RefundLookupResponse {
        try await response(.refundHistoryV1, [originalTransactionID])
    }

    /// Sends Apple information about a purchase for which the customer requested a refund, within 12 hours of the
    /// notification `CONSUMPTION_REQUEST`. Not for Advanced Commerce. Apple's page: *Send Consumption Information*.
    ///
    /// Error codes: 4000006, 4000035, 4000036, 4000041, 4000044, 4000048, 4000185, 4000209, 4000227 and 4040010.
    ///
    /// - Parameters:
    ///   - request: The information. The customer must have consented to sending it.
    ///   - transactionID: The transaction in the notification; not an app transaction.
    public func sendConsumption(
        _ request: ConsumptionRequest, for transactionID: String
    ) async throws(AppStoreServerError) {
        try await call(.sendConsumption, [transactionID], json: request)
    }

    /// Sends the information in the older form, with details of the account, for consumables and auto-renewable
    /// subscriptions. Advanced Commerce purchases still need it. Apple's page: *Send Consumption Information V1*.
    ///
    /// Error codes: 4000032, 4000033, 4000034, 4000035, 4000036, 4000037, 4000038, 4000039, 4000040, 4000041, 4000042,
    /// 4000044, 4000047, 4000227 and 4040010.
    ///
    /// - Parameters:
    ///   - request: The information. The customer must have consented to sending it.
    ///   - transactionID: The transaction in the notification; not an app transaction.
    public func sendConsumptionV1(
        _ request: ConsumptionRequestV1, for transactionID: String
    ) async throws(AppStoreServerError) {
        try await call(.sendConsumptionV1, [transactionID], json: request)
    }
}
