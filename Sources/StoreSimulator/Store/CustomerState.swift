public import AppStoreModels
public import Foundation

/// A customer's state at an instant: what a server that received every notification should know.
///
/// Names are those of Apple's payloads; dates are milliseconds in JSON.
public struct CustomerState: Sendable, Hashable, Codable {
    /// The customer's name in the simulator.
    public var customer: String
    /// The storefront's ISO 3166-1 alpha-3 code.
    public var storefront: String
    /// The `appTransactionId` of the customer's download of the app.
    public var appTransactionID: String
    /// The `appAccountToken` of the next purchase, a UUID in lower case; nil for none.
    public var appAccountToken: String?
    /// Whether the payment method fails.
    public var isBillingFailing: Bool
    /// The family members who share what this customer buys.
    public var family: [String]
    /// All auto-renewable subscriptions, purchased or shared, active or ended.
    public var subscriptions: [SubscriptionState]
    /// All purchases other than auto-renewable subscriptions, in order.
    public var purchases: [PurchaseState]
    /// A summary in one line, for people.
    public var summary: String

    private enum CodingKeys: String, CodingKey {
        case customer, storefront
        case appTransactionID = "appTransactionId"
        case appAccountToken, isBillingFailing, family, subscriptions, purchases, summary
    }

    /// An auto-renewable subscription.
    public struct SubscriptionState: Sendable, Hashable, Codable {
        /// The identifier of the first transaction.
        public var originalTransactionID: String
        /// The identifier of the latest transaction.
        public var transactionID: String
        /// The order identifier of the latest transaction.
        public var orderID: String?
        /// The subscription group.
        public var subscriptionGroupIdentifier: String
        /// The product of the latest transaction.
        public var productID: String
        /// The status that the App Store Server API reports.
        public var status: SubscriptionStatus
        /// Whether the app should give access: the status is active or in the billing grace period.
        public var hasAccess: Bool
        /// When the latest period ends or ended.
        public var expiresDate: Date?
        /// Whether the subscription will renew.
        public var autoRenewStatus: AutoRenewStatus
        /// The product that the subscription will renew into.
        public var autoRenewProductID: String
        /// Why the subscription ended.
        public var expirationIntent: ExpirationIntent?
        /// Whether the subscription is in billing retry; nil if it has neither failed to renew nor expired.
        public var isInBillingRetryPeriod: Bool?
        /// When the billing grace period ends.
        public var gracePeriodExpiresDate: Date?
        /// Whether the subscription was bought, shared or assigned.
        public var inAppOwnershipType: InAppOwnershipType
        /// The type of the latest period's offer.
        public var offerType: OfferType?
        /// The identifier of the latest period's offer.
        public var offerIdentifier: String?
        /// The customer's answer to a price increase.
        public var priceIncreaseStatus: PriceIncreaseStatus?
        /// When the latest period was refunded or revoked.
        public var revocationDate: Date?

        enum CodingKeys: String, MillisecondKey, CaseIterable {
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

    /// A purchase other than an auto-renewable subscription.
    public struct PurchaseState: Sendable, Hashable, Codable {
        /// The transaction identifier.
        public var transactionID: String
        /// The order identifier, which a customer in production finds on the App Store's emailed receipt.
        public var orderID: String?
        /// The product.
        public var productID: String
        /// The product type.
        public var type: ProductType
        /// The quantity.
        public var quantity: Int32
        /// The purchase date.
        public var purchaseDate: Date
        /// When the purchase was refunded or revoked.
        public var revocationDate: Date?
        /// Whether the app has finished the transaction.
        public var isFinished: Bool
        /// Whether the customer bought the product or shares a family member's purchase.
        public var inAppOwnershipType: InAppOwnershipType

        enum CodingKeys: String, MillisecondKey {
            case transactionID = "transactionId"
            case orderID = "orderId"
            case productID = "productId"
            case type, quantity, purchaseDate, revocationDate, isFinished, inAppOwnershipType
        }
    }
}
