/// The subtype of a ``NotificationTypeV2``. Apple's page: `subtype`.
public struct NotificationSubtype: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `SUBSCRIBED`: for the first time in this group.
    public static let initialBuy = Self(rawValue: "INITIAL_BUY")
    /// `SUBSCRIBED`: again in the same group.
    public static let resubscribe = Self(rawValue: "RESUBSCRIBE")
    /// `DID_CHANGE_RENEWAL_PREF`, `OFFER_REDEEMED`: takes effect at the next renewal.
    public static let downgrade = Self(rawValue: "DOWNGRADE")
    /// `DID_CHANGE_RENEWAL_PREF`, `OFFER_REDEEMED`: took effect immediately.
    public static let upgrade = Self(rawValue: "UPGRADE")
    /// `DID_CHANGE_RENEWAL_STATUS`: on.
    public static let autoRenewEnabled = Self(rawValue: "AUTO_RENEW_ENABLED")
    /// `DID_CHANGE_RENEWAL_STATUS`: off.
    public static let autoRenewDisabled = Self(rawValue: "AUTO_RENEW_DISABLED")
    /// `EXPIRED`: the customer had cancelled.
    public static let voluntary = Self(rawValue: "VOLUNTARY")
    /// `EXPIRED`: the App Store stopped retrying the payment.
    public static let billingRetry = Self(rawValue: "BILLING_RETRY")
    /// `EXPIRED`: the customer did not consent to the price increase.
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// `DID_FAIL_TO_RENEW`: the customer keeps access while the App Store retries.
    public static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
    /// `PRICE_INCREASE`: the customer has not responded yet.
    public static let pending = Self(rawValue: "PENDING")
    /// `PRICE_INCREASE`: the customer consented, or no consent is needed.
    public static let accepted = Self(rawValue: "ACCEPTED")
    /// `DID_RENEW`: after a failed renewal.
    public static let billingRecovery = Self(rawValue: "BILLING_RECOVERY")
    /// `EXPIRED`: the product was withdrawn from sale.
    public static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// `RENEWAL_EXTENSION`: the extension ended for all subscribers.
    public static let summary = Self(rawValue: "SUMMARY")
    /// `RENEWAL_EXTENSION`: the extension failed for one subscription.
    public static let failure = Self(rawValue: "FAILURE")
    /// `EXTERNAL_PURCHASE_TOKEN`: no report for the token has arrived.
    public static let unreported = Self(rawValue: "UNREPORTED")
    /// `EXTERNAL_PURCHASE_TOKEN`: a custom-link token was created. Documented only; not in Apple's libraries.
    public static let created = Self(rawValue: "CREATED")
    /// `EXTERNAL_PURCHASE_TOKEN`: monthly, for a token in use. Documented only; not in Apple's libraries.
    public static let activeTokenReminder = Self(rawValue: "ACTIVE_TOKEN_REMINDER")
}
