/// Turns off the renewal of a subscription. The customer keeps access until the period ends. Apple's page:
/// `SubscriptionCancelRequest`.
public struct AdvancedCommerceSubscriptionCancelRequest: Sendable, Hashable, Codable {
    /// The part that all requests have in common.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The storefront, ISO 3166-1 alpha-3.
    public var storefront: String?

    /// Creates the value from its parts.
    public init(requestInfo: AdvancedCommerceRequestInfo, storefront: String? = nil) {
        self.requestInfo = requestInfo
        self.storefront = storefront
    }
}

/// The subscription after the renewal was turned off. Apple's page: `SubscriptionCancelResponse`.
public typealias AdvancedCommerceSubscriptionCancelResponse = AdvancedCommerceSubscriptionResponse
