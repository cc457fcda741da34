public import Foundation

/// What a signed renewal info (`signedRenewalInfo`) says: how a subscription will go on.
/// Apple's page: `JWSRenewalInfoDecodedPayload`.
///
/// It names no app. Only the transaction or notification it came with says which app it belongs to.
public struct JWSRenewalInfoDecodedPayload: Sendable, Hashable, Codable {
    /// The subscription: the first transaction of the chain.
    public var originalTransactionId: String
    /// The product the customer has now.
    public var productId: String
    /// The product the subscription will renew to.
    public var autoRenewProductId: String
    /// Whether it will renew.
    public var autoRenewStatus: AutoRenewStatus
    /// Why it expired. Expired subscriptions only.
    public var expirationIntent: ExpirationIntent?
    /// True while the App Store tries to renew an expired subscription.
    public var isInBillingRetryPeriod: Bool?
    /// When the billing grace period ends.
    public var gracePeriodExpiresDate: Date?
    /// What the customer said to a price increase.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// The kind of the offer that applies to the next renewal.
    public var offerType: OfferType?
    /// The offer code or the identifier of that offer.
    public var offerIdentifier: String?
    /// How the customer pays during that offer.
    public var offerDiscountType: OfferDiscountType?
    /// How long that offer lasts, ISO 8601.
    public var offerPeriod: String?
    /// The win-back offers the customer may have, best first; never during billing retry or grace.
    public var eligibleWinBackOfferIds: [String]?
    /// When the latest purchase expires.
    public var renewalDate: Date?
    /// What the next renewal will cost, in thousandths of the currency unit, offer included.
    public var renewalPrice: Int64?
    /// The currency of `renewalPrice`, ISO 4217.
    public var currency: String?
    /// When the latest run of the subscription began; gaps of up to 60 days (sandbox: 10 minutes) do not count, and
    /// grace and retry count as gaps. Absent in older data.
    public var recentSubscriptionStartDate: Date?
    /// The account link that the next renewal will carry. A text that is no UUID reads as `nil`.
    public var appAccountToken: UUID?
    /// The customer's download of the app.
    public var appTransactionId: String?
    /// The environment.
    public var environment: AppStoreEnvironment
    /// When Apple signed this. Of two payloads for one subscription the later one is right.
    public var signedDate: Date
    /// Advanced Commerce subscriptions only.
    public var advancedCommerceInfo: AdvancedCommerceRenewalInfo?
    /// What follows a 12-month commitment (1.21).
    public var commitmentInfo: RenewalCommitmentInfo?
    /// How the next commitment will be billed (1.21).
    public var renewalBillingPlanType: RenewalBillingPlanType?

    /// Creates the value from its parts.
    public init(
        originalTransactionId: String, productId: String, autoRenewProductId: String, autoRenewStatus: AutoRenewStatus,
        expirationIntent: ExpirationIntent? = nil, isInBillingRetryPeriod: Bool? = nil,
        gracePeriodExpiresDate: Date? = nil, priceIncreaseStatus: PriceIncreaseStatus? = nil,
        offerType: OfferType? = nil, offerIdentifier: String? = nil, offerDiscountType: OfferDiscountType? = nil,
        offerPeriod: String? = nil, eligibleWinBackOfferIds: [String]? = nil, renewalDate: Date? = nil,
        renewalPrice: Int64? = nil, currency: String? = nil, recentSubscriptionStartDate: Date? = nil,
        appAccountToken: UUID? = nil, appTransactionId: String? = nil, environment: AppStoreEnvironment,
        signedDate: Date, advancedCommerceInfo: AdvancedCommerceRenewalInfo? = nil,
        commitmentInfo: RenewalCommitmentInfo? = nil, renewalBillingPlanType: RenewalBillingPlanType? = nil
    ) {
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.autoRenewProductId = autoRenewProductId
        self.autoRenewStatus = autoRenewStatus
        self.expirationIntent = expirationIntent
        self.isInBillingRetryPeriod = isInBillingRetryPeriod
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.priceIncreaseStatus = priceIncreaseStatus
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.offerDiscountType = offerDiscountType
        self.offerPeriod = offerPeriod
        self.eligibleWinBackOfferIds = eligibleWinBackOfferIds
        self.renewalDate = renewalDate
        self.renewalPrice = renewalPrice
        self.currency = currency
        self.recentSubscriptionStartDate = recentSubscriptionStartDate
        self.appAccountToken = appAccountToken
        self.appTransactionId = appTransactionId
        self.environment = environment
        self.signedDate = signedDate
        self.advancedCommerceInfo = advancedCommerceInfo
        self.commitmentInfo = commitmentInfo
        self.renewalBillingPlanType = renewalBillingPlanType
    }

    enum CodingKeys: String, SignedPayloadKey {
        case originalTransactionId, productId, autoRenewProductId, autoRenewStatus, expirationIntent,
            isInBillingRetryPeriod, gracePeriodExpiresDate, priceIncreaseStatus, offerType, offerIdentifier,
            offerDiscountType, offerPeriod, eligibleWinBackOfferIds, renewalDate, renewalPrice, currency,
            recentSubscriptionStartDate, appAccountToken, appTransactionId, environment, signedDate,
            advancedCommerceInfo,
            commitmentInfo, renewalBillingPlanType
    }
}
