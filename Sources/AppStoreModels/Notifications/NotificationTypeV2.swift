/// The type of a notification. Apple's page: `notificationType`.
public struct NotificationTypeV2: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A subscription began; subtypes `INITIAL_BUY`, `RESUBSCRIBE`.
    public static let subscribed = Self(rawValue: "SUBSCRIBED")
    /// The customer changed the plan; subtypes `UPGRADE`, `DOWNGRADE`, or none when a downgrade is withdrawn.
    public static let didChangeRenewalPref = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// Renewal was turned on or off; subtypes `AUTO_RENEW_ENABLED`, `AUTO_RENEW_DISABLED`.
    public static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// An active subscriber redeemed an offer; subtypes `UPGRADE`, `DOWNGRADE`, or none.
    public static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
    /// A subscription renewed; subtype `BILLING_RECOVERY` after a failure, or none.
    public static let didRenew = Self(rawValue: "DID_RENEW")
    /// A subscription expired; subtypes `VOLUNTARY`, `BILLING_RETRY`, `PRICE_INCREASE`, `PRODUCT_NOT_FOR_SALE`, or
    /// none.
    public static let expired = Self(rawValue: "EXPIRED")
    /// A renewal failed; subtype `GRACE_PERIOD` if the customer keeps access meanwhile.
    public static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    /// The grace period ended without a payment.
    public static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A price increase was announced; subtypes `PENDING`, `ACCEPTED`.
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// A transaction was refunded.
    public static let refund = Self(rawValue: "REFUND")
    /// A refund request of the customer was declined.
    public static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
    /// A refund was reversed; the customer owns the product again.
    public static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    /// The customer requested a refund, and Apple requests consumption data.
    public static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    /// The renewal date of a subscription was extended.
    public static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
    /// An extension for all subscribers ended (`SUMMARY`) or failed for one (`FAILURE`).
    public static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
    /// Family sharing or an assignment ended, and with it the customer's access.
    public static let revoke = Self(rawValue: "REVOKE")
    /// A test notification that the developer requested; it has no transaction.
    public static let test = Self(rawValue: "TEST")
    /// A token for external purchases; subtypes `UNREPORTED`, `CREATED`, `ACTIVE_TOKEN_REMINDER`.
    public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// A product other than an auto-renewable subscription was bought.
    public static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
    /// Consent for a child's account was withdrawn; contains `appData`.
    public static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
    /// The metadata of an Advanced Commerce subscription changed.
    public static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
    /// A subscription migrated to Advanced Commerce.
    public static let migration = Self(rawValue: "MIGRATION")
    /// The price of an Advanced Commerce subscription changed.
    public static let priceChange = Self(rawValue: "PRICE_CHANGE")
}
