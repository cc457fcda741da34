public import Foundation

/// What to look for in a customer's transaction history: query parameters, not a body.
/// Apple's page: `Get Transaction History`.
///
/// Different parameters combine with "and", several values of one parameter with "or". The same request must be
/// repeated
/// for every page.
public struct TransactionHistoryRequest: Sendable, Hashable {
    /// Only transactions with a purchase date at or after this instant.
    public var startDate: Date?
    /// Only transactions with a purchase date before this instant. Must be later than `startDate`; may lie in the
    /// future.
    public var endDate: Date?
    /// Only these products; empty means all. Query parameter `productId`, once for each.
    public var productIds: [String]
    /// Only these kinds of products; empty means all. Query parameter `productType`, once for each.
    public var productTypes: [ProductKind]
    /// The order by the date of the last change, which an upgrade or a revocation moves. Absent means ascending.
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

/// The version of the history endpoint, a part of its path.
public struct TransactionHistoryVersion: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Deprecated: leaves out consumables that the app has finished.
    public static let v1 = Self(rawValue: "v1")
    /// Everything, including what is finished, refunded or revoked.
    public static let v2 = Self(rawValue: "v2")
}

/// One page of a customer's transactions. Apple's page: `HistoryResponse`.
public struct HistoryResponse: Sendable, Hashable, Codable {
    /// The token for the next page; sent with the last page too, to ask for what is new some day.
    public var revision: String
    /// Whether there is another page.
    public var hasMore: Bool
    /// The app.
    public var bundleId: String
    /// The app's number. Absent in the sandbox.
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
    /// The kind of a product, as the filter of the history spells it. Transactions spell it otherwise: ``ProductType``.
    public struct ProductKind: RawRepresentable, Hashable, Sendable, Codable {
        /// The text on the wire.
        public let rawValue: String

        /// Takes any text, listed below or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Auto-renewable subscriptions.
        public static let autoRenewable = Self(rawValue: "AUTO_RENEWABLE")
        /// Subscriptions that do not renew.
        public static let nonRenewable = Self(rawValue: "NON_RENEWABLE")
        /// Consumables.
        public static let consumable = Self(rawValue: "CONSUMABLE")
        /// Non-consumables.
        public static let nonConsumable = Self(rawValue: "NON_CONSUMABLE")
    }

    /// The order of the history.
    public struct Order: RawRepresentable, Hashable, Sendable, Codable {
        /// The text on the wire.
        public let rawValue: String

        /// Takes any text, listed below or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The oldest change first. Only then may a stored `revision` be used to ask for what is new.
        public static let ascending = Self(rawValue: "ASCENDING")
        /// The newest change first.
        public static let descending = Self(rawValue: "DESCENDING")
    }
}
