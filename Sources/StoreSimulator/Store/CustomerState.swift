public import AppStoreModels
public import Foundation

/// What a customer has at an instant: what a server that heard every notification should know.
///
/// Names are those of Apple's payloads; dates are milliseconds in JSON.
public struct CustomerState: Sendable, Hashable, Codable {
    /// The customer's name in the simulator.
    public var customer: String
    /// The storefront's ISO 3166-1 alpha-3 code.
    public var storefront: String
    /// The customer's download of the app.
    public var appTransactionID: String
    /// The account of the app that the next purchase names, a UUID in lower case; nil for none.
    public var appAccountToken: String?
    /// Whether the payment method fails.
    public var isBillingFailing: Bool
    /// The family members who share what this customer buys.
    public var family: [String]
    /// Every auto-renewable subscription, own or shared, running or ended.
    public var subscriptions: [SubscriptionState]
    /// Every purchase that is no auto-renewable subscription, in order.
    public var purchases: [PurchaseState]
    /// All that in one line, for people.
    public var summary: String

    private enum CodingKeys: String, CodingKey {
        case customer, storefront
        case appTransactionID = "appTransactionId"
        case appAccountToken, isBillingFailing, family, subscriptions, purchases, summary
    }

    /// An auto-renewable subscription.
    public struct SubscriptionState: Sendable, Hashable, Codable {
        /// The first transaction.
        public var originalTransactionID: String
        /// The latest transaction.
        public var transactionID: String
        /// The order that the latest transaction is part of.
        public var orderID: String?
        /// The group.
        public var subscriptionGroupIdentifier: String
        /// The product of the latest transaction.
        public var productID: String
        /// The status as the App Store Server API gives it.
        public var status: SubscriptionStatus
        /// Whether the app should give access: the status is active or in the billing grace period.
        public var hasAccess: Bool
        /// When the latest period ends, or ended.
        public var expiresDate: Date?
        /// Whether it will renew.
        public var autoRenewStatus: AutoRenewStatus
        /// What it will renew into.
        public var autoRenewProductID: String
        /// Why it ended.
        public var expirationIntent: ExpirationIntent?
        /// Whether the App Store is trying to charge; absent where there was no reason to.
        public var isInBillingRetryPeriod: Bool?
        /// When the billing grace period ends.
        public var gracePeriodExpiresDate: Date?
        /// Whether it was bought, shared or assigned.
        public var inAppOwnershipType: InAppOwnershipType
        /// The kind of offer that the latest period is part of.
        public var offerType: OfferType?
        /// The identifier of that offer.
        public var offerIdentifier: String?
        /// What the customer said to a price increase.
        public var priceIncreaseStatus: PriceIncreaseStatus?
        /// When the latest period was refunded or revoked.
        public var revocationDate: Date?

        enum CodingKeys: String, MillisecondKey {
            case originalTransactionID = "originalTransactionId"
            case transactionID = "transactionId"
            case orderID = "orderId"
            case productID = "productId"
            case autoRenewProductID = "autoRenewProductId"
            case subscriptionGroupIdentifier, status, hasAccess, expiresDate, autoRenewStatus, expirationIntent
            case isInBillingRetryPeriod, gracePeriodExpiresDate, inAppOwnershipType, offerType, offerIdentifier
            case priceIncreaseStatus, revocationDate
        }
    }

    /// A purchase that is no auto-renewable subscription.
    public struct PurchaseState: Sendable, Hashable, Codable {
        /// The transaction.
        public var transactionID: String
        /// The order that it is part of, which a customer of production finds on the receipt by mail.
        public var orderID: String?
        /// The product.
        public var productID: String
        /// The kind of product.
        public var type: ProductType
        /// How many were bought.
        public var quantity: Int32
        /// When.
        public var purchaseDate: Date
        /// When it was refunded or revoked.
        public var revocationDate: Date?
        /// Whether the app has finished the transaction.
        public var isFinished: Bool
        /// Whether it was bought or shared.
        public var inAppOwnershipType: InAppOwnershipType

        enum CodingKeys: String, MillisecondKey {
            case transactionID = "transactionId"
            case orderID = "orderId"
            case productID = "productId"
            case type, quantity, purchaseDate, revocationDate, isFinished, inAppOwnershipType
        }
    }
}
