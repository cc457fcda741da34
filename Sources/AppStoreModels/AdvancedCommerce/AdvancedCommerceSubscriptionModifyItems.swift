/// An item to add to a subscription. Apple's page: `SubscriptionModifyAddItem`.
public struct AdvancedCommerceSubscriptionModifyAddItem: Sendable, Hashable, Codable {
    /// The developer's identifier of the item, up to 128 characters.
    public var sku: String
    /// The name, up to 30 characters; the customer sees it.
    public var displayName: String
    /// The description, up to 45 characters; the customer does not see it.
    public var description: String
    /// The price of a billing cycle, in thousandths of the currency unit.
    public var price: Int64
    /// An offer for the item. Not together with `proratedPrice`.
    public var offer: AdvancedCommerceOffer?
    /// The price until the next renewal, in thousandths of the currency unit.
    public var proratedPrice: Int64?

    /// Creates the value from its parts.
    public init(
        sku: String, displayName: String, description: String, price: Int64, offer: AdvancedCommerceOffer? = nil,
        proratedPrice: Int64? = nil
    ) {
        self.sku = sku
        self.displayName = displayName
        self.description = description
        self.price = price
        self.offer = offer
        self.proratedPrice = proratedPrice
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case displayName, description, price, offer, proratedPrice
    }
}

/// An item of a subscription to change. Apple's page: `SubscriptionModifyChangeItem`.
public struct AdvancedCommerceSubscriptionModifyChangeItem: Sendable, Hashable, Codable {
    /// The developer's current identifier of the item.
    public var currentSKU: String
    /// The developer's identifier of the item after the change, up to 128 characters.
    public var sku: String
    /// The name, up to 30 characters; the customer sees it.
    public var displayName: String
    /// The description, up to 45 characters; the customer does not see it.
    public var description: String
    /// When the change applies.
    public var effective: AdvancedCommerceEffective
    /// The reason for the change.
    public var reason: AdvancedCommerceReason
    /// The price of a billing cycle, in thousandths of the currency unit.
    public var price: Int64
    /// An offer for the item. Not together with `proratedPrice`.
    public var offer: AdvancedCommerceOffer?
    /// The price until the next renewal, in thousandths of the currency unit. Not for a change at the next renewal.
    public var proratedPrice: Int64?

    /// Creates the value from its parts.
    public init(
        currentSKU: String, sku: String, displayName: String, description: String, effective: AdvancedCommerceEffective,
        reason: AdvancedCommerceReason, price: Int64, offer: AdvancedCommerceOffer? = nil, proratedPrice: Int64? = nil
    ) {
        self.currentSKU = currentSKU
        self.sku = sku
        self.displayName = displayName
        self.description = description
        self.effective = effective
        self.reason = reason
        self.price = price
        self.offer = offer
        self.proratedPrice = proratedPrice
    }

    private enum CodingKeys: String, CodingKey {
        case currentSKU
        case sku = "SKU"
        case displayName, description, effective, reason, price, offer, proratedPrice
    }
}

/// An item to remove from a subscription. Apple's page: `SubscriptionModifyRemoveItem`.
public struct AdvancedCommerceSubscriptionModifyRemoveItem: Sendable, Hashable, Codable {
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
