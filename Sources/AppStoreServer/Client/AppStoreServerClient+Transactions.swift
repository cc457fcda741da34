public import AppStoreModels
public import Foundation

extension AppStoreServerClient {
    /// One transaction of any kind, finished or not. Apple's page: *Get Transaction Info*.
    ///
    /// - Parameter transactionID: The transaction; not an app transaction.
    public func transaction(_ transactionID: String) async throws(AppStoreServerError) -> TransactionInfoResponse {
        try await answer(.transaction, [transactionID])
    }

    /// Everything a customer bought in the app, also what is finished, refunded or revoked; up to 20 on a page.
    /// Apple's page: *Get Transaction History*.
    ///
    /// In ascending order, the default, the order is by the date of the last change. So a transaction that changes while
    /// the pages are fetched comes again; and the `revision` of the last page, stored and handed over as `after` some day
    /// with the same request, leads to what has changed since.
    ///
    /// - Parameters:
    ///   - anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    ///   - request: What to look for; goes unchanged with every page.
    ///   - after: The `revision` to go on from; nil for the beginning.
    public func transactionHistory(
        of anyTransactionID: String, _ request: TransactionHistoryRequest = TransactionHistoryRequest(),
        after: String? = nil
    ) -> AppStorePages<HistoryResponse> {
        history(.transactionHistory, anyTransactionID, request, after)
    }

    /// The history without consumables that the app has finished. Deprecated by Apple: use
    /// ``transactionHistory(of:_:after:)``. Apple's page: *Get Transaction History V1*.
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
            return try await answer(endpoint, [id], query: query + parameter("revision", token))
        }
    }

    /// The state of every subscription of a customer, with the last transaction and the renewal of each.
    /// Apple's page: *Get All Subscription Statuses*.
    ///
    /// - Parameters:
    ///   - anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    ///   - statuses: Only subscriptions in these states; empty means all.
    public func subscriptionStatuses(
        of anyTransactionID: String, in statuses: [SubscriptionStatus] = []
    ) async throws(AppStoreServerError) -> StatusResponse {
        let query = statuses.map { (name: "status", value: String($0.rawValue)) }
        return try await answer(.subscriptionStatuses, [anyTransactionID], query: query)
    }

    /// How a customer came by the app. Apple's page: *Get App Transaction Info*.
    ///
    /// - Parameter anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    public func appTransaction(
        of anyTransactionID: String
    ) async throws(AppStoreServerError) -> AppTransactionInfoResponse {
        try await answer(.appTransaction, [anyTransactionID])
    }

    /// Says that what was bought is delivered, in place of `finish()` in the app. Apple's page: *Finish Transaction*.
    ///
    /// What a second call does is not documented, so it is not repeated after an unclear failure.
    public func finishTransaction(_ transactionID: String) async throws(AppStoreServerError) {
        _ = try await call(.finishTransaction, [transactionID])
    }

    /// Ties a purchase to an account, in place of whatever it was tied to; for a subscription from the current renewal
    /// on. Apple's page: *Set App Account Token*.
    ///
    /// - Parameters:
    ///   - token: The account.
    ///   - originalTransactionID: The *original* transaction of a purchase that is the customer's own.
    public func setAppAccountToken(
        _ token: UUID, of originalTransactionID: String
    ) async throws(AppStoreServerError) {
        let body = try json(UpdateAppAccountTokenRequest(appAccountToken: token), for: .setAppAccountToken)
        _ = try await call(.setAppAccountToken, [originalTransactionID], body: body)
    }

    /// What is on the receipt that the customer got by mail. Production only. An unknown order is no error: its `status`
    /// says so. Apple's page: *Look Up Order ID*.
    public func order(_ orderID: String) async throws(AppStoreServerError) -> OrderLookupResponse {
        try await answer(.order, [orderID])
    }

    /// A query parameter, or none.
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
                throw AppStoreServerError(.invalidRequest, "the \(name) is out of range").about(endpoint, 0)
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
