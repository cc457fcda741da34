// The Advanced Commerce API 1.2. The server recognizes a repeated request by its `requestReferenceId`: the same body
// may be sent again after a timeout, and is otherwise refused with 4000097.

extension AppStoreEndpoint {
    /// Turns renewal off.
    public static let cancelSubscription = Self(
        "cancel-subscription", "Cancel a Subscription", "POST",
        "/advancedCommerce/v1/subscription/cancel/{transactionId}", .advancedCommerce5, .byIdentifier,
        contentType: json)
    /// Changes SKU, name and description.
    public static let changeSubscriptionMetadata = Self(
        "change-subscription-metadata", "Change Subscription Metadata", "POST",
        "/advancedCommerce/v1/subscription/changeMetadata/{transactionId}", .advancedCommerce50, .byIdentifier,
        contentType: json)
    /// Changes the price as of the next renewal.
    public static let changeSubscriptionPrice = Self(
        "change-subscription-price", "Change Subscription Price", "POST",
        "/advancedCommerce/v1/subscription/changePrice/{transactionId}", .advancedCommerce50, .byIdentifier,
        contentType: json)
    /// Migrates an ordinary subscription to Advanced Commerce.
    public static let migrateSubscription = Self(
        "migrate-subscription", "Migrate a Subscription", "POST",
        "/advancedCommerce/v1/subscription/migrate/{transactionId}", .advancedCommerce50, .byIdentifier,
        contentType: json)
    /// Requests a refund.
    public static let requestRefund = Self(
        "request-refund", "Request Transaction Refund", "POST",
        "/advancedCommerce/v1/transaction/requestRefund/{transactionId}", .advancedCommerce5, .byIdentifier,
        contentType: json)
    /// Ends a subscription immediately, with a refund.
    public static let revokeSubscription = Self(
        "revoke-subscription", "Revoke Subscription", "POST",
        "/advancedCommerce/v1/subscription/revoke/{transactionId}", .advancedCommerce5, .byIdentifier,
        contentType: json)

    /// The Advanced Commerce API.
    public static let advancedCommerce: [AppStoreEndpoint] = [
        cancelSubscription, changeSubscriptionMetadata, changeSubscriptionPrice, migrateSubscription, requestRefund,
        revokeSubscription,
    ]
}
