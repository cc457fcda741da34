public import Foundation

/// The payload of a signed transaction (`signedTransactionInfo`, `signedTransactions`): one purchase or renewal.
/// Apple's page: `JWSTransactionDecodedPayload`.
///
/// Fields that exist since the first version of the API are never `nil`; data without them do not decode. All later
/// fields are optional, because older signed data remain valid without them.
public struct JWSTransactionDecodedPayload: Sendable, Hashable, Codable {
    /// The transaction identifier. `"0"` in data signed by Xcode.
    public var transactionId: String
    /// The original transaction: the same for all renewals of a subscription.
    public var originalTransactionId: String
    /// The original transaction before the subscription migrated to Advanced Commerce. Documented only; not in Apple's
    /// libraries.
    public var previousOriginalTransactionId: String?
    /// The identifier of a purchase event across devices, including renewals. Subscriptions only.
    public var webOrderLineItemId: String?
    /// The bundle identifier of the app.
    public var bundleId: String
    /// The product identifier.
    public var productId: String
    /// The subscription group. Subscriptions only.
    public var subscriptionGroupIdentifier: String?
    /// When the App Store charged the customer.
    public var purchaseDate: Date
    /// When the original transaction was bought. In data signed by Xcode it may be in the year 1.
    public var originalPurchaseDate: Date
    /// When the subscription expires or renews. Subscriptions only.
    public var expiresDate: Date?
    /// The quantity: of consumables, and since 1.22 of the seats of a subscription.
    public var quantity: Int32
    /// The product type.
    public var type: ProductType
    /// The account token of the developer, set at the purchase or later. Apple documents a UUID; other text decodes as
    /// `nil`, so that the purchase remains readable.
    public var appAccountToken: UUID?
    /// Whether it was bought, shared or assigned.
    public var inAppOwnershipType: InAppOwnershipType
    /// When Apple signed the payload. Of two payloads for one transaction, the later one is current.
    public var signedDate: Date
    /// Why the transaction was refunded or revoked.
    public var revocationReason: RevocationReason?
    /// When the transaction was refunded or revoked.
    public var revocationDate: Date?
    /// The type of the revocation (1.19).
    public var revocationType: RevocationType?
    /// The refunded share in thousandths of a percent, 0 to 100000 (1.19).
    public var revocationPercentage: Int32?
    /// True if the customer upgraded to another subscription. Present only when true.
    public var isUpgraded: Bool?
    /// The type of the offer that was applied.
    public var offerType: OfferType?
    /// The offer code or the identifier of the offer; absent for an introductory offer.
    public var offerIdentifier: String?
    /// The payment mode of the offer.
    public var offerDiscountType: OfferDiscountType?
    /// The total duration of the offer, ISO 8601: two periods of a month are `P2M`.
    public var offerPeriod: String?
    /// The environment. Check it before you grant access.
    public var environment: AppStoreEnvironment
    /// The country or region of the customer's storefront, ISO 3166-1 alpha-3. Absent in older data.
    public var storefront: String?
    /// Apple's identifier of the storefront, such as `143441`. Absent in older data.
    public var storefrontId: String?
    /// Whether the customer or the App Store caused the transaction. Absent in older data.
    public var transactionReason: TransactionReason?
    /// The currency of `price`, ISO 4217.
    public var currency: String?
    /// The price in thousandths of the currency unit: the total for the quantity, after the offer.
    public var price: Int64?
    /// The identifier of the customer's download of the app (1.15).
    public var appTransactionId: String?
    /// Advanced Commerce purchases only.
    public var advancedCommerceInfo: AdvancedCommerceTransactionInfo?
    /// How a 12-month commitment is billed (1.21).
    public var billingPlanType: BillingPlanType?
    /// The progress of the commitment (1.21).
    public var commitmentInfo: TransactionCommitmentInfo?

    /// Creates the value from its parts.
    public init(
        transactionId: String, originalTransactionId: String, previousOriginalTransactionId: String? = nil,
        webOrderLineItemId: String? = nil, bundleId: String, productId: String,
        subscriptionGroupIdentifier: String? = nil, purchaseDate: Date, originalPurchaseDate: Date,
        expiresDate: Date? = nil, quantity: Int32, type: ProductType, appAccountToken: UUID? = nil,
        inAppOwnershipType: InAppOwnershipType, signedDate: Date, revocationReason: RevocationReason? = nil,
        revocationDate: Date? = nil, revocationType: RevocationType? = nil, revocationPercentage: Int32? = nil,
        isUpgraded: Bool? = nil, offerType: OfferType? = nil, offerIdentifier: String? = nil,
        offerDiscountType: OfferDiscountType? = nil, offerPeriod: String? = nil, environment: AppStoreEnvironment,
        storefront: String? = nil, storefrontId: String? = nil, transactionReason: TransactionReason? = nil,
        currency: String? = nil, price: Int64? = nil, appTransactionId: String? = nil,
        advancedCommerceInfo: AdvancedCommerceTransactionInfo? = nil, billingPlanType: BillingPlanType? = nil,
        commitmentInfo: TransactionCommitmentInfo? = nil
    ) {
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        self.previousOriginalTransactionId = previousOriginalTransactionId
        self.webOrderLineItemId = webOrderLineItemId
        self.bundleId = bundleId
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.expiresDate = expiresDate
        self.quantity = quantity
        self.type = type
        self.appAccountToken = appAccountToken
        self.inAppOwnershipType = inAppOwnershipType
        self.signedDate = signedDate
        self.revocationReason = revocationReason
        self.revocationDate = revocationDate
        self.revocationType = revocationType
        self.revocationPercentage = revocationPercentage
        self.isUpgraded = isUpgraded
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.offerDiscountType = offerDiscountType
        self.offerPeriod = offerPeriod
        self.environment = environment
        self.storefront = storefront
        self.storefrontId = storefrontId
        self.transactionReason = transactionReason
        self.currency = currency
        self.price = price
        self.appTransactionId = appTransactionId
        self.advancedCommerceInfo = advancedCommerceInfo
        self.billingPlanType = billingPlanType
        self.commitmentInfo = commitmentInfo
    }

    enum CodingKeys: String, SignedPayloadKey {
        case transactionId, originalTransactionId, previousOriginalTransactionId, webOrderLineItemId, bundleId,
            productId, subscriptionGroupIdentifier, purchaseDate, originalPurchaseDate, expiresDate, quantity, type,
            appAccountToken, inAppOwnershipType, signedDate, revocationReason, revocationDate, revocationType,
            revocationPercentage, isUpgraded, offerType, offerIdentifier, offerDiscountType, offerPeriod, environment,
            storefront, storefrontId, transactionReason, currency, price, appTransactionId, advancedCommerceInfo,
            billingPlanType, commitmentInfo
    }
}
