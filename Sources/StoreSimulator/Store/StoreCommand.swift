public import AppStoreModels
public import Foundation

/// An action of a customer, the developer or Apple in the simulated store.
///
/// Scenario files, the control API and the Swift API share these commands. In JSON and YAML, a command is an object
/// with one member, the command's name: `{"purchase": {"customer": "anna", "product": "premium.monthly"}}`. Optional
/// parameters may be omitted. `subscription` and `transaction` accept a transaction identifier or a product identifier;
/// if omitted, the customer's latest subscription or transaction is used. Values that Apple does not document are
/// refused with ``StoreError/Code/invalidArgument``.
@nonexhaustive
public enum StoreCommand: Sendable, Hashable, Codable {
    /// A new Apple Account installs the app. A purchase by an unknown customer does the same, in the first storefront
    /// of the catalogue.
    ///
    /// `firstVersion` and `firstPurchaseDate` describe the account's first download of the app, for an account that had
    /// the app before the current version was released. `preorderDate` is when the account ordered the app before its
    /// release. Dates are not later than now or the first download. They have no effect in the sandbox, which reports
    /// the same values for every account.
    case createCustomer(
        customer: String, storefront: String? = nil, firstVersion: String? = nil, firstPurchaseDate: Date? = nil,
        preorderDate: Date? = nil)
    /// The developer releases an app version. New customers and all devices have it from now on.
    case releaseVersion(version: String)

    /// A purchase in the app: a first purchase, a resubscription, a change of plan or the redemption of an offer.
    /// Eligible customers get the introductory offer unless `introductory` is false; `offer` selects any other offer.
    ///
    /// The transaction contains the customer's `appAccountToken`. The parameter replaces the token, or removes it, from
    /// now on. By default a customer has a token that is derived from the seed and the name.
    ///
    /// A purchase on a `device` is that device's purchase result, and an update on the customer's other devices.
    /// Without a device it is an update on all of them.
    ///
    /// A promotional offer requires a `signature` by the developer's server. `introductorySignature` is the JWS in
    /// which that server states whether the customer gets the introductory offer. Each signature is valid for one
    /// purchase. With `sign`, the simulator takes the server's place: it approves the promotional offer, or the
    /// introductory one if `introductory` is true.
    case purchase(
        customer: String, product: String, quantity: Int? = nil, offer: String? = nil, introductory: Bool? = nil,
        appAccountToken: AppAccountToken? = nil, billingPlan: BillingPlanType? = nil, device: String? = nil,
        signature: OfferSignature? = nil, introductorySignature: String? = nil, sign: Bool? = nil)

    /// A purchase of a generic product, a subscription. `request` is Apple's `SubscriptionCreateRequest`, in which the
    /// developer's server defines the contents.
    case subscribeAdvancedCommerce(
        customer: String, product: String, request: AdvancedCommerceSubscriptionCreateRequest)
    /// A one-time purchase of a generic product. `request` is Apple's `OneTimeChargeCreateRequest`.
    case chargeAdvancedCommerce(customer: String, product: String, request: AdvancedCommerceOneTimeChargeCreateRequest)
    /// The app submits a request that the developer's server has signed. `data` is the wrapper
    /// `{"signatureInfo":{"token":"…"}}`, plain or in base64, signed with the app's key. `product` is required if the
    /// request buys something.
    case requestAdvancedCommerce(customer: String, data: String, product: String? = nil)

    /// The customer turns renewal off.
    case cancel(customer: String, subscription: String? = nil)
    /// The customer turns renewal on again.
    case resume(customer: String, subscription: String? = nil)

    /// From now on all charges fail, or only those of one subscription. With `recovers` the cause is insufficient
    /// funds: one of the attempts that the store makes over 60 days succeeds. The seed determines which one.
    case failBilling(customer: String, subscription: String? = nil, recovers: Bool? = nil)
    /// Charges work again, all or only those of one subscription. Owed payments are charged at once.
    case fixBilling(customer: String, subscription: String? = nil)
    /// The customer moves to another storefront. Purchases and renewals are charged there from then on.
    case changeStorefront(customer: String, storefront: String)

    /// The next scheduled event of a subscription (the end of the period, of the grace period or of billing retry)
    /// happens now.
    case accelerate(customer: String, subscription: String? = nil)

    /// The customer requests a refund. With `inApp`, the request comes from the app's refund sheet, which turns renewal
    /// off. In the sandbox, a `note` of `DECLINE` or `GRANT_PRORATED` determines the decision.
    case requestRefund(
        customer: String, transaction: String? = nil, reason: ConsumptionRequestReason? = nil, inApp: Bool? = nil,
        note: String? = nil)
    /// Apple grants a refund, with or without a request. `percentage` is in thousandths of a percent; below 100000 the
    /// refund is prorated. If omitted, the developer's answer to the consumption request decides; without an answer the
    /// refund is full. `reason` defaults to the reason of the request.
    case approveRefund(
        customer: String, transaction: String? = nil, reason: RevocationReason? = nil, percentage: Int32? = nil)
    /// Apple declines the refund request.
    case declineRefund(customer: String, transaction: String? = nil)
    /// Apple reverses a refund after a dispute: the last refund of the transaction, or of some of its items.
    case reverseRefund(customer: String, transaction: String? = nil)

    /// `member` joins the family of `customer` and shares its shareable purchases.
    case shareWithFamily(customer: String, member: String)
    /// `member` leaves the family of `customer`.
    case stopSharing(customer: String, member: String)

    /// The developer raises the price of a subscription for new and existing subscribers, or for one customer. `price`
    /// is in thousandths of the currency. Without a customer it does not apply in storefronts for which the product has
    /// a separate price, and subscribers who will not renew, or cannot now, are notified as after
    /// `schedulePriceChange`.
    case increasePrice(product: String, price: Int64, consent: Bool, customer: String? = nil)
    /// The developer schedules a price change, as in App Store Connect. From `effectiveDate` on (default: now), new
    /// subscribers pay the new price. Existing subscribers pay a lower price from the next renewal on. A higher price
    /// applies to them only from a renewal on or after `effectiveDate`, and Apple notifies them 7, 27 or 60 days before
    /// that renewal. Without `consent`, Apple's thresholds decide whether they must agree. With `preservesPrices` they
    /// keep their price.
    case schedulePriceChange(
        product: String, price: Int64, effectiveDate: Date? = nil, consent: Bool? = nil, storefronts: [String]? = nil,
        preservesPrices: Bool? = nil)
    /// The customer agrees to the price increase.
    case acceptPrice(customer: String, subscription: String? = nil)

    /// The developer takes a product off sale.
    case removeFromSale(product: String)
    /// The developer puts a product on sale again.
    case returnToSale(product: String)

    /// The app has delivered the purchase and finishes the transaction, for all devices.
    case finish(customer: String, transaction: String? = nil, device: String? = nil)

    /// The developer sets the `appAccountToken` of a purchase, as through the API.
    case setAppAccountToken(customer: String, appAccountToken: UUID, transaction: String? = nil)
    /// The developer answers a consumption request, as through the API, within ``StoreSettings/consumptionWindow``.
    /// `percentage` is in thousandths of a percent.
    case answerConsumptionRequest(
        customer: String, transaction: String? = nil, preference: RefundPreference? = nil, percentage: Int32? = nil)

    /// The developer extends the renewal date of a subscription, as through the API.
    case extendRenewal(customer: String, days: Int32, subscription: String? = nil, reason: ExtendReasonCode? = nil)
    /// The developer extends the renewal dates of all subscribers of a product, as through the API.
    case extendAllRenewals(product: String, days: Int32, storefronts: [String]? = nil)

    /// A parent withdraws consent to a child's use of the app.
    case rescindConsent(customer: String)
    /// The app creates an external purchase token. With `tokenType` it is a custom link's token.
    case createExternalPurchaseToken(tokenType: ExternalPurchaseTokenType? = nil)
    /// The developer reports the purchases of an external purchase token, or that the token is a `duplicate`. The
    /// monthly reminders of a custom link's token continue until it expires or is reported as a duplicate.
    case reportExternalPurchaseToken(token: String, duplicate: Bool? = nil)

    /// The developer requests a test notification, as through the API.
    case requestTestNotification

    /// Clears a customer's purchase history, as the sandbox's button does. Sandbox only.
    case clearHistory(customer: String)
    /// An organisation assigns a subscription seat to a customer. Sandbox only.
    case assignSeat(customer: String, product: String)
    /// The organisation withdraws the seat.
    case withdrawSeat(customer: String, product: String)
    /// An organisation assigns a volume purchase of the app to a customer, until `expirationDate` if given. The
    /// customer's receipts are volume purchase receipts from then on.
    case assignVolumePurchase(customer: String, expirationDate: Date? = nil)
    /// The organisation revokes the volume purchase: the customer's receipts have expired from now on.
    case revokeVolumePurchase(customer: String)
    /// The app refreshes its receipt, optionally on a device. In the sandbox, customers without purchases have no
    /// receipt before that.
    case refreshReceipt(customer: String, device: String? = nil)
    /// Apple approves a retention message. The sandbox approves messages and images by itself.
    case approveMessage(message: UUID)
    /// Apple rejects a retention message.
    case rejectMessage(message: UUID)
    /// Apple approves an image for retention messages.
    case approveImage(image: UUID)
    /// Apple rejects an image for retention messages.
    case rejectImage(image: UUID)
    /// A customer joins a customer group. Sandbox only, like the App Store's endpoints for groups.
    case joinGroup(customer: String, group: String, organization: Bool? = nil, administrator: Bool? = nil)

    /// Installs or reinstalls the app on a device. A reinstalled app shows hidden transactions again. A `system` before
    /// 16 has no app transaction. Devices are created when a command names them; use this command for one with an old
    /// system.
    case installApp(customer: String, device: String, system: Int? = nil)
    /// The device goes offline: it keeps the data it had, receives no updates and cannot buy.
    case goOffline(customer: String, device: String)
    /// The device goes online and receives the updates it missed.
    case goOnline(customer: String, device: String)
    /// The app syncs with the App Store at the customer's request. Hidden transactions appear, and transactions that
    /// failed verification pass.
    case sync(customer: String, device: String)
    /// From now on the customer's purchases require approval (Ask to Buy).
    case askToBuy(customer: String)
    /// From now on the customer's purchases require no approval.
    case stopAskingToBuy(customer: String)
    /// A pending purchase is approved, or the customer completes an interrupted one. The purchase is made now and is an
    /// update on every device. Without a product, the oldest pending purchase is used.
    case approvePurchase(customer: String, product: String? = nil)
    /// A pending purchase is declined.
    case declinePurchase(customer: String, product: String? = nil)
    /// Sets the result of the next purchase on a device. `message` is the error of a purchase that fails.
    case setNextPurchaseResult(customer: String, device: String, result: PlannedPurchaseResult, message: String? = nil)
    /// The device receives an update for a transaction again.
    case resendUpdate(customer: String, device: String, transaction: String? = nil)
    /// From now on the device's updates are held back.
    case holdUpdates(customer: String, device: String)
    /// The device receives the held updates, in reverse order if `reversed`.
    case releaseUpdates(customer: String, device: String, reversed: Bool? = nil)
    /// The signature of a transaction is invalid on this device, which receives an update for it.
    case failVerification(customer: String, device: String, transaction: String? = nil)
    /// From now on renewals are hidden on this device until it syncs or the app is reinstalled.
    case hideRenewals(customer: String, device: String)

    /// The names in JSON and YAML, in the order of the help.
    enum CodingKeys: String, CodingKey, CaseIterable {
        case createCustomer, releaseVersion, purchase, subscribeAdvancedCommerce, chargeAdvancedCommerce
        case requestAdvancedCommerce, cancel, resume, failBilling, fixBilling, changeStorefront, accelerate
        case requestRefund, approveRefund, declineRefund, reverseRefund, shareWithFamily, stopSharing, increasePrice
        case schedulePriceChange, acceptPrice, removeFromSale, returnToSale, finish, setAppAccountToken
        case answerConsumptionRequest, extendRenewal, extendAllRenewals, rescindConsent, createExternalPurchaseToken
        case reportExternalPurchaseToken, requestTestNotification, clearHistory, assignSeat, withdrawSeat
        case assignVolumePurchase, revokeVolumePurchase, refreshReceipt, approveMessage, rejectMessage, approveImage
        case rejectImage, joinGroup, installApp, goOffline, goOnline, sync, askToBuy, stopAskingToBuy, approvePurchase
        case declinePurchase, setNextPurchaseResult, resendUpdate, holdUpdates, releaseUpdates, failVerification
        case hideRenewals
    }

    /// The names of all commands in JSON and YAML.
    public static let names = CodingKeys.allCases.map(\.rawValue)
}

extension KeyedDecodingContainer {
    /// The synthesized decoder of commands calls this overload, whose error is not in Foundation's words.
    fileprivate func decode(_ type: UUID.Type, forKey key: Key) throws -> UUID {
        guard let id = UUID(text: try decode(String.self, forKey: key)) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "is not a UUID")
        }
        return id
    }
}

/// The result of a command.
public struct StoreOutcome: Sendable, Hashable, Codable {
    /// The environment: production or sandbox.
    public var environment: AppStoreEnvironment
    /// The customer that the command affected.
    public var customer: String?
    /// The identifier of the transaction that the command created or affected.
    public var transactionID: String?
    /// The original transaction identifier of that transaction.
    public var originalTransactionID: String?
    /// The order identifier of the transaction, which a customer in production finds on the App Store's emailed
    /// receipt.
    public var orderID: String?
    /// The `appAccountToken` of the transaction, a UUID in lower case.
    public var appAccountToken: String?
    /// The token of a test notification or an external purchase, or the request identifier of a renewal date extension.
    public var token: String?
    /// The request to the developer's server for a retention message before a cancellation, if one was sent.
    public var retentionMessage: RealtimeRecord?
    /// The result of a purchase, or of any command on a device.
    public var result: PurchaseResult?
    /// The error of a purchase that was planned to fail.
    public var message: String?
    /// The transaction as the purchasing device has it.
    public var transaction: SignedDeviceTransaction?
    /// The notifications that the command caused, in order.
    public var notifications: [Notification] = []

    private enum CodingKeys: String, CodingKey {
        case environment, customer
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
        case orderID = "orderId"
        case appAccountToken, token, retentionMessage, result, message, transaction, notifications
    }

    /// One notification.
    public struct Notification: Sendable, Hashable, Codable {
        /// The notification type.
        public var notificationType: NotificationTypeV2
        /// The subtype.
        public var subtype: NotificationSubtype?
        /// The notification's identifier, the same for every delivery attempt.
        public var notificationUUID: String
        /// 1 for a version 1 notification, whose type uses version 1 names; nil for version 2.
        public var version: Int?
    }
}
