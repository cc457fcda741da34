/// Moves a subscription to Advanced Commerce. Apple's page: `SubscriptionMigrateRequest`.
public struct AdvancedCommerceSubscriptionMigrateRequest: Sendable, Hashable, Codable {
    /// What every request begins with.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// What the subscription will be called.
    public var descriptors: AdvancedCommerceSubscriptionMigrateDescriptors
    /// What it will consist of; at least one item.
    public var items: [AdvancedCommerceSubscriptionMigrateItem]
    /// The generic product to move to.
    public var targetProductId: String
    /// The tax code.
    public var taxCode: String
    /// What it will consist of from the next renewal on. Required if a change is pending, and only then.
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

/// What a migrated subscription will be called. Apple's page: `SubscriptionMigrateDescriptors`. Apple's Swift library
/// makes
/// both optional; the documentation requires them.
public struct AdvancedCommerceSubscriptionMigrateDescriptors: Sendable, Hashable, Codable {
    /// The description, up to 45 characters; the customer does not see it.
    public var description: String
    /// The name, up to 30 characters; the customer sees it.
    public var displayName: String

    /// Creates the value from its parts.
    public init(description: String, displayName: String) {
        self.description = description
        self.displayName = displayName
    }
}

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

/// An item of a migrated subscription from the next renewal on. Apple's page: `SubscriptionMigrateRenewalItem`.
public struct AdvancedCommerceSubscriptionMigrateRenewalItem: Sendable, Hashable, Codable {
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

/// The subscription after the move. Apple's page: `SubscriptionMigrateResponse`.
public struct AdvancedCommerceSubscriptionMigrateResponse: Sendable, Hashable, Codable {
    /// The JWS of a ``JWSRenewalInfoDecodedPayload``.
    public var signedRenewalInfo: String
    /// The JWS of a ``JWSTransactionDecodedPayload``.
    public var signedTransactionInfo: String

    /// Creates the value from its parts.
    public init(signedRenewalInfo: String, signedTransactionInfo: String) {
        self.signedRenewalInfo = signedRenewalInfo
        self.signedTransactionInfo = signedTransactionInfo
    }
}
