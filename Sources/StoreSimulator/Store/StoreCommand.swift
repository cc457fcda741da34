public import AppStoreModels
public import Foundation

/// Something that a customer, the developer or Apple does in the simulated store.
///
/// Scenario files, the control API and the Swift API share this vocabulary. As JSON or YAML a command is an object with one
/// member, its name: `{"purchase": {"customer": "anna", "product": "premium.monthly"}}`. What is optional may be left out.
/// `subscription` and `transaction` are identifiers as transactions carry them, or a product identifier; left out, the
/// customer's latest one is meant.
@nonexhaustive
public enum StoreCommand: Sendable, Hashable, Codable {
    /// A new Apple Account installs the app. Buying does that too, in the first storefront of the catalogue.
    ///
    /// `firstVersion` is the version of the app that the account got first, for one who got it before the present version
    /// was released; `firstPurchaseDate`, in milliseconds since 1970 and not later than now, is when. Of the sandbox both
    /// tell nothing: it says the same of everybody.
    case createCustomer(
        customer: String, storefront: String? = nil, firstVersion: String? = nil, firstPurchaseDate: Int64? = nil)
    /// The developer releases a version of the app: what new customers get, and what devices have from now on.
    case releaseVersion(version: String)

    /// A purchase in the app: the first one, another one of a subscription that has lapsed, a change of plan, the
    /// redemption of an offer. An introductory offer applies by itself to whoever is eligible, unless `introductory` is
    /// false; `offer` names any other.
    ///
    /// The transaction names the account that the customer has in the app. `appAccountToken` is another one, or none, from
    /// now on; a customer who never had one given has one made from the seed and the name.
    ///
    /// What is bought on a `device` comes as the result there, and as an update on the customer's other devices. Without a
    /// device it is an update on all of them.
    ///
    /// A promotional offer needs the `signature` that the developer's server made for it. `introductorySignature` is the JWS
    /// by which that server decides who gets the introductory offer. Each is good for one purchase. With `sign` the simulator
    /// signs in the server's place: the promotional offer, or with `introductory: true` the introductory one.
    case purchase(
        customer: String, product: String, quantity: Int? = nil, offer: String? = nil, introductory: Bool? = nil,
        appAccountToken: AppAccountToken? = nil, billingPlan: BillingPlanType? = nil, device: String? = nil,
        signature: OfferSignature? = nil, introductorySignature: String? = nil, sign: Bool? = nil)

    /// A purchase of a generic product, a subscription, with the contents that the developer's server asks for. `request`
    /// is Apple's `SubscriptionCreateRequest`.
    case subscribeAdvancedCommerce(
        customer: String, product: String, request: AdvancedCommerceSubscriptionCreateRequest)
    /// A purchase of a generic product that is paid once. `request` is Apple's `OneTimeChargeCreateRequest`.
    case chargeAdvancedCommerce(
        customer: String, product: String, request: AdvancedCommerceOneTimeChargeCreateRequest)
    /// What the app does with a request that the developer's server has signed: `data` is the wrapper
    /// `{"signatureInfo":{"token":"…"}}`, as it is or in base64. The signature has to be by the app's key.
    /// `product` is needed where something is bought.
    case requestAdvancedCommerce(customer: String, data: String, product: String? = nil)

    /// The customer turns renewal off.
    case cancel(customer: String, subscription: String? = nil)
    /// The customer turns renewal on again.
    case resume(customer: String, subscription: String? = nil)

    /// From now on every charge fails, or only those of one subscription. With `recovers` it is for want of money: one of the
    /// attempts that the store makes over 60 days succeeds, which one the seed says.
    case failBilling(customer: String, subscription: String? = nil, recovers: Bool? = nil)
    /// Charges work again, all or those of one subscription, and what is owed is charged at once.
    case fixBilling(customer: String, subscription: String? = nil)
    /// The customer moves to another storefront. What is bought and renewed from then on is paid there.
    case changeStorefront(customer: String, storefront: String)

    /// What would happen next to a subscription by itself (the end of the period, of the grace period, of the billing
    /// retry) happens now.
    case accelerate(customer: String, subscription: String? = nil)

    /// The customer asks for a refund, in the app's own sheet if `inApp`, which turns renewal off. In the sandbox the
    /// `note` decides, if it is `DECLINE` or `GRANT_PRORATED`.
    case requestRefund(
        customer: String, transaction: String? = nil, reason: ConsumptionRequestReason? = nil, inApp: Bool? = nil,
        note: String? = nil)
    /// Apple refunds, asked or not. `percentage` in thousandths of a percent makes it prorated, 100000 a full refund. Left
    /// out, the developer's answer to the consumption request decides, and without one the refund is full. The `reason` is
    /// that of the request unless it is given.
    case approveRefund(
        customer: String, transaction: String? = nil, reason: RevocationReason? = nil, percentage: Int32? = nil)
    /// Apple declines what was asked for.
    case declineRefund(customer: String, transaction: String? = nil)
    /// Apple takes a refund back after a dispute: the last one of the transaction, or of items of it.
    case reverseRefund(customer: String, transaction: String? = nil)

    /// `member` joins the family of `customer` and may use what can be shared.
    case shareWithFamily(customer: String, member: String)
    /// `member` leaves the family of `customer`.
    case stopSharing(customer: String, member: String)

    /// The developer raises the price of a subscription for those who have it, or for one customer. `price` in
    /// thousandths of the currency. Without a customer it holds where the product has no price of the storefront's own.
    case increasePrice(product: String, price: Int64, consent: Bool, customer: String? = nil)
    /// The developer schedules another price, as in App Store Connect. From `effectiveDate` on (now, if left out) new
    /// subscribers pay it. Those who subscribe already pay less at once; more only after the notice that Apple gives, 7, 27 or
    /// 60 days before the renewal that costs it, and not before that date. Without `consent` Apple's thresholds say whether
    /// they have to agree. With `preservesPrices` they keep what they pay.
    case schedulePriceChange(
        product: String, price: Int64, effectiveDate: Date? = nil, consent: Bool? = nil, storefronts: [String]? = nil,
        preservesPrices: Bool? = nil)
    /// The customer agrees to the higher price.
    case acceptPrice(customer: String, subscription: String? = nil)

    /// The developer takes a product off sale.
    case removeFromSale(product: String)
    /// The developer puts a product on sale again.
    case returnToSale(product: String)

    /// The app has delivered what was bought. The App Store knows it for all devices.
    case finish(customer: String, transaction: String? = nil, device: String? = nil)

    /// The developer ties a purchase to an account, as through the API.
    case setAppAccountToken(customer: String, appAccountToken: UUID, transaction: String? = nil)
    /// The developer answers a consumption request, as through the API. `percentage` in thousandths of a percent.
    case answerConsumptionRequest(
        customer: String, transaction: String? = nil, preference: RefundPreference? = nil, percentage: Int32? = nil)

    /// The developer extends one subscription, as through the API.
    case extendRenewal(
        customer: String, days: Int32, subscription: String? = nil, reason: ExtendReasonCode? = nil)
    /// The developer extends all subscriptions to a product, as through the API.
    case extendAllRenewals(product: String, days: Int32, storefronts: [String]? = nil)

    /// A parent takes back the consent to a child's use of the app.
    case rescindConsent(customer: String)
    /// The app creates a token for an external purchase; `tokenType` makes it a custom link's.
    case createExternalPurchaseToken(tokenType: ExternalPurchaseTokenType? = nil)
    /// The developer reports the purchases of a token.
    case reportExternalPurchaseToken(token: String)

    /// The developer asks for a test notification, as through the API.
    case requestTestNotification

    /// The sandbox's button that clears a customer's purchases.
    case clearHistory(customer: String)
    /// An organisation assigns a seat of a subscription to a customer, in the sandbox only.
    case assignSeat(customer: String, product: String)
    /// An organisation that has bought the app in volume assigns it to a customer, until `expirationDate` if there is one.
    /// The customer's receipts are those of a volume purchase from then on.
    case assignVolumePurchase(customer: String, expirationDate: Date? = nil)
    /// The organisation takes the app back: the customer's receipts have expired from now on.
    case revokeVolumePurchase(customer: String)
    /// The app asks for a new receipt, on a device if one is named. In the sandbox that is the first one of a customer who has
    /// bought nothing.
    case refreshReceipt(customer: String, device: String? = nil)
    /// Apple approves a retention message of production; the sandbox does that by itself. So with the other three.
    case approveMessage(message: UUID)
    /// Apple rejects a retention message.
    case rejectMessage(message: UUID)
    /// Apple approves an image for retention messages.
    case approveImage(image: UUID)
    /// Apple rejects an image for retention messages.
    case rejectImage(image: UUID)
    /// A customer joins a group (sandbox).
    case joinGroup(customer: String, group: String, organization: Bool? = nil, administrator: Bool? = nil)

    /// The app is installed on a device, or installed anew, which shows everything that did not show before. A `system`
    /// before 16 has no app transaction. A device is there as soon as a command names it; this is for one with an old system.
    case installApp(customer: String, device: String, system: Int? = nil)
    /// The device loses its network: it knows what it knew, hears nothing, and cannot buy.
    case goOffline(customer: String, device: String)
    /// The device has a network again, and hears what it missed.
    case goOnline(customer: String, device: String)
    /// The app asks the App Store for everything, after the customer asked for it. What did not show shows, what could not be
    /// verified can.
    case sync(customer: String, device: String)
    /// From now on somebody else has to agree to the customer's purchases.
    case askToBuy(customer: String)
    /// From now on the customer buys without asking.
    case stopAskingToBuy(customer: String)
    /// Somebody agrees to a purchase that waits, or the customer does what an interrupted purchase waits for: it is made now,
    /// and comes as an update on every device. Without a product the one that waits longest.
    case approvePurchase(customer: String, product: String? = nil)
    /// A purchase that waits is not made.
    case declinePurchase(customer: String, product: String? = nil)
    /// What the next purchase on a device comes to. `message` is the error of one that fails.
    case planPurchase(customer: String, device: String, result: PlannedPurchaseResult, message: String? = nil)
    /// The device hears of a transaction once more.
    case repeatUpdate(customer: String, device: String, transaction: String? = nil)
    /// From now on the device's updates are late.
    case holdUpdates(customer: String, device: String)
    /// The updates that were held come now, the last one first if `reversed`.
    case releaseUpdates(customer: String, device: String, reversed: Bool? = nil)
    /// The signature of a transaction is wrong on this device, which hears of it again.
    case breakVerification(customer: String, device: String, transaction: String? = nil)
    /// From now on renewals do not show on this device, until it syncs or the app is installed anew.
    case hideRenewals(customer: String, device: String)
}

/// What a command did.
public struct StoreOutcome: Sendable, Hashable, Codable {
    /// Production or sandbox.
    public var environment: AppStoreEnvironment
    /// Whom it was about.
    public var customer: String?
    /// The transaction it made, or was about.
    public var transactionID: String?
    /// The first transaction of the same subscription.
    public var originalTransactionID: String?
    /// The order that the transaction is part of, which a customer of production finds on the receipt by mail.
    public var orderID: String?
    /// The account that the transaction names, a UUID in lower case.
    public var appAccountToken: String?
    /// What was made that is no transaction: the token of a test notification or of an external purchase, the request
    /// identifier of an extension.
    public var token: String?
    /// What the customer saw before cancelling, if the developer's server was asked.
    public var retentionMessage: RealtimeRecord?
    /// What a purchase came to; on a device, what any command came to.
    public var result: PurchaseOutcome?
    /// The error of a purchase that failed as planned.
    public var message: String?
    /// The transaction as the device has it that it was bought on.
    public var transaction: SignedDeviceTransaction?
    /// The notifications it caused, in order.
    public var notifications: [Announcement] = []

    private enum CodingKeys: String, CodingKey {
        case environment, customer
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
        case orderID = "orderId"
        case appAccountToken, token, retentionMessage, result, message, transaction, notifications
    }

    /// One notification.
    public struct Announcement: Sendable, Hashable, Codable {
        /// What happened.
        public var notificationType: NotificationTypeV2
        /// In more detail.
        public var subtype: NotificationSubtype?
        /// The identifier, the same for every attempt to send it.
        public var notificationUUID: String
        /// 1 for a notification of version 1, whose type is by the names of that version.
        public var version: Int?
    }
}
