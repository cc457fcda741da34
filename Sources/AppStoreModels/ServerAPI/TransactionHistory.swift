public import Foundation

/// A filter for a customer's transaction history: query parameters, not a body. Apple's page: `Get Transaction
/// History`.
///
/// Different parameters are combined with "and", several values of one parameter with "or". Every page must be
/// requested with the same parameters.
public struct TransactionHistoryRequest: Sendable, Hashable {
    /// Only transactions with a purchase date at or after this instant.
    public var startDate: Date?
    /// Only transactions with a purchase date before this instant. Must be later than `startDate`; may be in the
    /// future.
    public var endDate: Date?
    /// Only these products; empty means all. Query parameter `productId`, once for each.
    public var productIds: [String]
    /// Only these product types; empty means all. Query parameter `productType`, once for each.
    public var productTypes: [ProductKind]
    /// The order by the date of the last change, for example an upgrade or a revocation. Absent means ascending.
    public var sort: Order?
    /// Only these groups; empty means all. Query parameter `subscriptionGroupIdentifier`, once for each.
    public var subscriptionGroupIdentifiers: [String]
    /// Only purchases of the customer, or only shared ones.
    public var inAppOwnershipType: InAppOwnershipType?
    /// True: only revoked transactions. False: only those that are not. Absent: both.
    public var revoked: Bool?

    /// Creates the value from its parts.
    public init(
        startDate: Date? = nil, endDate: Date? = nil, productIds: [String] = [], productTypes: [ProductKind] = [],
        sort: Order? = nil, subscriptionGroupIdentifiers: [String] = [], inAppOwnershipType: InAppOwnershipType? = nil,
        revoked: Bool? = nil
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.productIds = productIds
        self.productTypes = productTypes
        self.sort = sort
        self.subscriptionGroupIdentifiers = subscriptionGroupIdentifiers
        self.inAppOwnershipType = inAppOwnershipType
        self.revoked = revoked
    }
}

/// One page of a customer's transactions. Apple's page: `HistoryResponse`.
public struct HistoryResponse: Sendable, Hashable, Codable {
    /// The token of the next page. The last page has one too, for requesting new transactions later.
    public var revision: String
    /// Whether there is another page.
    public var hasMore: Bool
    /// The bundle identifier of the app.
    public var bundleId: String
    /// The app's Apple ID. Absent in the sandbox.
    public var appAppleId: Int64?
    /// The environment.
    public var environment: AppStoreEnvironment
    /// Up to 20 JWS, each a ``JWSTransactionDecodedPayload``.
    public var signedTransactions: [String]

    /// Creates the value from its parts.
    public init(
        revision: String, hasMore: Bool, bundleId: String, appAppleId: Int64? = nil, environment: AppStoreEnvironment,
        signedTransactions: [String]
    ) {
        self.revision = revision
        self.hasMore = hasMore
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.environment = environment
        self.signedTransactions = signedTransactions
    }
}

extension TransactionHistoryRequest {
    /// A product type in the history filter. Transactions spell product types differently: ``ProductType``.
    public struct ProductKind: OpenEnumeration {
        /// The text on the wire.
        public let rawValue: String

        /// Creates a value from any text, including unlisted ones.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Auto-renewable subscriptions.
        public static let autoRenewable = Self(rawValue: "AUTO_RENEWABLE")
        /// Non-renewing subscriptions.
        public static let nonRenewable = Self(rawValue: "NON_RENEWABLE")
        /// Consumables.
        public static let consumable = Self(rawValue: "CONSUMABLE")
        /// Non-consumables.
        public static let nonConsumable = Self(rawValue: "NON_CONSUMABLE")
    }

    /// The order of the history.
    public struct Order: OpenEnumeration {
        /// The text on the wire.
        public let rawValue: String

        /// Creates a value from any text, including unlisted ones.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The oldest change first. Only in this order can a stored `revision` be used to request new transactions.
        public static let ascending = Self(rawValue: "ASCENDING")
        /// The newest change first.
        public static let descending = Self(rawValue: "DESCENDING")
    }
}
