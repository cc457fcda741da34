/// Migrates a subscription to Advanced Commerce. Apple's page: `SubscriptionMigrateRequest`.
public struct AdvancedCommerceSubscriptionMigrateRequest: Sendable, Hashable, Codable {
    /// The part that all requests have in common.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The new name and description of the subscription.
    public var descriptors: AdvancedCommerceSubscriptionMigrateDescriptors
    /// The items of the subscription; at least one.
    public var items: [AdvancedCommerceSubscriptionMigrateItem]
    /// The generic product to migrate to.
    public var targetProductId: String
    /// The tax code.
    public var taxCode: String
    /// The items as of the next renewal. Required if a change is pending, otherwise not allowed.
    public var renewalItems: [AdvancedCommerceSubscriptionMigrateRenewalItem]?
    /// The storefront, ISO 3166-1 alpha-3.
    public var storefront: String?

    /// Creates the value from its parts.
    public init(
        requestInfo: AdvancedCommerceRequestInfo, descriptors: AdvancedCommerceSubscriptionMigrateDescriptors,
        items: [AdvancedCommerceSubscriptionMigrateItem], targetProductId: String, taxCode: String,
        renewalItems: [AdvancedCommerceSubscriptionMigrateRenewalItem]? = nil, storefront: String? = nil
    ) {
        self.requestInfo = requestInfo
        self.descriptors = descriptors
        self.items = items
        self.targetProductId = targetProductId
        self.taxCode = taxCode
        self.renewalItems = renewalItems
        self.storefront = storefront
    }
}

/// The name and description of a migrated subscription. Apple's page: `SubscriptionMigrateDescriptors`. Apple's Swift
/// library makes both optional; the documentation requires them.
public typealias AdvancedCommerceSubscriptionMigrateDescriptors = AdvancedCommerceDescriptors

/// An item of a migrated subscription. Apple's page: `SubscriptionMigrateItem`.
public struct AdvancedCommerceSubscriptionMigrateItem: Sendable, Hashable, Codable {
    /// The developer's identifier of the item, up to 128 characters.
    public var sku: String
    /// The description, up to 45 characters; the customer does not see it.
    public var description: String
    /// The name, up to 30 characters; the customer sees it.
    public var displayName: String

    /// Creates the value from its parts.
    public init(sku: String, description: String, displayName: String) {
        self.sku = sku
        self.description = description
        self.displayName = displayName
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case description, displayName
    }
}

/// An item of a migrated subscription as of the next renewal. Apple's page: `SubscriptionMigrateRenewalItem`.
public typealias AdvancedCommerceSubscriptionMigrateRenewalItem = AdvancedCommerceSubscriptionMigrateItem

/// The subscription after the migration. Apple's page: `SubscriptionMigrateResponse`.
public typealias AdvancedCommerceSubscriptionMigrateResponse = AdvancedCommerceSubscriptionResponse
