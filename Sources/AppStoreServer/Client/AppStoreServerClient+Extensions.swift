public import AppStoreModels

extension AppStoreServerClient {
    /// Extends the subscription of one subscriber by 1 to 90 days, at most twice within 365 days. An extension cannot
    /// be undone. Apple's page: *Extend a Subscription Renewal Date*.
    ///
    /// Apple recognizes a repeated request by its `requestIdentifier`: use the same one to repeat this request, and
    /// another one for the next extension.
    ///
    /// Error codes: 4000008, 4000009, 4000010, 4000011, 4030004, 4030005, 4030007, 4030028 and 4040005.
    ///
    /// - Parameters:
    ///   - originalTransactionID: The *original* transaction of an active subscription with at least one paid period. Free
    ///     offers, billing retry, shared purchases and assigned seats are refused.
    ///   - request: The number of days, the reason and the identifier.
    public func extendRenewalDate(
        of originalTransactionID: String, _ request: ExtendRenewalDateRequest
    ) async throws(AppStoreServerError) -> ExtendRenewalDateResponse {
        try await response(.extendRenewalDate, [originalTransactionID], json: request)
    }

    /// Extends the subscriptions of all active subscribers of a product, which takes hours or days. Apple's page:
    /// *Extend Subscription Renewal Dates for All Active Subscribers*.
    ///
    /// Apple recognizes a repeated request by its `requestIdentifier`, which is a UUID here.
    ///
    /// Error codes: 4000009, 4000010, 4000011, 4000023, 4000027, 4000028, 4030004, 4030005 and 4040009.
    public func extendRenewalDates(
        _ request: MassExtendRenewalDateRequest
    ) async throws(AppStoreServerError) -> MassExtendRenewalDateResponse {
        try await response(.extendRenewalDates, json: request)
    }

    /// Returns the progress of extending the subscriptions of all active subscribers, with the counts when it is
    /// complete. Apple's page: *Get Status of Subscription Renewal Date Extensions*.
    ///
    /// Error codes: 4000011, 4000023 and 4040009.
    public func renewalExtensionStatus(
        of productID: String, requestIdentifier: String
    ) async throws(AppStoreServerError) -> MassExtendRenewalDateStatusResponse {
        try await response(.renewalExtensionStatus, [productID, requestIdentifier])
    }
}
