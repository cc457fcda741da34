public import Foundation

/// What a signed transaction (`signedTransactionInfo`, `signedTransactions`) says: one purchase or renewal.
/// Apple's page: `JWSTransactionDecodedPayload`.
///
/// Fields that were there from the first version of the API are never `nil`; data without them does not decode.
/// Everything
/// Apple added later is optional, because older signed data stays valid without it.
public struct JWSTransactionDecodedPayload: Sendable, Hashable, Codable {
    /// This transaction. `"0"` in data that Xcode signed.
    public var transactionId: String
    /// The first transaction of the chain: the same for a subscription through all its renewals.
    public var originalTransactionId: String
    /// The original transaction before the subscription moved to Advanced Commerce. Documented only; no library of
    /// Apple's has it.
    public var previousOriginalTransactionId: String?
    /// Identifies purchase events across devices, renewals included. Subscriptions only.
    public var webOrderLineItemId: String?
    /// The app.
    public var bundleId: String
    /// The product.
    public var productId: String
    /// The group of the subscription. Subscriptions only.
    public var subscriptionGroupIdentifier: String?
    /// When the App Store charged the customer.
    public var purchaseDate: Date
    /// When the original transaction was bought. In data signed by Xcode it may lie in the year 1.
    public var originalPurchaseDate: Date
    /// When the subscription ends or renews. Subscriptions only.
    public var expiresDate: Date?
    /// How many were bought: consumables, and since 1.22 the seats of a subscription.
    public var quantity: Int32
    /// The kind of product.
    public var type: ProductType
    /// The developer's own link to an account, set at the purchase or later. Apple promises a UUID; a text that is none
    /// reads as `nil` rather than losing the purchase.
    public var appAccountToken: UUID?
    /// Whether it was bought, shared or assigned.
    public var inAppOwnershipType: InAppOwnershipType
    /// When Apple signed this. Of two payloads for one transaction the later one is right.
    public var signedDate: Date
    /// Why the transaction was refunded or revoked.
    public var revocationReason: RevocationReason?
    /// When the transaction was refunded or revoked.
    public var revocationDate: Date?
    /// What kind of revocation it was (1.19).
    public var revocationType: RevocationType?
    /// The refunded share in thousandths of a percent, 0 to 100000 (1.19).
    public var revocationPercentage: Int32?
    /// True if the customer upgraded to another subscription. Sent only when true.
    public var isUpgraded: Bool?
    /// The kind of the offer that was applied.
    public var offerType: OfferType?
    /// The offer code or the identifier of the offer; never with an introductory offer.
    public var offerIdentifier: String?
    /// How the customer pays during the offer.
    public var offerDiscountType: OfferDiscountType?
    /// How long the offer lasts, ISO 8601: period times count, so two months are `P2M`.
    public var offerPeriod: String?
    /// The environment. Check it before anything is granted.
    public var environment: AppStoreEnvironment
    /// The country or region of the customer's store, ISO 3166-1 alpha-3. Absent in older data.
    public var storefront: String?
    /// Apple's number of the storefront, such as `143441`. Absent in older data.
    public var storefrontId: String?
    /// Whether the customer bought or the system renewed. Absent in older data.
    public var transactionReason: TransactionReason?
    /// The currency of `price`, ISO 4217.
    public var currency: String?
    /// What was charged, in thousandths of the currency unit: the total for the quantity, after the offer.
    public var price: Int64?
    /// The customer's download of the app (1.15).
    public var appTransactionId: String?
    /// Advanced Commerce purchases only.
    public var advancedCommerceInfo: AdvancedCommerceTransactionInfo?
    /// How a commitment of twelve months is billed (1.21).
    public var billingPlanType: BillingPlanType?
    /// Where the commitment stands (1.21).
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
