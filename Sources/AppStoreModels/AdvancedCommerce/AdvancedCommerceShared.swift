public import Foundation

/// The part that all Advanced Commerce requests have in common. Apple's page: `RequestInfo`.
public struct AdvancedCommerceRequestInfo: Sendable, Hashable, Codable {
    /// The developer's identifier of the request. Reuse it only to repeat a request that timed out.
    public var requestReferenceId: UUID
    /// The developer's identifier of the customer's account.
    public var appAccountToken: UUID?
    /// Copied from ``AdvancedCommerceRenewalInfo/consistencyToken``. Never create it yourself.
    public var consistencyToken: String?

    /// Creates the value from its parts.
    public init(requestReferenceId: UUID, appAccountToken: UUID? = nil, consistencyToken: String? = nil) {
        self.requestReferenceId = requestReferenceId
        self.appAccountToken = appAccountToken
        self.consistencyToken = consistencyToken
    }
}

/// The name and description of a subscription. Apple's page: `Descriptors`.
public struct AdvancedCommerceDescriptors: Sendable, Hashable, Codable {
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

/// An offer for an item. Apple's page: `Offer`.
public struct AdvancedCommerceOffer: Sendable, Hashable, Codable {
    /// The period of the offer.
    public var period: AdvancedCommerceOfferPeriod
    /// The number of periods, 1 to 12; a free trial has 1.
    public var periodCount: Int32
    /// The price, in thousandths of the currency unit; at most the regular price.
    public var price: Int64
    /// The reason for the offer.
    public var reason: AdvancedCommerceOfferReason

    /// Creates the value from its parts.
    public init(
        period: AdvancedCommerceOfferPeriod, periodCount: Int32, price: Int64, reason: AdvancedCommerceOfferReason
    ) {
        self.period = period
        self.periodCount = periodCount
        self.price = price
        self.reason = reason
    }
}

/// The subscription after a request of the server. Apple has a page for the response to each request; all have these
/// fields.
public struct AdvancedCommerceSubscriptionResponse: Sendable, Hashable, Codable {
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
