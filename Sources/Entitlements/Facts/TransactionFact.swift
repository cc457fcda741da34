public import AppStoreModels
public import Foundation

/// The content of one signed transaction, as far as it determines access, and its price.
///
/// Create a fact from a verified `JWSTransactionDecodedPayload`, from a validated receipt, or from a row of a ledger. A
/// transaction that was signed several times has several facts; ``CustomerFacts`` describes which of them counts.
public struct TransactionFact: Sendable, Hashable {
    /// `transactionId`, new with every purchase and renewal.
    public var transactionID: String
    /// `originalTransactionId`, the first transaction, which identifies a subscription or another purchase.
    public var originalTransactionID: String
    /// `productId`.
    public var productID: String
    /// `type`.
    public var type: ProductType
    /// `purchaseDate`.
    public var purchaseDate: Date
    /// `expiresDate`; nil if the purchase does not expire.
    public var expiresDate: Date?
    /// `subscriptionGroupIdentifier`; nil for purchases other than auto-renewable subscriptions, and for most receipts.
    public var subscriptionGroupIdentifier: String?
    /// `signedDate`; for a receipt its creation date, or the date of the `verifyReceipt` response.
    public var signedDate: Date
    /// `revocationDate`.
    public var revocationDate: Date?
    /// `revocationReason`.
    public var revocationReason: RevocationReason?
    /// `revocationType`.
    public var revocationType: RevocationType?
    /// `isUpgraded`; false if it is absent.
    public var isUpgraded: Bool
    /// `inAppOwnershipType`.
    public var ownership: InAppOwnershipType
    /// `offerType`.
    public var offerType: OfferType?
    /// `offerIdentifier`.
    public var offerIdentifier: String?
    /// `offerDiscountType`.
    public var offerDiscountType: OfferDiscountType?
    /// `quantity`, at least 1.
    public var quantity: Int32 {
        get { items }
        set { items = max(newValue, 1) }
    }
    private var items: Int32
    /// `transactionReason`.
    public var reason: TransactionReason?
    /// `appAccountToken`.
    public var appAccountToken: UUID?
    /// `appTransactionId`.
    public var appTransactionID: String?
    /// `previousOriginalTransactionId`, the subscription that this one continues; nil unless it was migrated.
    public var previousOriginalTransactionID: String?
    /// `price`, in thousandths of ``currency``, for the whole quantity and after an offer. Nil if it was not signed, as
    /// in receipts.
    public var price: Int64?
    /// `currency`, an ISO 4217 code.
    public var currency: String?
    /// `revocationPercentage`, the refunded share of the price in thousandths of a percent. If it was not signed, as
    /// before December 2025, the whole price counts as refunded, also for `REFUND_PRORATED`.
    public var revocationPercentage: Int32?
}

extension TransactionFact {
    /// Whether this renewal was paid for in advance, and replaced before it began: by a purchase, such as an upgrade, or
    /// by a renewal that was charged later and began earlier, as a tester can cause. Few such transactions are signed
    /// again and say so.
    ///
    /// - Parameter previous: The period of the subscription that began last before this one.
    package func wasReplacedAhead(by previous: TransactionFact) -> Bool {
        guard previous.purchaseDate < purchaseDate, reason != .purchase else { return false }
        let wasCharged = signedDate <= previous.purchaseDate
        let overlaps = previous.expiresDate.map { $0 > purchaseDate } ?? false
        return switch previous.reason {
        // A transaction without a reason may be an upgrade that began, and was replaced by another one later.
        case .purchase?: wasCharged || isUpgraded && reason == .renewal && overlaps
        case .renewal?: wasCharged && overlaps
        default: false
        }
    }

    /// Whether this period was paid for in advance, and refunded or revoked before it began.
    package var wasRefundedAhead: Bool { revocationDate.map { $0 < purchaseDate } ?? false }

    /// Creates a fact. Omitted values are absent.
    public init(
        transactionID: String, originalTransactionID: String, productID: String, type: ProductType, purchaseDate: Date,
        expiresDate: Date? = nil, subscriptionGroupIdentifier: String? = nil, signedDate: Date,
        revocationDate: Date? = nil, revocationReason: RevocationReason? = nil, revocationType: RevocationType? = nil,
        isUpgraded: Bool = false, ownership: InAppOwnershipType = .purchased, offerType: OfferType? = nil,
        offerIdentifier: String? = nil, offerDiscountType: OfferDiscountType? = nil, quantity: Int32 = 1,
        reason: TransactionReason? = nil, appAccountToken: UUID? = nil, appTransactionID: String? = nil,
        previousOriginalTransactionID: String? = nil, price: Int64? = nil, currency: String? = nil,
        revocationPercentage: Int32? = nil
    ) {
        // Delegate to the memberwise initializer: setting each property here would construct the fact twice, and
        // readers of ledgers create many facts.
        self.init(
            transactionID: transactionID, originalTransactionID: originalTransactionID, productID: productID,
            type: type, purchaseDate: purchaseDate, expiresDate: expiresDate,
            subscriptionGroupIdentifier: subscriptionGroupIdentifier, signedDate: signedDate,
            revocationDate: revocationDate, revocationReason: revocationReason, revocationType: revocationType,
            isUpgraded: isUpgraded, ownership: ownership, offerType: offerType, offerIdentifier: offerIdentifier,
            offerDiscountType: offerDiscountType, items: max(quantity, 1), reason: reason,
            appAccountToken: appAccountToken, appTransactionID: appTransactionID,
            previousOriginalTransactionID: previousOriginalTransactionID, price: price, currency: currency,
            revocationPercentage: revocationPercentage)
    }

    /// Creates a fact from a transaction of the App Store.
    package init(_ payload: JWSTransactionDecodedPayload) {
        self.init(
            transactionID: payload.transactionId, originalTransactionID: payload.originalTransactionId,
            productID: payload.productId, type: payload.type, purchaseDate: payload.purchaseDate,
            expiresDate: payload.expiresDate, subscriptionGroupIdentifier: payload.subscriptionGroupIdentifier,
            signedDate: payload.signedDate, revocationDate: payload.revocationDate,
            revocationReason: payload.revocationReason, revocationType: payload.revocationType,
            isUpgraded: payload.isUpgraded ?? false, ownership: payload.inAppOwnershipType,
            offerType: payload.offerType, offerIdentifier: payload.offerIdentifier,
            offerDiscountType: payload.offerDiscountType, quantity: payload.quantity,
            reason: payload.transactionReason, appAccountToken: payload.appAccountToken,
            appTransactionID: payload.appTransactionId,
            previousOriginalTransactionID: payload.previousOriginalTransactionId, price: payload.price,
            currency: payload.currency, revocationPercentage: payload.revocationPercentage)
    }
}

extension TransactionFact {
    /// ``price`` in units of ``currency``, such as 1.99; nil without a price.
    public var decimalPrice: Decimal? { price.map { Decimal(thousandths: $0) } }
}
