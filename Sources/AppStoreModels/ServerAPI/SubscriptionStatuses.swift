/// All subscriptions of a customer. Apple's page: `StatusResponse`.
public struct StatusResponse: Sendable, Hashable, Codable {
    /// The environment.
    public var environment: AppStoreEnvironment
    /// The bundle identifier of the app.
    public var bundleId: String
    /// The app's Apple ID. Absent in the sandbox.
    public var appAppleId: Int64?
    /// The subscriptions, by group.
    public var data: [SubscriptionGroupIdentifierItem]

    /// Creates the value from its parts.
    public init(
        environment: AppStoreEnvironment, bundleId: String, appAppleId: Int64? = nil,
        data: [SubscriptionGroupIdentifierItem]
    ) {
        self.environment = environment
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.data = data
    }
}

/// A customer's subscriptions of one group. Apple's page: `SubscriptionGroupIdentifierItem`.
public struct SubscriptionGroupIdentifierItem: Sendable, Hashable, Codable {
    /// The identifier of the group.
    public var subscriptionGroupIdentifier: String
    /// The latest status of each subscription.
    public var lastTransactions: [LastTransactionsItem]

    /// Creates the value from its parts.
    public init(subscriptionGroupIdentifier: String, lastTransactions: [LastTransactionsItem]) {
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.lastTransactions = lastTransactions
    }
}

/// The latest status of one subscription. Apple's page: `lastTransactionsItem`.
public struct LastTransactionsItem: Sendable, Hashable, Codable {
    /// The status at the time of the response.
    public var status: SubscriptionStatus
    /// The original transaction of the subscription.
    public var originalTransactionId: String
    /// The JWS of a ``JWSTransactionDecodedPayload``.
    public var signedTransactionInfo: String
    /// The JWS of a ``JWSRenewalInfoDecodedPayload``.
    public var signedRenewalInfo: String

    /// Creates the value from its parts.
    public init(
        status: SubscriptionStatus, originalTransactionId: String, signedTransactionInfo: String,
        signedRenewalInfo: String
    ) {
        self.status = status
        self.originalTransactionId = originalTransactionId
        self.signedTransactionInfo = signedTransactionInfo
        self.signedRenewalInfo = signedRenewalInfo
    }
}
