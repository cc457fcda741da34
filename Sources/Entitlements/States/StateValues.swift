public import AppStoreModels

/// The state of a product, a subscription group or an entitlement for a customer.
public struct AccessState: OpenEnumeration {
    /// The text in JSON.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Never bought.
    public static let new = Self(rawValue: "new")
    /// Bought, and the customer has access now.
    public static let active = Self(rawValue: "active")
    /// Bought, but the customer has no access, permanently or until a payment succeeds.
    public static let inactive = Self(rawValue: "inactive")
}

/// The reason why a customer has access or not.
public struct StateDetail: OpenEnumeration {
    /// The text in JSON.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    // With access.

    /// The payment failed, and access continues until the grace period ends.
    public static let inGracePeriod = Self(rawValue: "in_grace_period")
    /// The period is a free introductory offer.
    public static let inTrial = Self(rawValue: "in_trial")
    /// The period is part of an offer other than a free trial.
    public static let inOffer = Self(rawValue: "in_offer")
    /// The subscription will end with the period.
    public static let willNotRenew = Self(rawValue: "will_not_renew")
    /// The subscription will renew with another product.
    public static let willChangeProduct = Self(rawValue: "will_change_product")
    /// The price will increase, and the customer has not responded yet.
    public static let priceConsentPending = Self(rawValue: "price_consent_pending")

    // With or without access.

    /// A family member shares or shared it.
    public static let familyShared = Self(rawValue: "family_shared")
    /// An organisation or a group assigned it, now or earlier.
    public static let assigned = Self(rawValue: "assigned")

    /// The team granted the entitlement.
    public static let granted = Self(rawValue: "granted")
    /// The customer got the app before the version or date in the catalogue.
    public static let qualifyingOriginalPurchase = Self(rawValue: "bought_before")

    // Without access.

    /// The catalogue has a rule for customers who got the app early, but it is unknown when this customer got it: the
    /// app must report its app transaction. Remains set in a test environment unless the rule counts test data.
    public static let originalPurchaseUnknown = Self(rawValue: "original_purchase_unknown")
    /// The period is over. The next detail is the reason, if it is known.
    public static let expired = Self(rawValue: "expired")
    /// The customer turned renewal off.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The payment failed, and the App Store has stopped retrying.
    public static let billingError = Self(rawValue: "billing_error")
    /// The customer did not consent to a higher price.
    public static let priceIncreaseNotAccepted = Self(rawValue: "price_increase_not_accepted")
    /// The product was no longer for sale.
    public static let productNotAvailable = Self(rawValue: "product_not_available")
    /// The payment failed, the App Store is retrying, and there is no access meanwhile.
    public static let billingRetry = Self(rawValue: "billing_retry")
    /// The purchase was refunded.
    public static let refunded = Self(rawValue: "refunded")
    /// Access was revoked from a customer who had not paid: family sharing or an assignment ended.
    public static let revoked = Self(rawValue: "revoked")
    /// Another product or subscription replaced it immediately.
    public static let upgraded = Self(rawValue: "upgraded")
    /// The subscription continued with another product at the end of the period.
    public static let changedProduct = Self(rawValue: "changed_product")
    /// The duration that the catalogue gives a non-renewing subscription is over.
    public static let durationOver = Self(rawValue: "duration_over")
}

/// What to ask or offer the customer next.
public struct NextStep: OpenEnumeration {
    /// The text in JSON.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing: no action is needed, or this customer cannot act. Also if a period ended that was to renew, and neither
    /// the renewal nor a reason for the end is known: the App Store has probably charged the customer.
    public static let noAction = Self(rawValue: "none")
    /// Ask the customer to subscribe, with the introductory offer if eligible.
    public static let subscribe = Self(rawValue: "subscribe")
    /// Ask the customer to update the payment method.
    public static let fixPayment = Self(rawValue: "fix_payment")
    /// Ask the customer to consent to the price increase.
    public static let requestPriceConsent = Self(rawValue: "ask_price_consent")
    /// Make a promotional offer to a customer who turned renewal off and still has access.
    public static let saveOffer = Self(rawValue: "save_offer")
    /// Make the win-back offer that the App Store names.
    public static let winBackOffer = Self(rawValue: "win_back_offer")
    /// Make a promotional offer to a former subscriber: the customer cancelled, did not agree to a higher price, or the
    /// App Store no longer tries to charge. A new payment method alone does not bring the subscription back.
    public static let promotionalOffer = Self(rawValue: "promotional_offer")
}
