public import AppStoreModels
public import Foundation

/// The state of a purchase that is not an auto-renewable subscription, at an instant.
public struct PurchaseState: Sendable, Hashable, Encodable {
    /// The transaction.
    public var transactionID: String
    /// The original transaction of the purchase, usually the same.
    public var originalTransactionID: String
    /// The product.
    public var productID: String
    /// The kind of product.
    public var type: ProductType
    /// The quantity that was bought.
    public var quantity: Int32
    /// When the purchase was made.
    public var purchaseDate: Date
    /// Whether it was bought, shared or assigned.
    public var ownership: InAppOwnershipType
    /// Whether the app should give access. Always false for consumables and for unknown product types.
    public var hasAccess: Bool
    /// When the duration in the catalogue ends or ended; nil if the purchase does not end.
    public var endDate: Date?
    /// The type of the offer it was bought with.
    public var offerType: OfferType?
    /// The identifier of that offer.
    public var offerIdentifier: String?
    /// When it was refunded or revoked.
    public var revocationDate: Date?
    /// The reason for the refund or revocation.
    public var revocationReason: RevocationReason?
    /// Whether it was a full refund, a partial refund, or the end of sharing or of an assignment.
    public var revocationType: RevocationType?
    /// The reasons for the state.
    public var details: [StateDetail]

    /// Creates a state with these values, for tests. ``EntitlementEngine`` creates all others.
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

/// The quantity of a consumable product that was bought. Not an entitlement: only the app knows how much is left.
public struct ConsumableTotals: Sendable, Hashable, Encodable {
    /// The product.
    public var productID: String
    /// The number of transactions, revoked or not.
    public var purchases: Int
    /// The quantity that was bought in these transactions, revoked or not.
    public var quantity: Int
    /// The quantity in transactions that were refunded, in whole or in part, or revoked.
    public var revokedQuantity: Int

    /// Creates a state with these values, for tests. ``EntitlementEngine`` creates all others.
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
