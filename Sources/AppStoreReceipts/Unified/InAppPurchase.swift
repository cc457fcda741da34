public import Foundation

/// One in-app purchase of a unified receipt, as of the receipt's creation.
public struct InAppPurchase: Sendable, Hashable {
    /// Attribute 1701: how many were bought; nil when absent.
    public let quantity: Int64?

    /// Attribute 1702: the product.
    public let productID: String

    /// Attribute 1703: the transaction.
    public let transactionID: String

    /// Attribute 1704: when it was bought, renewed or restored.
    public let purchaseDate: Date

    /// Attribute 1705: the first transaction of the subscription or the restored purchase. Nil in Xcode receipts, which
    /// do not have it; it is not replaced by ``transactionID``.
    public let originalTransactionID: String?

    /// Attribute 1706: when the original transaction was made. Old sandbox renewals have it after ``purchaseDate``.
    public let originalPurchaseDate: Date?

    /// Attribute 1707: the kind of product. Nil in Xcode receipts.
    public let productType: ReceiptProductType?

    /// Attribute 1708: when the subscription period ends; nil for other products.
    public let expirationDate: Date?

    /// Attribute 1710: the product's Apple ID. Zero in sandbox receipts.
    public let productAppleID: Int64?

    /// Attribute 1711: the subscription period in the store's books; nil for other products, where the receipt has 0.
    public let webOrderLineItemID: Int64?

    /// Attribute 1712: when Apple refunded or revoked the purchase. Such a purchase counts as never made.
    public let cancellationDate: Date?

    /// Attribute 1713: whether the period is a free trial; nil when absent.
    public let isTrialPeriod: Bool?

    /// Attribute 1719: whether the period is one at an introductory price; nil when absent.
    public let isInIntroductoryOfferPeriod: Bool?

    /// Attribute 1720: 1 for a problem with the app, 0 for another reason.
    public let cancellationReason: Int64?

    /// Attribute 1721: the promotional offer that was redeemed.
    public let promotionalOfferID: String?

    /// The attributes without a property above, and those whose value was not of the expected kind, in file order.
    public let otherAttributes: [ReceiptAttribute]

    /// A purchase with these values, as a test needs one; readers of receipts make the others.
    public init(
        quantity: Int64? = nil, productID: String, transactionID: String, purchaseDate: Date,
        originalTransactionID: String? = nil, originalPurchaseDate: Date? = nil, productType: ReceiptProductType? = nil,
        expirationDate: Date? = nil, productAppleID: Int64? = nil, webOrderLineItemID: Int64? = nil,
        cancellationDate: Date? = nil, isTrialPeriod: Bool? = nil, isInIntroductoryOfferPeriod: Bool? = nil,
        cancellationReason: Int64? = nil, promotionalOfferID: String? = nil, otherAttributes: [ReceiptAttribute] = []
    ) {
        self.quantity = quantity
        self.productID = productID
        self.transactionID = transactionID
        self.purchaseDate = purchaseDate
        self.originalTransactionID = originalTransactionID
        self.originalPurchaseDate = originalPurchaseDate
        self.productType = productType
        self.expirationDate = expirationDate
        self.productAppleID = productAppleID
        self.webOrderLineItemID = webOrderLineItemID
        self.cancellationDate = cancellationDate
        self.isTrialPeriod = isTrialPeriod
        self.isInIntroductoryOfferPeriod = isInIntroductoryOfferPeriod
        self.cancellationReason = cancellationReason
        self.promotionalOfferID = promotionalOfferID
        self.otherAttributes = otherAttributes
    }
}

/// The kind of an in-app product: attribute 1707.
public struct ReceiptProductType: RawRepresentable, Hashable, Sendable, Codable {
    /// The number in the receipt.
    public let rawValue: Int64

    /// A kind by its number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Bought once, kept.
    public static let nonConsumable = Self(rawValue: 0)
    /// Used up.
    public static let consumable = Self(rawValue: 1)
    /// A subscription that does not renew itself.
    public static let nonRenewingSubscription = Self(rawValue: 2)
    /// A subscription that renews itself.
    public static let autoRenewableSubscription = Self(rawValue: 3)
    /// A free subscription, as Newsstand had it.
    public static let freeSubscription = Self(rawValue: 4)
}
