public import AppStoreModels
public import Foundation

/// One in-app purchase of a unified receipt, in its state at the receipt's creation.
public struct InAppPurchase: Sendable, Hashable {
    /// Attribute 1701: the quantity; nil when absent.
    public let quantity: Int64?

    /// Attribute 1702: the product identifier.
    public let productID: String

    /// Attribute 1703: the transaction identifier.
    public let transactionID: String

    /// Attribute 1704: when it was bought, renewed or restored.
    public let purchaseDate: Date

    /// Attribute 1705: the original transaction of the subscription or the restored purchase. Nil in Xcode receipts,
    /// which do not contain it; ``transactionID`` is not substituted.
    public let originalTransactionID: String?

    /// Attribute 1706: when the original transaction was made. In old sandbox renewals it is later than
    /// ``purchaseDate``.
    public let originalPurchaseDate: Date?

    /// Attribute 1707: the product type. Nil in Xcode receipts.
    public let productType: ReceiptProductType?

    /// Attribute 1708: when the subscription period ends; nil for other products.
    public let expirationDate: Date?

    /// Attribute 1710: the product's Apple ID. Zero in sandbox receipts.
    public let productAppleID: Int64?

    /// Attribute 1711: the identifier of the subscription period; nil for other products, for which the receipt
    /// contains 0.
    public let webOrderLineItemID: Int64?

    /// Attribute 1712: when Apple refunded or revoked the purchase. Treat such a purchase as if it had never been made.
    public let cancellationDate: Date?

    /// Attribute 1713: whether the period is a free trial; nil when absent.
    public let isTrialPeriod: Bool?

    /// Attribute 1719: whether the period has an introductory price; nil when absent.
    public let isInIntroductoryOfferPeriod: Bool?

    /// Attribute 1720: 1 for an issue with the app, 0 for another reason.
    public let cancellationReason: Int64?

    /// Attribute 1721: the promotional offer that was redeemed.
    public let promotionalOfferID: String?

    /// The attributes without a property above, and those with a value of an unexpected type, in file order.
    public let otherAttributes: [ReceiptAttribute]

    /// Creates a purchase with these values, for tests.
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

extension InAppPurchase {
    /// The purchase of a transaction receipt, without its web order line item, which is a text there.
    package init(_ receipt: LegacyReceipt) {
        self.init(
            quantity: receipt.quantity, productID: receipt.productID, transactionID: receipt.transactionID,
            purchaseDate: receipt.purchaseDate, originalTransactionID: receipt.originalTransactionID,
            originalPurchaseDate: receipt.originalPurchaseDate, expirationDate: receipt.expirationDate,
            productAppleID: receipt.itemID.flatMap { Int64($0) }, isTrialPeriod: receipt.isTrialPeriod,
            isInIntroductoryOfferPeriod: receipt.isInIntroductoryOfferPeriod)
    }
}

/// The type of an in-app product: attribute 1707.
public struct ReceiptProductType: OpenEnumeration {
    /// The number in the receipt.
    public let rawValue: Int64

    /// Creates a type from its number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// A product that is bought once and does not expire.
    public static let nonConsumable = Self(rawValue: 0)
    /// A product that can be used up and bought again.
    public static let consumable = Self(rawValue: 1)
    /// A subscription that does not renew automatically.
    public static let nonRenewingSubscription = Self(rawValue: 2)
    /// A subscription that renews automatically.
    public static let autoRenewableSubscription = Self(rawValue: 3)
    /// A free subscription, as used by Newsstand.
    public static let freeSubscription = Self(rawValue: 4)
}
