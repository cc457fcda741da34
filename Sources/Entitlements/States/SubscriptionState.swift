public import AppStoreModels
public import Foundation

/// The state of an auto-renewable subscription at an instant: the customer's own or a shared one, running or ended.
public struct SubscriptionState: Sendable, Hashable, Encodable {
    /// The original transaction, which identifies the subscription.
    public var originalTransactionID: String
    /// The transaction of the current period, or of the last one.
    public var transactionID: String
    /// The product of that transaction.
    public var productID: String
    /// The subscription group; nil if neither a fact nor the catalogue names it. App receipts do not contain it.
    public var subscriptionGroupIdentifier: String?
    /// The status, as in the App Store Server API.
    public var status: SubscriptionStatus
    /// Whether the app should give access: the status is active, or in the billing grace period.
    public var hasAccess: Bool
    /// When access ends unless a new fact arrives: the end of the period, of the next one if that is paid for already,
    /// or of the grace period. Nil without access.
    public var accessUntil: Date?
    /// When the period was bought or begins.
    public var purchaseDate: Date
    /// When the period ends, or ended.
    public var expiresDate: Date?
    /// Whether it will renew; nil if no renewal info describes this period.
    public var willRenew: Bool?
    /// The product of the next renewal; nil if no renewal info describes this period.
    public var autoRenewProductID: String?
    /// Why the subscription ended.
    public var expirationIntent: ExpirationIntent?
    /// Whether the App Store is retrying the payment.
    public var isInBillingRetry: Bool
    /// When the billing grace period ends, according to the renewal info. It may be in the past.
    public var gracePeriodExpiresDate: Date?
    /// When the billing grace period ended, if the renewal info no longer names it and an earlier one did.
    var formerGracePeriodEnd: Date?
    /// Whether it was bought, shared or assigned.
    public var ownership: InAppOwnershipType
    /// The type of the offer that the period is part of.
    public var offerType: OfferType?
    /// The identifier of that offer.
    public var offerIdentifier: String?
    /// The payment mode of that offer.
    public var offerDiscountType: OfferDiscountType?
    /// The customer's response to a price increase.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// When the period was refunded or revoked.
    public var revocationDate: Date?
    /// The reason for the refund or revocation.
    public var revocationReason: RevocationReason?
    /// Whether it was a full refund, a partial refund, or the end of sharing or of an assignment.
    public var revocationType: RevocationType?
    /// The win-back offers for which the customer is eligible, the best first. None while another subscription that the
    /// customer bought in the group gives access or waits for a payment.
    public var eligibleWinBackOfferIDs: [String]
    /// The reasons for the status.
    public var details: [StateDetail]
    /// What to ask or offer the customer. An ended subscription has no offer while another one of its group gives
    /// access, and no win-back offer while another one that the customer bought waits for a payment.
    public var nextStep: NextStep

    /// Creates a state with these values, for tests. ``EntitlementEngine`` creates all others.
    public init(
        originalTransactionID: String, transactionID: String, productID: String,
        subscriptionGroupIdentifier: String? = nil, status: SubscriptionStatus, hasAccess: Bool,
        accessUntil: Date? = nil, purchaseDate: Date, expiresDate: Date? = nil, willRenew: Bool? = nil,
        autoRenewProductID: String? = nil, expirationIntent: ExpirationIntent? = nil, isInBillingRetry: Bool = false,
        gracePeriodExpiresDate: Date? = nil, ownership: InAppOwnershipType, offerType: OfferType? = nil,
        offerIdentifier: String? = nil, offerDiscountType: OfferDiscountType? = nil,
        priceIncreaseStatus: PriceIncreaseStatus? = nil, revocationDate: Date? = nil,
        revocationReason: RevocationReason? = nil, revocationType: RevocationType? = nil,
        eligibleWinBackOfferIDs: [String] = [], details: [StateDetail] = [], nextStep: NextStep
    ) {
        self.originalTransactionID = originalTransactionID
        self.transactionID = transactionID
        self.productID = productID
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.status = status
        self.hasAccess = hasAccess
        self.accessUntil = accessUntil
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.willRenew = willRenew
        self.autoRenewProductID = autoRenewProductID
        self.expirationIntent = expirationIntent
        self.isInBillingRetry = isInBillingRetry
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.ownership = ownership
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.offerDiscountType = offerDiscountType
        self.priceIncreaseStatus = priceIncreaseStatus
        self.revocationDate = revocationDate
        self.revocationReason = revocationReason
        self.revocationType = revocationType
        self.eligibleWinBackOfferIDs = eligibleWinBackOfferIDs
        self.details = details
        self.nextStep = nextStep
    }

    private enum CodingKeys: String, CodingKey {
        case subscriptionGroupIdentifier, status, hasAccess, accessUntil, purchaseDate, expiresDate, willRenew,
            expirationIntent, isInBillingRetry, gracePeriodExpiresDate, ownership, offerType, offerIdentifier,
            offerDiscountType, priceIncreaseStatus, revocationDate, revocationReason, revocationType, details, nextStep
        case originalTransactionID = "originalTransactionId"
        case transactionID = "transactionId"
        case productID = "productId"
        case autoRenewProductID = "autoRenewProductId"
        case eligibleWinBackOfferIDs = "eligibleWinBackOfferIds"
    }
}
