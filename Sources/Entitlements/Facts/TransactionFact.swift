public import AppStoreModels
public import Foundation

/// What one signed transaction says that decides about access, the input of the fold, and what was paid for it.
///
/// A fact is made of a verified `JWSTransactionDecodedPayload`, of a validated receipt, or of a row of a ledger. The same
/// transaction signed at several times gives several facts; ``CustomerFacts`` says which counts.
public struct TransactionFact: Sendable, Hashable {
    /// `transactionId`, new with every purchase and renewal.
    public var transactionID: String
    /// `originalTransactionId`, the key of a subscription or of another purchase: its first transaction.
    public var originalTransactionID: String
    /// `productId`.
    public var productID: String
    /// `type`.
    public var type: ProductType
    /// `purchaseDate`.
    public var purchaseDate: Date
    /// `expiresDate`; nil for what does not end by itself.
    public var expiresDate: Date?
    /// `subscriptionGroupIdentifier`; nil for what is no auto-renewable subscription, and for receipts, which do not say.
    public var subscriptionGroupIdentifier: String?
    /// `signedDate`; for a receipt the date of its creation.
    public var signedDate: Date
    /// `revocationDate`.
    public var revocationDate: Date?
    /// `revocationReason`.
    public var revocationReason: RevocationReason?
    /// `revocationType`.
    public var revocationType: RevocationType?
    /// `isUpgraded`; false where it is absent.
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
    /// `previousOriginalTransactionId`, the subscription that this one goes on with; nil unless it was migrated.
    public var previousOriginalTransactionID: String?
    /// `price`, in thousandths of ``currency``: of the whole quantity, after an offer. Nil where it was not signed, as in
    /// receipts.
    public var price: Int64?
    /// `currency`, by ISO 4217.
    public var currency: String?
    /// `revocationPercentage`, how much of the price was refunded, in thousandths of a percent; nil for all of it.
    public var revocationPercentage: Int32?
}

extension TransactionFact {
    /// States a fact. What is not given is absent.
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
        // Through the initializer that every struct has: one that sets the properties itself makes the fact twice, and
        // readers of ledgers make many.
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

    /// What a transaction of the App Store says.
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
