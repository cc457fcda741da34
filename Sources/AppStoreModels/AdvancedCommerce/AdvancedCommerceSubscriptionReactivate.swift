/// Requests to turn on the renewal of a subscription again. The server signs the request, the app sends it. Apple's
/// page: `SubscriptionReactivateInAppRequest`.
public struct AdvancedCommerceSubscriptionReactivateInAppRequest: Sendable, Hashable, Codable {
    /// The operation: always to turn renewal on again.
    public private(set) var operation: AdvancedCommerceOperation = .reactivateSubscription
    /// The version of the format.
    public private(set) var version: String = "1"
    /// The part that all requests have in common.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// A transaction of the subscription.
    public var transactionId: String
    /// The items to reactivate.
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

/// An item to reactivate. Apple's page: `SubscriptionReactivateItem`.
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
