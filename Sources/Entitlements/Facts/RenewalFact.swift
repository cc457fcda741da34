public import AppStoreModels
public import Foundation

/// What one signed renewal info says that decides about access and about what to offer: the input of the fold.
public struct RenewalFact: Sendable, Hashable {
    /// `originalTransactionId`, the key of the subscription.
    public var originalTransactionID: String
    /// `productId`, the product that runs or ran last.
    public var productID: String
    /// `autoRenewProductId`, the product of the next renewal.
    public var autoRenewProductID: String
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
    public var eligibleWinBackOfferIDs: [String]
    /// `renewalDate`.
    public var renewalDate: Date?
    /// `signedDate`; for a receipt the date of its creation.
    public var signedDate: Date

    /// States a fact. What is not given is absent.
    public init(
        originalTransactionID: String, productID: String, autoRenewProductID: String, willRenew: Bool,
        expirationIntent: ExpirationIntent? = nil, isInBillingRetry: Bool = false,
        gracePeriodExpiresDate: Date? = nil, priceIncreaseStatus: PriceIncreaseStatus? = nil,
        offerType: OfferType? = nil, offerIdentifier: String? = nil, eligibleWinBackOfferIDs: [String] = [],
        renewalDate: Date? = nil, signedDate: Date
    ) {
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.autoRenewProductID = autoRenewProductID
        self.willRenew = willRenew
        self.expirationIntent = expirationIntent
        self.isInBillingRetry = isInBillingRetry
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.priceIncreaseStatus = priceIncreaseStatus
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.eligibleWinBackOfferIDs = eligibleWinBackOfferIDs
        self.renewalDate = renewalDate
        self.signedDate = signedDate
    }

    /// What a renewal info of the App Store says.
    package init(_ payload: JWSRenewalInfoDecodedPayload) {
        self.init(
            originalTransactionID: payload.originalTransactionId, productID: payload.productId,
            autoRenewProductID: payload.autoRenewProductId, willRenew: payload.autoRenewStatus == .on,
            expirationIntent: payload.expirationIntent, isInBillingRetry: payload.isInBillingRetryPeriod ?? false,
            gracePeriodExpiresDate: payload.gracePeriodExpiresDate, priceIncreaseStatus: payload.priceIncreaseStatus,
            offerType: payload.offerType, offerIdentifier: payload.offerIdentifier,
            eligibleWinBackOfferIDs: payload.eligibleWinBackOfferIds ?? [], renewalDate: payload.renewalDate,
            signedDate: payload.signedDate)
    }
}
