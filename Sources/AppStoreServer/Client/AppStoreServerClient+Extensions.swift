public import AppStoreModels

extension AppStoreServerClient {
    /// Gives one subscriber 1 to 90 days more, at most twice within 365 days. It cannot be taken back.
    /// Apple's page: *Extend a Subscription Renewal Date*.
    ///
    /// Apple knows a request again by its `requestIdentifier`: use the same one to repeat this request, another one for
    /// the next.
    public func extendRenewalDate(
        of originalTransactionID: String, _ request: ExtendRenewalDateRequest
    ) async throws(AppStoreServerError) -> ExtendRenewalDateResponse {
        try await answer(
            .extendRenewalDate, [originalTransactionID], body: json(request, for: .extendRenewalDate))
    }

    /// Gives all active subscribers of a product more time; takes hours or days.
    /// Apple's page: *Extend Subscription Renewal Dates for All Active Subscribers*.
    ///
    /// Apple knows a request again by its `requestIdentifier`, here a UUID.
    public func extendRenewalDates(
        _ request: MassExtendRenewalDateRequest
    ) async throws(AppStoreServerError) -> MassExtendRenewalDateResponse {
        try await answer(.extendRenewalDates, body: json(request, for: .extendRenewalDates))
    }

    /// How far giving all subscribers more time has come; the counts are there when it is complete.
    /// Apple's page: *Get Status of Subscription Renewal Date Extensions*.
    public func renewalExtensionStatus(
        of productID: String, requestIdentifier: String
    ) async throws(AppStoreServerError) -> MassExtendRenewalDateStatusResponse {
        try await answer(.renewalExtensionStatus, [productID, requestIdentifier])
    }
}
