public import AppStoreModels
internal import AppStoreTrust
public import Foundation

/// A transaction receipt in the style of iOS 6: one purchase, signed in its own format.
///
/// Only the purchase information is signed. Everything outside the signature is in ``unsigned``.
public struct LegacyReceipt: Sendable, Hashable {
    /// The bundle identifier: `bid`.
    public let bundleID: String

    /// The app's version: `bvrs`.
    public let version: String?

    /// The product identifier: `product-id`.
    public let productID: String

    /// The product's Apple ID: `item-id`.
    public let itemID: String?

    /// The quantity: `quantity`.
    public let quantity: Int64?

    /// The transaction identifier: `transaction-id`.
    public let transactionID: String

    /// The original transaction of the subscription or the restored purchase: `original-transaction-id`.
    public let originalTransactionID: String?

    /// When it was bought: `purchase-date-ms`, or else `purchase-date`. Certificates are verified as of this instant.
    public let purchaseDate: Date

    /// When the original transaction was made. It may be some seconds after ``purchaseDate``.
    public let originalPurchaseDate: Date?

    /// When the subscription period ends: `expires-date`, in milliseconds.
    public let expirationDate: Date?

    /// The app's Apple ID: `app-item-id`. Absent in receipts of the test environment.
    public let appItemID: String?

    /// The revision of the app: `version-external-identifier`. Absent in receipts of the test environment.
    public let versionExternalIdentifier: String?

    /// The identifier of the subscription period: `web-order-line-item-id`.
    public let webOrderLineItemID: String?

    /// Whether the period is a free trial: `is-trial-period`.
    public let isTrialPeriod: Bool?

    /// Whether the period has an introductory price: `is-in-intro-offer-period`.
    public let isInIntroductoryOfferPeriod: Bool?

    /// The identifier for vendor of the device: `unique-vendor-identifier`. Personal data.
    public let uniqueVendorIdentifier: UUID?

    /// All keys of the purchase information, in file order.
    public let fields: [Field]

    /// The values outside the signature, which anyone can change.
    public let unsigned: Unsigned

    /// A key of the purchase information and its value.
    public struct Field: Sendable, Hashable {
        /// The key, such as `transaction-id`.
        public let key: String
        /// The value.
        public let value: String

        /// Creates a field.
        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The values beside the signed purchase information. Anyone can change them.
    public struct Unsigned: Sendable, Hashable {
        /// `Sandbox`, or nil, which stands for production.
        public let environment: String?
        /// The part of the App Store that created the receipt.
        public let pod: String?
        /// `0` in all genuine receipts.
        public let signingStatus: String?

        /// Creates unsigned values. Omitted values are absent.
        public init(environment: String? = nil, pod: String? = nil, signingStatus: String? = nil) {
            self.environment = environment
            self.pod = pod
            self.signingStatus = signingStatus
        }
    }

    /// Creates a receipt with these values, for tests.
    public init(
        bundleID: String, version: String? = nil, productID: String, itemID: String? = nil, quantity: Int64? = nil,
        transactionID: String, originalTransactionID: String? = nil, purchaseDate: Date,
        originalPurchaseDate: Date? = nil, expirationDate: Date? = nil, appItemID: String? = nil,
        versionExternalIdentifier: String? = nil, webOrderLineItemID: String? = nil, isTrialPeriod: Bool? = nil,
        isInIntroductoryOfferPeriod: Bool? = nil, uniqueVendorIdentifier: UUID? = nil, fields: [Field] = [],
        unsigned: Unsigned = Unsigned()
    ) {
        self.bundleID = bundleID
        self.version = version
        self.productID = productID
        self.itemID = itemID
        self.quantity = quantity
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.expirationDate = expirationDate
        self.appItemID = appItemID
        self.versionExternalIdentifier = versionExternalIdentifier
        self.webOrderLineItemID = webOrderLineItemID
        self.isTrialPeriod = isTrialPeriod
        self.isInIntroductoryOfferPeriod = isInIntroductoryOfferPeriod
        self.uniqueVendorIdentifier = uniqueVendorIdentifier
        self.fields = fields
        self.unsigned = unsigned
    }

    /// The environment of the receipt, if the signed fields agree with the unsigned value.
    ///
    /// Anyone can remove the unsigned value from a sandbox receipt. However, only production receipts contain the app's
    /// Apple ID in the signed part. Production therefore requires ``appItemID`` and no other unsigned environment,
    /// sandbox requires the unsigned value `Sandbox` and no ``appItemID``, and everything else is nil.
    public var environment: AppStoreEnvironment? {
        switch (unsigned.environment, appItemID) {
        case (nil, .some), ("Production", .some): .production
        case ("Sandbox", nil): .sandbox
        default: nil
        }
    }
}

extension LegacyReceipt {
    init(_ container: LegacyContainer) throws(VerificationError) {
        let info = try PropertyList(container.purchaseInfo(), "the purchase information")
        guard let bundleID = info["bid"], let productID = info["product-id"],
            let transactionID = info["transaction-id"],
            !bundleID.isEmpty, !productID.isEmpty, !transactionID.isEmpty
        else { throw .malformed("the purchase information lacks the app, the product or the transaction") }
        guard let purchaseDate = info.date("purchase-date") else {
            throw .malformed("the purchase information lacks the purchase date")
        }
        if info["expires-date"].map({ ReceiptDate.parse(milliseconds: $0) == nil }) == true {
            throw .malformed("the expiration date of the purchase cannot be read")
        }
        self.bundleID = bundleID
        self.productID = productID
        self.transactionID = transactionID
        self.purchaseDate = purchaseDate
        version = info["bvrs"]
        itemID = info["item-id"]
        quantity = info["quantity"].flatMap { Int64($0) }
        originalTransactionID = info["original-transaction-id"]
        originalPurchaseDate = info.date("original-purchase-date")
        expirationDate = info["expires-date"].flatMap { ReceiptDate.parse(milliseconds: $0) }
        appItemID = info["app-item-id"]
        versionExternalIdentifier = info["version-external-identifier"]
        webOrderLineItemID = info["web-order-line-item-id"]
        isTrialPeriod = info["is-trial-period"].map { $0 == "true" }
        isInIntroductoryOfferPeriod = info["is-in-intro-offer-period"].map { $0 == "true" }
        uniqueVendorIdentifier = info["unique-vendor-identifier"].flatMap { UUID(text: $0) }
        fields = info.entries
        unsigned = Unsigned(
            environment: container.list["environment"], pod: container.list["pod"],
            signingStatus: container.list["signing-status"])
    }
}

extension PropertyList {
    fileprivate func date(_ key: String) -> Date? {
        self[key + "-ms"].flatMap { ReceiptDate.parse(milliseconds: $0) }
            ?? self[key].flatMap(ReceiptDate.parseFormatted)
    }
}
