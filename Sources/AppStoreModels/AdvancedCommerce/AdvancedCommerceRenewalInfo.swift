/// The Advanced Commerce part of a signed renewal info. Apple's page: `AdvancedCommerceRenewalInfo`.
public struct AdvancedCommerceRenewalInfo: Sendable, Hashable, Codable {
    /// A token to copy into the next request. Never create it yourself.
    public var consistencyToken: String?
    /// The name and description of the subscription at the next renewal.
    public var descriptors: AdvancedCommerceDescriptors?
    /// The items of the next renewal.
    public var items: [AdvancedCommerceRenewalItem]?
    /// The billing cycle.
    public var period: AdvancedCommercePeriod?
    /// The identifier of the request that caused this state.
    public var requestReferenceId: String?
    /// The tax code.
    public var taxCode: String?

    /// Creates the value from its parts.
    public init(
        consistencyToken: String? = nil, descriptors: AdvancedCommerceDescriptors? = nil,
        items: [AdvancedCommerceRenewalItem]? = nil, period: AdvancedCommercePeriod? = nil,
        requestReferenceId: String? = nil, taxCode: String? = nil
    ) {
        self.consistencyToken = consistencyToken
        self.descriptors = descriptors
        self.items = items
        self.period = period
        self.requestReferenceId = requestReferenceId
        self.taxCode = taxCode
    }
}

/// One item of the next renewal. Apple's page: `AdvancedCommerceRenewalItem`.
public struct AdvancedCommerceRenewalItem: Sendable, Hashable, Codable {
    /// The developer's identifier of the item.
    public var sku: String?
    /// The description of the item; the customer does not see it.
    public var description: String?
    /// The name of the item; the customer sees it.
    public var displayName: String?
    /// The offer that will apply.
    public var offer: AdvancedCommerceOffer?
    /// The price, in thousandths of the currency unit.
    public var price: Int64?
    /// A price increase in progress.
    public var priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo?

    /// Creates the value from its parts.
    public init(
        sku: String? = nil, description: String? = nil, displayName: String? = nil, offer: AdvancedCommerceOffer? = nil,
        price: Int64? = nil, priceIncreaseInfo: AdvancedCommercePriceIncreaseInfo? = nil
    ) {
        self.sku = sku
        self.description = description
        self.displayName = displayName
        self.offer = offer
        self.price = price
        self.priceIncreaseInfo = priceIncreaseInfo
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case description, displayName, offer, price, priceIncreaseInfo
    }
}

/// A price increase of an item in progress. Apple's page: `AdvancedCommercePriceIncreaseInfo`.
public struct AdvancedCommercePriceIncreaseInfo: Sendable, Hashable, Codable {
    /// The items whose price increases depend on this one.
    public var dependentSKUs: [String]?
    /// The new price, in thousandths of the currency unit.
    public var price: Int64?
    /// The status of the increase.
    public var status: AdvancedCommercePriceIncreaseInfoStatus?

    /// Creates the value from its parts.
    public init(
        dependentSKUs: [String]? = nil, price: Int64? = nil, status: AdvancedCommercePriceIncreaseInfoStatus? = nil
    ) {
        self.dependentSKUs = dependentSKUs
        self.price = price
        self.status = status
    }
}
