public import AppStoreModels
public import Foundation

/// The content of one signed renewal info, as far as it determines access and offers.
public struct RenewalFact: Sendable, Hashable {
    /// `originalTransactionId`, which identifies the subscription.
    public var originalTransactionID: String
    /// `productId`, the product of the current or last period.
    public var productID: String
    /// `autoRenewProductId`, the product of the next renewal.
    public var autoRenewProductID: String
    /// Whether it will renew: `autoRenewStatus` is not 0. A value that is unknown today does not say that the customer
    /// turned renewal off.
    public var willRenew: Bool
    /// `expirationIntent`, why the subscription ended.
    public var expirationIntent: ExpirationIntent?
    /// `isInBillingRetryPeriod`; false if it is absent.
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
    /// `signedDate`; for a receipt the date of the `verifyReceipt` response.
    public var signedDate: Date

    /// Creates a fact. Omitted values are absent.
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

    /// Whether the subscription ended for a reason other than the payment, so that the App Store does not try to charge.
    /// Apple does not document the renewal status after such an end.
    package var hasEnded: Bool { expirationIntent.map { $0 != .billingError } ?? false }

    /// Creates a fact from a renewal info of the App Store.
    package init(_ payload: JWSRenewalInfoDecodedPayload) {
        self.init(
            originalTransactionID: payload.originalTransactionId, productID: payload.productId,
            autoRenewProductID: payload.autoRenewProductId, willRenew: payload.autoRenewStatus != .off,
            expirationIntent: payload.expirationIntent, isInBillingRetry: payload.isInBillingRetryPeriod ?? false,
            gracePeriodExpiresDate: payload.gracePeriodExpiresDate, priceIncreaseStatus: payload.priceIncreaseStatus,
            offerType: payload.offerType, offerIdentifier: payload.offerIdentifier,
            eligibleWinBackOfferIDs: payload.eligibleWinBackOfferIds ?? [], renewalDate: payload.renewalDate,
            signedDate: payload.signedDate)
    }
}
