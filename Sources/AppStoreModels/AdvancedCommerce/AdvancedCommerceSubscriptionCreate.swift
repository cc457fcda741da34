/// Requests a new subscription. The server signs the request, the app sends it. Apple's page:
/// `SubscriptionCreateRequest`.
public struct AdvancedCommerceSubscriptionCreateRequest: Sendable, Hashable, Codable {
    /// The operation: always a new subscription.
    public private(set) var operation: AdvancedCommerceOperation = .createSubscription
    /// The version of the format.
    public private(set) var version: String = "1"
    /// The part that all requests have in common.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The currency of the prices, ISO 4217.
    public var currency: String
    /// The name and description of the subscription.
    public var descriptors: AdvancedCommerceDescriptors
    /// The items of the subscription; at least one.
    public var items: [AdvancedCommerceSubscriptionCreateItem]
    /// The billing cycle.
    public var period: AdvancedCommercePeriod
    /// The tax code.
    public var taxCode: String
    /// A transaction of the previous subscription.
    public var previousTransactionId: String?
    /// The storefront, ISO 3166-1 alpha-3.
    public var storefront: String?

    /// Creates the value from its parts.
    public init(
        requestInfo: AdvancedCommerceRequestInfo, currency: String, descriptors: AdvancedCommerceDescriptors,
        items: [AdvancedCommerceSubscriptionCreateItem], period: AdvancedCommercePeriod, taxCode: String,
        previousTransactionId: String? = nil, storefront: String? = nil
    ) {
        self.requestInfo = requestInfo
        self.currency = currency
        self.descriptors = descriptors
        self.items = items
        self.period = period
        self.taxCode = taxCode
        self.previousTransactionId = previousTransactionId
        self.storefront = storefront
    }
}

/// One item of a new subscription. Apple's page: `SubscriptionCreateItem`.
public struct AdvancedCommerceSubscriptionCreateItem: Sendable, Hashable, Codable {
    /// The developer's identifier of the item, up to 128 characters.
    public var sku: String
    /// The name, up to 30 characters; the customer sees it.
    public var displayName: String
    /// The description, up to 45 characters; the customer does not see it.
    public var description: String
    /// The price of a billing cycle, in thousandths of the currency unit.
    public var price: Int64
    /// An offer for the item.
    public var offer: AdvancedCommerceOffer?

    /// Creates the value from its parts.
    public init(
        sku: String, displayName: String, description: String, price: Int64, offer: AdvancedCommerceOffer? = nil
    ) {
        self.sku = sku
        self.displayName = displayName
        self.description = description
        self.price = price
        self.offer = offer
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case displayName, description, price, offer
    }
}
