/// Changes prices as of the next renewal. Apple's page: `SubscriptionPriceChangeRequest`.
public struct AdvancedCommerceSubscriptionPriceChangeRequest: Sendable, Hashable, Codable {
    /// The part that all requests have in common.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The new prices; at least one item.
    public var items: [AdvancedCommerceSubscriptionPriceChangeItem]
    /// The currency of the prices, ISO 4217.
    public var currency: String?
    /// The storefront, ISO 3166-1 alpha-3.
    public var storefront: String?

    /// Creates the value from its parts.
    public init(
        requestInfo: AdvancedCommerceRequestInfo, items: [AdvancedCommerceSubscriptionPriceChangeItem],
        currency: String? = nil, storefront: String? = nil
    ) {
        self.requestInfo = requestInfo
        self.items = items
        self.currency = currency
        self.storefront = storefront
    }
}

/// The new price of an item. Apple's page: `SubscriptionPriceChangeItem`.
public struct AdvancedCommerceSubscriptionPriceChangeItem: Sendable, Hashable, Codable {
    /// The developer's identifier of the item.
    public var sku: String
    /// The new price, in thousandths of the currency unit.
    public var price: Int64
    /// The items whose price increases depend on this one, each up to 128 characters. Dependencies must not be chained
    /// or shared.
    public var dependentSKUs: [String]?

    /// Creates the value from its parts.
    public init(sku: String, price: Int64, dependentSKUs: [String]? = nil) {
        self.sku = sku
        self.price = price
        self.dependentSKUs = dependentSKUs
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case price, dependentSKUs
    }
}

/// The subscription after the change. Apple's page: `SubscriptionPriceChangeResponse`.
public typealias AdvancedCommerceSubscriptionPriceChangeResponse = AdvancedCommerceSubscriptionResponse
