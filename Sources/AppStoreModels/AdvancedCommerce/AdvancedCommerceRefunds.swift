/// Requests a refund of items. A notification reports the decision. Apple's page: `RequestRefundRequest`.
public struct AdvancedCommerceRequestRefundRequest: Sendable, Hashable, Codable {
    /// The part that all requests have in common.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The items to refund; at least one.
    public var items: [AdvancedCommerceRequestRefundItem]
    /// Whether Apple should evaluate the risk first, which includes a request for consumption data.
    public var refundRiskingPreference: Bool
    /// The currency of the amounts, ISO 4217.
    public var currency: String?
    /// The storefront, ISO 3166-1 alpha-3.
    public var storefront: String?

    /// Creates the value from its parts.
    public init(
        requestInfo: AdvancedCommerceRequestInfo, items: [AdvancedCommerceRequestRefundItem],
        refundRiskingPreference: Bool, currency: String? = nil, storefront: String? = nil
    ) {
        self.requestInfo = requestInfo
        self.items = items
        self.refundRiskingPreference = refundRiskingPreference
        self.currency = currency
        self.storefront = storefront
    }
}

/// An item to refund. Apple's page: `RequestRefundItem`.
public struct AdvancedCommerceRequestRefundItem: Sendable, Hashable, Codable {
    /// The developer's identifier of the item.
    public var sku: String
    /// The reason. If one item simulates that Apple declines, all items must.
    public var refundReason: AdvancedCommerceRefundReason
    /// How much to refund.
    public var refundType: AdvancedCommerceRefundType
    /// Whether the customer loses the item.
    public var revoke: Bool
    /// The amount, in thousandths of the currency unit; only for a custom refund. With tax, except in Canada and the
    /// USA. Apple documents 32 bits here and 64 in ``AdvancedCommerceRefund``; requests use the smaller.
    public var refundAmount: Int32?

    /// Creates the value from its parts.
    public init(
        sku: String, refundReason: AdvancedCommerceRefundReason, refundType: AdvancedCommerceRefundType, revoke: Bool,
        refundAmount: Int32? = nil
    ) {
        self.sku = sku
        self.refundReason = refundReason
        self.refundType = refundType
        self.revoke = revoke
        self.refundAmount = refundAmount
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case refundReason, refundType, revoke, refundAmount
    }
}

/// The purchase for which a refund was requested. Apple's page: `RequestRefundResponse`.
public struct AdvancedCommerceRequestRefundResponse: Sendable, Hashable, Codable {
    /// The JWS of a ``JWSRenewalInfoDecodedPayload``. Absent for one-time purchases.
    public var signedRenewalInfo: String?
    /// The JWS of a ``JWSTransactionDecodedPayload``.
    public var signedTransactionInfo: String

    /// Creates the value from its parts.
    public init(signedRenewalInfo: String? = nil, signedTransactionInfo: String) {
        self.signedRenewalInfo = signedRenewalInfo
        self.signedTransactionInfo = signedTransactionInfo
    }
}

/// Ends a subscription and all its items immediately, with a refund. Apple's page: `SubscriptionRevokeRequest`.
public struct AdvancedCommerceSubscriptionRevokeRequest: Sendable, Hashable, Codable {
    /// The part that all requests have in common.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The reason.
    public var refundReason: AdvancedCommerceRefundReason
    /// Whether Apple should evaluate the risk first. Apple's default is true.
    public var refundRiskingPreference: Bool
    /// How much to refund: everything or the unused part.
    public var refundType: AdvancedCommerceRefundType
    /// The storefront, ISO 3166-1 alpha-3.
    public var storefront: String?

    /// Creates the value from its parts.
    public init(
        requestInfo: AdvancedCommerceRequestInfo, refundReason: AdvancedCommerceRefundReason,
        refundRiskingPreference: Bool, refundType: AdvancedCommerceRefundType, storefront: String? = nil
    ) {
        self.requestInfo = requestInfo
        self.refundReason = refundReason
        self.refundRiskingPreference = refundRiskingPreference
        self.refundType = refundType
        self.storefront = storefront
    }
}

/// The subscription after it was ended. Apple's page: `SubscriptionRevokeResponse`.
public typealias AdvancedCommerceSubscriptionRevokeResponse = AdvancedCommerceSubscriptionResponse
