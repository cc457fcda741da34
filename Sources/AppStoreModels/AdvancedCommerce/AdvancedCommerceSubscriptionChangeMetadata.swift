/// Changes names, descriptions and identifiers, but not the price. Apple's page: `SubscriptionChangeMetadataRequest`.
public struct AdvancedCommerceSubscriptionChangeMetadataRequest: Sendable, Hashable, Codable {
    /// The part that all requests have in common.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The new name and description of the subscription.
    public var descriptors: AdvancedCommerceSubscriptionChangeMetadataDescriptors?
    /// The items to change; not empty if present.
    public var items: [AdvancedCommerceSubscriptionChangeMetadataItem]?
    /// The storefront, ISO 3166-1 alpha-3.
    public var storefront: String?
    /// The tax code.
    public var taxCode: String?

    /// Creates the value from its parts.
    public init(
        requestInfo: AdvancedCommerceRequestInfo,
        descriptors: AdvancedCommerceSubscriptionChangeMetadataDescriptors? = nil,
        items: [AdvancedCommerceSubscriptionChangeMetadataItem]? = nil, storefront: String? = nil,
        taxCode: String? = nil
    ) {
        self.requestInfo = requestInfo
        self.descriptors = descriptors
        self.items = items
        self.storefront = storefront
        self.taxCode = taxCode
    }
}

/// The new name and description of a subscription; at least one of them. Apple's page:
/// `SubscriptionChangeMetadataDescriptors`.
public struct AdvancedCommerceSubscriptionChangeMetadataDescriptors: Sendable, Hashable, Codable {
    /// When it applies.
    public var effective: AdvancedCommerceEffective
    /// The description, up to 45 characters; the customer does not see it.
    public var description: String?
    /// The name, up to 30 characters; the customer sees it.
    public var displayName: String?

    /// Creates the value from its parts.
    public init(effective: AdvancedCommerceEffective, description: String? = nil, displayName: String? = nil) {
        self.effective = effective
        self.description = description
        self.displayName = displayName
    }
}

/// An item whose name, description or identifier changes. Apple's page: `SubscriptionChangeMetadataItem`.
public struct AdvancedCommerceSubscriptionChangeMetadataItem: Sendable, Hashable, Codable {
    /// The developer's current identifier of the item.
    public var currentSKU: String
    /// When the change applies.
    public var effective: AdvancedCommerceEffective
    /// The new identifier, up to 128 characters.
    public var sku: String?
    /// The new description, up to 45 characters; the customer does not see it.
    public var description: String?
    /// The new name, up to 30 characters; the customer sees it.
    public var displayName: String?

    /// Creates the value from its parts.
    public init(
        currentSKU: String, effective: AdvancedCommerceEffective, sku: String? = nil, description: String? = nil,
        displayName: String? = nil
    ) {
        self.currentSKU = currentSKU
        self.effective = effective
        self.sku = sku
        self.description = description
        self.displayName = displayName
    }

    private enum CodingKeys: String, CodingKey {
        case currentSKU, effective
        case sku = "SKU"
        case description, displayName
    }
}

/// The subscription after the change. Apple's page: `SubscriptionChangeMetadataResponse`.
public typealias AdvancedCommerceSubscriptionChangeMetadataResponse = AdvancedCommerceSubscriptionResponse
