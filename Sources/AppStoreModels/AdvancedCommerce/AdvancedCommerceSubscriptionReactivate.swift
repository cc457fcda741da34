/// Asks to turn the renewal of a subscription on again. Signed by the server, sent by the app. Apple's page:
/// `SubscriptionReactivateInAppRequest`.
public struct AdvancedCommerceSubscriptionReactivateInAppRequest: Sendable, Hashable, Codable {
    /// What is asked for: always to turn renewal on again.
    public private(set) var operation: AdvancedCommerceOperation = .reactivateSubscription
    /// The version of the format.
    public private(set) var version: String = "1"
    /// What every request begins with.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// A transaction of the subscription.
    public var transactionId: String
    /// The items to go on with.
    public var items: [AdvancedCommerceSubscriptionReactivateItem]?
    /// The storefront, ISO 3166-1 alpha-3.
    public var storefront: String?

    /// Creates the value from its parts.
    public init(
        requestInfo: AdvancedCommerceRequestInfo, transactionId: String,
        items: [AdvancedCommerceSubscriptionReactivateItem]? = nil, storefront: String? = nil
    ) {
        self.requestInfo = requestInfo
        self.transactionId = transactionId
        self.items = items
        self.storefront = storefront
    }
}

/// An item to go on with. Apple's page: `SubscriptionReactivateItem`.
public struct AdvancedCommerceSubscriptionReactivateItem: Sendable, Hashable, Codable {
    /// The developer's identifier of the item.
    public var sku: String

    /// Creates the value from its parts.
    public init(sku: String) {
        self.sku = sku
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
    }
}
