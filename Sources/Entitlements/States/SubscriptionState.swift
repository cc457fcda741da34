public import AppStoreModels
public import Foundation

/// An auto-renewable subscription at an instant: own or shared, running or ended.
public struct SubscriptionState: Sendable, Hashable, Encodable {
    /// The first transaction, which is the key of the subscription.
    public var originalTransactionID: String
    /// The transaction of the current period, or of the last one.
    public var transactionID: String
    /// The product of that transaction.
    public var productID: String
    /// The group; nil where neither a fact names it nor the catalogue. An app receipt does not.
    public var subscriptionGroupIdentifier: String?
    /// The status, as the App Store Server API would give it.
    public var status: SubscriptionStatus
    /// Whether the app should give access: the status is active, or in the billing grace period.
    public var hasAccess: Bool
    /// When access ends unless something happens: the end of the period or of grace. Nil without access.
    public var accessUntil: Date?
    /// When the period was bought or begins.
    public var purchaseDate: Date
    /// When the period ends, or ended.
    public var expiresDate: Date?
    /// Whether it will renew; nil if no renewal info says so for this period.
    public var willRenew: Bool?
    /// What it will renew into; nil as above.
    public var autoRenewProductID: String?
    /// Why it ended.
    public var expirationIntent: ExpirationIntent?
    /// Whether the App Store is trying to charge.
    public var isInBillingRetry: Bool
    /// When the billing grace period ends, as the renewal info has it: it may be over.
    public var gracePeriodExpiresDate: Date?
    /// Whether it was bought, shared or assigned.
    public var ownership: InAppOwnershipType
    /// The kind of offer that the period is part of.
    public var offerType: OfferType?
    /// The identifier of that offer.
    public var offerIdentifier: String?
    /// How that offer is paid.
    public var offerDiscountType: OfferDiscountType?
    /// What the customer said to a price increase.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// When the period was refunded or revoked.
    public var revocationDate: Date?
    /// Why.
    public var revocationReason: RevocationReason?
    /// Whether it was a refund, of all or of a part, or the end of sharing.
    public var revocationType: RevocationType?
    /// The win-back offers the customer may have, the best first.
    public var eligibleWinBackOfferIDs: [String]
    /// What there is to say about the status.
    public var details: [StateDetail]
    /// What to ask or to offer.
    public var nextStep: NextStep

    /// A state with these values, as a test needs one; the engine makes the others.
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
