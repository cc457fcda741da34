public import AppStoreModels
public import Foundation

/// A purchase that is no auto-renewable subscription, at an instant.
public struct PurchaseState: Sendable, Hashable, Encodable {
    /// The transaction.
    public var transactionID: String
    /// The first transaction of the purchase, usually the same.
    public var originalTransactionID: String
    /// The product.
    public var productID: String
    /// The kind of product.
    public var type: ProductType
    /// How many were bought.
    public var quantity: Int32
    /// When.
    public var purchaseDate: Date
    /// Whether it was bought, shared or assigned.
    public var ownership: InAppOwnershipType
    /// Whether the app should give access. Never for a consumable, nor for a kind of product unknown today.
    public var hasAccess: Bool
    /// When the time that the catalogue gives is over, or was; nil for what does not end.
    public var endDate: Date?
    /// The kind of offer it was bought with.
    public var offerType: OfferType?
    /// The identifier of that offer.
    public var offerIdentifier: String?
    /// When it was refunded or revoked.
    public var revocationDate: Date?
    /// Why.
    public var revocationReason: RevocationReason?
    /// Whether it was a refund, of all or of a part, or the end of sharing.
    public var revocationType: RevocationType?
    /// What there is to say about it.
    public var details: [StateDetail]

    /// A state with these values, as a test needs one; the engine makes the others.
    public init(
        transactionID: String, originalTransactionID: String, productID: String, type: ProductType, quantity: Int32 = 1,
        purchaseDate: Date, ownership: InAppOwnershipType, hasAccess: Bool, endDate: Date? = nil,
        offerType: OfferType? = nil, offerIdentifier: String? = nil, revocationDate: Date? = nil,
        revocationReason: RevocationReason? = nil, revocationType: RevocationType? = nil, details: [StateDetail] = []
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.productID = productID
        self.type = type
        self.quantity = quantity
        self.purchaseDate = purchaseDate
        self.ownership = ownership
        self.hasAccess = hasAccess
        self.endDate = endDate
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.revocationDate = revocationDate
        self.revocationReason = revocationReason
        self.revocationType = revocationType
        self.details = details
    }

    private enum CodingKeys: String, CodingKey {
        case type, quantity, purchaseDate, ownership, hasAccess, endDate, offerType, offerIdentifier, revocationDate,
            revocationReason, revocationType, details
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
        case productID = "productId"
    }
}

/// What was bought of a consumable product. It is no entitlement: what is left of it only the app knows.
public struct ConsumableBalance: Sendable, Hashable, Encodable {
    /// The product.
    public var productID: String
    /// The number of transactions, revoked or not.
    public var purchases: Int
    /// How many were bought with them, revoked or not.
    public var quantity: Int
    /// How many of those were refunded, in whole or in part, or revoked.
    public var revokedQuantity: Int

    /// A state with these values, as a test needs one; the engine makes the others.
    public init(
        productID: String, purchases: Int, quantity: Int, revokedQuantity: Int = 0
    ) {
        self.productID = productID
        self.purchases = purchases
        self.quantity = quantity
        self.revokedQuantity = revokedQuantity
    }

    private enum CodingKeys: String, CodingKey {
        case purchases, quantity, revokedQuantity
        case productID = "productId"
    }
}
