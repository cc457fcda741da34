public import AppStoreModels
public import Foundation

/// What one signed renewal info says that decides about access and about what to offer: the input of the fold.
public struct RenewalFact: Sendable, Hashable {
    /// `originalTransactionId`, the key of the subscription.
    public var originalTransactionId: String
    /// `productId`, the product that runs or ran last.
    public var productId: String
    /// `autoRenewProductId`, the product of the next renewal.
    public var autoRenewProductId: String
    /// Whether it will renew: `autoRenewStatus`.
    public var willRenew: Bool
    /// `expirationIntent`, why it ended.
    public var expirationIntent: ExpirationIntent?
    /// `isInBillingRetryPeriod`; false where it is absent.
    public var isInBillingRetry: Bool
    /// `gracePeriodExpiresDate`.
    public var gracePeriodExpiresDate: Date?
    /// `priceIncreaseStatus`.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// `offerType` of the next period.
    public var offerType: OfferType?
    /// `offerIdentifier` of the next period.
    public var offerIdentifier: String?
    /// `eligibleWinBackOfferIds`, the best first.
    public var eligibleWinBackOfferIds: [String]
    /// `renewalDate`.
    public var renewalDate: Date?
    /// `signedDate`; for a receipt the date of its creation.
    public var signedDate: Date

    /// States a fact. What is not given is absent.
    public init(
        originalTransactionId: String, productId: String, autoRenewProductId: String, willRenew: Bool,
        expirationIntent: ExpirationIntent? = nil, isInBillingRetry: Bool = false,
        gracePeriodExpiresDate: Date? = nil, priceIncreaseStatus: PriceIncreaseStatus? = nil,
        offerType: OfferType? = nil, offerIdentifier: String? = nil, eligibleWinBackOfferIds: [String] = [],
        renewalDate: Date? = nil, signedDate: Date
    ) {
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.autoRenewProductId = autoRenewProductId
        self.willRenew = willRenew
        self.expirationIntent = expirationIntent
        self.isInBillingRetry = isInBillingRetry
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.priceIncreaseStatus = priceIncreaseStatus
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.eligibleWinBackOfferIds = eligibleWinBackOfferIds
        self.renewalDate = renewalDate
        self.signedDate = signedDate
    }

    /// What a renewal info of the App Store says.
    package init(_ payload: JWSRenewalInfoDecodedPayload) {
        self.init(
            originalTransactionId: payload.originalTransactionId, productId: payload.productId,
            autoRenewProductId: payload.autoRenewProductId, willRenew: payload.autoRenewStatus == .on,
            expirationIntent: payload.expirationIntent, isInBillingRetry: payload.isInBillingRetryPeriod ?? false,
            gracePeriodExpiresDate: payload.gracePeriodExpiresDate, priceIncreaseStatus: payload.priceIncreaseStatus,
            offerType: payload.offerType, offerIdentifier: payload.offerIdentifier,
            eligibleWinBackOfferIds: payload.eligibleWinBackOfferIds ?? [], renewalDate: payload.renewalDate,
            signedDate: payload.signedDate)
    }
}
