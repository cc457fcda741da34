public import Foundation

/// What every Advanced Commerce request begins with. Apple's page: `RequestInfo`.
public struct AdvancedCommerceRequestInfo: Sendable, Hashable, Codable {
    /// The developer's identifier of the request. Use it again only to repeat a request that timed out.
    public var requestReferenceId: UUID
    /// The developer's own link to an account.
    public var appAccountToken: UUID?
    /// Copied from ``AdvancedCommerceRenewalInfo/consistencyToken``, never made up.
    public var consistencyToken: String?

    /// Creates the value from its parts.
    public init(requestReferenceId: UUID, appAccountToken: UUID? = nil, consistencyToken: String? = nil) {
        self.requestReferenceId = requestReferenceId
        self.appAccountToken = appAccountToken
        self.consistencyToken = consistencyToken
    }
}

/// What a subscription is called. Apple's page: `Descriptors`.
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
    /// The cycle of the offer.
    public var period: AdvancedCommerceOfferPeriod
    /// How many cycles it lasts, 1 to 12; a free trial has 1.
    public var periodCount: Int32
    /// The price, in thousandths of the currency unit; not above the regular price.
    public var price: Int64
    /// Why the customer gets it.
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
