public import Foundation

/// The payload of a signed renewal info (`signedRenewalInfo`): how a subscription will continue. Apple's page:
/// `JWSRenewalInfoDecodedPayload`.
///
/// It does not name its app. Only the transaction or notification beside it does.
public struct JWSRenewalInfoDecodedPayload: Sendable, Hashable, Codable {
    /// The original transaction of the subscription.
    public var originalTransactionId: String
    /// The customer's current product.
    public var productId: String
    /// The product of the next renewal.
    public var autoRenewProductId: String
    /// Whether it will renew.
    public var autoRenewStatus: AutoRenewStatus
    /// Why the subscription expired. Expired subscriptions only.
    public var expirationIntent: ExpirationIntent?
    /// True while the App Store retries the payment of an expired subscription.
    public var isInBillingRetryPeriod: Bool?
    /// When the billing grace period ends.
    public var gracePeriodExpiresDate: Date?
    /// The customer's response to a price increase.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// The type of the offer that applies to the next renewal.
    public var offerType: OfferType?
    /// The offer code or the identifier of that offer.
    public var offerIdentifier: String?
    /// The payment mode of that offer.
    public var offerDiscountType: OfferDiscountType?
    /// The duration of that offer, ISO 8601.
    public var offerPeriod: String?
    /// The win-back offers for which the customer is eligible, best first; none during billing retry or a grace period.
    public var eligibleWinBackOfferIds: [String]?
    /// When the latest purchase expires.
    public var renewalDate: Date?
    /// The price of the next renewal after the offer, in thousandths of the currency unit.
    public var renewalPrice: Int64?
    /// The currency of `renewalPrice`, ISO 4217.
    public var currency: String?
    /// When the latest continuous run of the subscription began. Gaps of up to 60 days (sandbox: 10 minutes) are
    /// ignored; grace periods and billing retry count as gaps. Absent in older data.
    public var recentSubscriptionStartDate: Date?
    /// The account token of the next renewal. A text that is not a UUID decodes as `nil`.
    public var appAccountToken: UUID?
    /// The identifier of the customer's download of the app.
    public var appTransactionId: String?
    /// The environment.
    public var environment: AppStoreEnvironment
    /// When Apple signed the payload. Of two payloads for one subscription, the later one is current.
    public var signedDate: Date
    /// Advanced Commerce subscriptions only.
    public var advancedCommerceInfo: AdvancedCommerceRenewalInfo?
    /// The next 12-month commitment (1.21).
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
