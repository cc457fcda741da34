public import AppStoreModels

extension AppStoreServerClient {
    /// Every refund of a customer that the App Store granted, oldest first; up to 20 on a page. The `revision` of the last
    /// page, stored and handed over as `after` some day, leads to what is new. Apple's page: *Get Refund History*.
    ///
    /// - Parameters:
    ///   - anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    ///   - after: The `revision` to go on from; nil for the beginning.
    public func refundHistory(
        of anyTransactionID: String, after: String? = nil
    ) -> AppStorePages<RefundHistoryResponse> {
        AppStorePages(endpoint: .refundHistory, first: after) { token throws(AppStoreServerError) in
            try await answer(.refundHistory, [anyTransactionID], query: parameter("revision", token))
        }
    }

    /// The fifty latest refunds. Deprecated by Apple: use ``refundHistory(of:after:)``.
    /// Apple's page: *Get Refund History V1*.
    ///
    /// - Parameter originalTransactionID: An *original* transaction of the customer.
    public func refundHistoryV1(
        of originalTransactionID: String
    ) async throws(AppStoreServerError) -> RefundLookupResponse {
        try await answer(.refundHistoryV1, [originalTransactionID])
    }

    /// Tells Apple what became of a purchase that the customer wants refunded, within 12 hours of the notification
    /// `CONSUMPTION_REQUEST`. Not for Advanced Commerce. Apple's page: *Send Consumption Information*.
    public func sendConsumption(
        _ request: ConsumptionRequest, for transactionID: String
    ) async throws(AppStoreServerError) {
        _ = try await call(.sendConsumption, [transactionID], body: json(request, for: .sendConsumption))
    }

    /// The same in the older form, with everything about the account. Apple's page: *Send Consumption Information V1*.
    public func sendConsumptionV1(
        _ request: ConsumptionRequestV1, for transactionID: String
    ) async throws(AppStoreServerError) {
        _ = try await call(.sendConsumptionV1, [transactionID], body: json(request, for: .sendConsumptionV1))
    }
}
