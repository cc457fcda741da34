public import Foundation

/// The Advanced Commerce part of a signed transaction. Apple's page: `AdvancedCommerceTransactionInfo`.
public struct AdvancedCommerceTransactionInfo: Sendable, Hashable, Codable {
    /// The name and description of the subscription.
    public var descriptors: AdvancedCommerceDescriptors?
    /// The estimated tax, in thousandths of the currency unit.
    public var estimatedTax: Int64?
    /// The items that were bought.
    public var items: [AdvancedCommerceTransactionItem]?
    /// The billing cycle of the subscription.
    public var period: AdvancedCommercePeriod?
    /// The identifier of the request that caused this transaction.
    public var requestReferenceId: String?
    /// The tax code.
    public var taxCode: String?
    /// The price without tax, in thousandths of the currency unit.
    public var taxExclusivePrice: Int64?
    /// The tax rate as decimal text, such as `0.15`.
    public var taxRate: String?

    /// Creates the value from its parts.
    public init(
        descriptors: AdvancedCommerceDescriptors? = nil, estimatedTax: Int64? = nil,
        items: [AdvancedCommerceTransactionItem]? = nil, period: AdvancedCommercePeriod? = nil,
        requestReferenceId: String? = nil, taxCode: String? = nil, taxExclusivePrice: Int64? = nil,
        taxRate: String? = nil
    ) {
        self.descriptors = descriptors
        self.estimatedTax = estimatedTax
        self.items = items
        self.period = period
        self.requestReferenceId = requestReferenceId
        self.taxCode = taxCode
        self.taxExclusivePrice = taxExclusivePrice
        self.taxRate = taxRate
    }
}

/// One item of a signed transaction. Apple's page: `AdvancedCommerceTransactionItem`.
public struct AdvancedCommerceTransactionItem: Sendable, Hashable, Codable {
    /// The developer's identifier of the item.
    public var sku: String?
    /// The description of the item; the customer does not see it.
    public var description: String?
    /// The name of the item; the customer sees it.
    public var displayName: String?
    /// The offer that was applied.
    public var offer: AdvancedCommerceOffer?
    /// The price, in thousandths of the currency unit.
    public var price: Int64?
    /// The refunds of the item.
    public var refunds: [AdvancedCommerceRefund]?
    /// When the App Store revoked the item.
    public var revocationDate: Date?

    /// Creates the value from its parts.
    public init(
        sku: String? = nil, description: String? = nil, displayName: String? = nil, offer: AdvancedCommerceOffer? = nil,
        price: Int64? = nil, refunds: [AdvancedCommerceRefund]? = nil, revocationDate: Date? = nil
    ) {
        self.sku = sku
        self.description = description
        self.displayName = displayName
        self.offer = offer
        self.price = price
        self.refunds = refunds
        self.revocationDate = revocationDate
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case description, displayName, offer, price, refunds, revocationDate
    }
}

/// One refund of an item. Apple's page: `AdvancedCommerceRefund`.
public struct AdvancedCommerceRefund: Sendable, Hashable, Codable {
    /// The amount, in thousandths of the currency unit.
    public var refundAmount: Int64?
    /// When the refund was made.
    public var refundDate: Date?
    /// The reason for the refund.
    public var refundReason: AdvancedCommerceRefundReason?
    /// The type of the refund.
    public var refundType: AdvancedCommerceRefundType?

    /// Creates the value from its parts.
    public init(
        refundAmount: Int64? = nil, refundDate: Date? = nil, refundReason: AdvancedCommerceRefundReason? = nil,
        refundType: AdvancedCommerceRefundType? = nil
    ) {
        self.refundAmount = refundAmount
        self.refundDate = refundDate
        self.refundReason = refundReason
        self.refundType = refundType
    }
}
