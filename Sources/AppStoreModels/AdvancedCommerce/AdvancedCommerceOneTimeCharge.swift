/// The operation of a signed in-app request. Apple's page: `operation`.
public struct AdvancedCommerceOperation: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A one-time purchase.
    public static let createOneTimeCharge = Self(rawValue: "CREATE_ONE_TIME_CHARGE")
    /// A new subscription.
    public static let createSubscription = Self(rawValue: "CREATE_SUBSCRIPTION")
    /// A change of a subscription.
    public static let modifySubscription = Self(rawValue: "MODIFY_SUBSCRIPTION")
    /// Turning on the renewal of a subscription again.
    public static let reactivateSubscription = Self(rawValue: "REACTIVATE_SUBSCRIPTION")
}

/// Requests a one-time purchase. The server signs the request, the app sends it. Apple's page:
/// `OneTimeChargeCreateRequest`.
public struct AdvancedCommerceOneTimeChargeCreateRequest: Sendable, Hashable, Codable {
    /// The operation: always a one-time purchase.
    public private(set) var operation: AdvancedCommerceOperation = .createOneTimeCharge
    /// The version of the format.
    public private(set) var version: String = "1"
    /// The part that all requests have in common.
    public var requestInfo: AdvancedCommerceRequestInfo
    /// The currency of the price, ISO 4217.
    public var currency: String
    /// The item to buy.
    public var item: AdvancedCommerceOneTimeChargeItem
    /// The tax code, such as `C003-00-2`.
    public var taxCode: String
    /// The storefront, ISO 3166-1 alpha-3.
    public var storefront: String?

    /// Creates the value from its parts.
    public init(
        requestInfo: AdvancedCommerceRequestInfo, currency: String, item: AdvancedCommerceOneTimeChargeItem,
        taxCode: String, storefront: String? = nil
    ) {
        self.requestInfo = requestInfo
        self.currency = currency
        self.item = item
        self.taxCode = taxCode
        self.storefront = storefront
    }
}

/// The item of a one-time purchase. Apple's page: `OneTimeChargeItem`.
public struct AdvancedCommerceOneTimeChargeItem: Sendable, Hashable, Codable {
    /// The developer's identifier of the item, up to 128 characters.
    public var sku: String
    /// The name, up to 30 characters; the customer sees it.
    public var displayName: String
    /// The description, up to 45 characters; the customer does not see it.
    public var description: String
    /// The price, in thousandths of the currency unit.
    public var price: Int64

    /// Creates the value from its parts.
    public init(sku: String, displayName: String, description: String, price: Int64) {
        self.sku = sku
        self.displayName = displayName
        self.description = description
        self.price = price
    }

    private enum CodingKeys: String, CodingKey {
        case sku = "SKU"
        case displayName, description, price
    }
}
