public import AppStoreModels
public import Foundation

extension AppStoreServerClient {
    /// Returns one transaction of any product type, finished or not. Apple's page: *Get Transaction Info*.
    ///
    /// Error codes: 4000006, 4000048 and 4040010.
    ///
    /// - Parameter transactionID: The transaction; not an app transaction.
    public func transaction(_ transactionID: String) async throws(AppStoreServerError) -> TransactionInfoResponse {
        try await response(.transaction, [transactionID])
    }

    /// Returns everything a customer bought in the app, including finished, refunded and revoked purchases, up to 20 on
    /// a page. Apple's page: *Get Transaction History*.
    ///
    /// In ascending order, the default, transactions are sorted by the date of their last change. A transaction that
    /// changes while the pages are fetched therefore occurs again. Store the `revision` of the last page and pass it as
    /// `after` with the same request later to get only what has changed since.
    ///
    /// Error codes: 4000002, 4000005, 4000006, 4000015, 4000016, 4000021, 4000022, 4000023, 4000024, 4000025, 4000026,
    /// 4000030, 4040001, 4040002, 4040003, 4040004 and 4040010.
    ///
    /// - Parameters:
    ///   - anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    ///   - request: The filter and the order. They are sent unchanged for every page.
    ///   - after: The `revision` to continue from; nil for the beginning.
    public func transactionHistory(
        of anyTransactionID: String, _ request: TransactionHistoryRequest = TransactionHistoryRequest(),
        after: String? = nil
    ) -> AppStorePages<HistoryResponse> {
        history(.transactionHistory, anyTransactionID, request, after)
    }

    /// Returns the history without consumables that the app has finished. Deprecated by Apple: use
    /// ``transactionHistory(of:_:after:)``. Apple's page: *Get Transaction History V1*.
    ///
    /// Error codes: 4000002, 4000005, 4000006, 4000015, 4000016, 4000021, 4000022, 4000023, 4000024, 4000025, 4000026,
    /// 4000030, 4040001, 4040002, 4040003, 4040004 and 4040010.
    public func transactionHistoryV1(
        of anyTransactionID: String, _ request: TransactionHistoryRequest = TransactionHistoryRequest(),
        after: String? = nil
    ) -> AppStorePages<HistoryResponse> {
        history(.transactionHistoryV1, anyTransactionID, request, after)
    }

    private func history(
        _ endpoint: AppStoreEndpoint, _ id: String, _ request: TransactionHistoryRequest, _ revision: String?
    ) -> AppStorePages<HistoryResponse> {
        AppStorePages(endpoint: endpoint, first: revision) { token throws(AppStoreServerError) in
            let query = try request.query(for: endpoint)
            return try await response(endpoint, [id], query: query + parameter("revision", token))
        }
    }

    /// Returns the status of every subscription of a customer, with the last transaction and the renewal info of each.
    /// Apple's page: *Get All Subscription Statuses*.
    ///
    /// Error codes: 4000002, 4000006, 4000031, 4040001, 4040002, 4040003, 4040004 and 4040010.
    ///
    /// - Parameters:
    ///   - anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    ///   - statuses: Returns only subscriptions with these statuses; empty means all.
    public func subscriptionStatuses(
        of anyTransactionID: String, in statuses: [SubscriptionStatus] = []
    ) async throws(AppStoreServerError) -> StatusResponse {
        let query = statuses.map { (name: "status", value: String($0.rawValue)) }
        return try await response(.subscriptionStatuses, [anyTransactionID], query: query)
    }

    /// Returns the app transaction of a customer. Apple's page: *Get App Transaction Info*.
    ///
    /// Error codes: 4000006, 4040010 and 4040019.
    ///
    /// - Parameter anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    public func appTransaction(
        of anyTransactionID: String
    ) async throws(AppStoreServerError) -> AppTransactionInfoResponse {
        try await response(.appTransaction, [anyTransactionID])
    }

    /// Marks a purchase as delivered, instead of calling `finish()` in the app. Apple's page: *Finish Transaction*.
    ///
    /// The effect of a second call is not documented, so the call is not retried if its outcome is unknown.
    ///
    /// Error codes: 4000006, 4000048 and 4040010.
    ///
    /// - Parameter transactionID: The transaction; not an app transaction.
    public func finishTransaction(_ transactionID: String) async throws(AppStoreServerError) {
        _ = try await call(.finishTransaction, [transactionID])
    }

    /// Associates a purchase with an account, and replaces an existing association; for a subscription as of the
    /// current renewal. Apple's page: *Set App Account Token*.
    ///
    /// Error codes: 4000006, 4000048, 4000183, 4000185, 4000187, 4000227 and 4040005.
    ///
    /// - Parameters:
    ///   - token: The account.
    ///   - originalTransactionID: The *original* transaction of a purchase. Purchases shared by family members and seats
    ///     that an organisation assigned are refused.
    public func setAppAccountToken(
        _ token: UUID, of originalTransactionID: String
    ) async throws(AppStoreServerError) {
        let request = UpdateAppAccountTokenRequest(appAccountToken: token)
        try await call(.setAppAccountToken, [originalTransactionID], json: request)
    }

    /// Returns the purchases of the order ID in a customer's emailed receipt. Production only. An unknown order is not
    /// an error: the response's `status` reports it. Apple's page: *Look Up Order ID*.
    ///
    /// Error code: 4000000.
    public func order(_ orderID: String) async throws(AppStoreServerError) -> OrderLookupResponse {
        try await response(.order, [orderID])
    }

    /// Returns a query parameter, or none if the value is nil.
    func parameter(_ name: String, _ value: String?) -> [(name: String, value: String)] {
        value.map { [(name, $0)] } ?? []
    }
}

extension TransactionHistoryRequest {
    func query(for endpoint: AppStoreEndpoint) throws(AppStoreServerError) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        for (name, date) in [("startDate", startDate), ("endDate", endDate)] {
            guard let date else { continue }
            guard let milliseconds = date.millisecondsSince1970 else {
                throw AppStoreServerError(.invalidRequest, "the \(name) is out of range").adding(endpoint, attempts: 0)
            }
            query.append((name, String(milliseconds)))
        }
        query += productIds.map { ("productId", $0) }
        query += productTypes.map { ("productType", $0.rawValue) }
        if let sort { query.append(("sort", sort.rawValue)) }
        query += subscriptionGroupIdentifiers.map { ("subscriptionGroupIdentifier", $0) }
        if let inAppOwnershipType { query.append(("inAppOwnershipType", inAppOwnershipType.rawValue)) }
        if let revoked { query.append(("revoked", String(revoked))) }
        return query
    }
}
