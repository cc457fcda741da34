internal import AppStoreTrust
public import Foundation

/// A transaction receipt as iOS 6 had it: one purchase, signed in a format of its own.
///
/// Only the purchase information is signed. What lies outside of the signature is in ``unsigned`` and nowhere else.
public struct LegacyReceipt: Sendable, Hashable {
    /// The bundle identifier: `bid`.
    public let bundleID: String

    /// The app's version: `bvrs`.
    public let version: String?

    /// The product: `product-id`.
    public let productID: String

    /// The product's Apple ID: `item-id`.
    public let itemID: String?

    /// How many were bought: `quantity`.
    public let quantity: Int64?

    /// The transaction: `transaction-id`.
    public let transactionID: String

    /// The first transaction of the subscription or the restored purchase: `original-transaction-id`.
    public let originalTransactionID: String?

    /// When it was bought: `purchase-date-ms`, else `purchase-date`. Certificates are judged as of this instant.
    public let purchaseDate: Date

    /// When the original transaction was made. It can lie seconds after ``purchaseDate``.
    public let originalPurchaseDate: Date?

    /// When the subscription period ends: `expires-date`, in milliseconds here.
    public let expirationDate: Date?

    /// The app's Apple ID: `app-item-id`. Receipts made in the test environment do not have it.
    public let appItemID: String?

    /// The revision of the app: `version-external-identifier`. Receipts made in the test environment do not have it.
    public let versionExternalIdentifier: String?

    /// The subscription period in the store's books: `web-order-line-item-id`.
    public let webOrderLineItemID: String?

    /// Whether the period is a free trial: `is-trial-period`.
    public let isTrialPeriod: Bool?

    /// Whether the period is one at an introductory price: `is-in-intro-offer-period`.
    public let isInIntroductoryOfferPeriod: Bool?

    /// The identifier for the vendor on the device: `unique-vendor-identifier`. Personal data.
    public let uniqueVendorIdentifier: UUID?

    /// All keys of the purchase information, in file order.
    public let fields: [Field]

    /// What a copy of the receipt can change without breaking the signature.
    public let unsigned: Unsigned

    /// A key of the purchase information and its text.
    public struct Field: Sendable, Hashable {
        /// The key, such as `transaction-id`.
        public let key: String
        /// The text.
        public let value: String

        /// A key and its text.
        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// What stands beside the signed purchase information. Anyone can have written it.
    public struct Unsigned: Sendable, Hashable {
        /// `Sandbox`, or nil, which is meant to say production.
        public let environment: String?
        /// The part of the store that made the receipt.
        public let pod: String?
        /// `0` in all genuine receipts.
        public let signingStatus: String?

        /// What somebody wrote; what is not given is absent.
        public init(environment: String? = nil, pod: String? = nil, signingStatus: String? = nil) {
            self.environment = environment
            self.pod = pod
            self.signingStatus = signingStatus
        }
    }

    /// A receipt with these values, as a test needs one; readers of receipts make the others.
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

    /// Where the receipt was made, as far as signed fields do not contradict the unsigned statement.
    ///
    /// Whoever holds a sandbox receipt can remove the line that says so. But the store leaves the app's Apple ID out of
    /// the signed part in the sandbox, so: production needs ``appItemID`` and no contrary statement, sandbox needs the
    /// statement and no ``appItemID``, and everything else is nil.
    public var environment: ReceiptEnvironment? {
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
        uniqueVendorIdentifier = info["unique-vendor-identifier"].flatMap { UUID(uuidString: $0) }
        fields = info.entries.map { Field(key: $0.key, value: $0.value) }
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
