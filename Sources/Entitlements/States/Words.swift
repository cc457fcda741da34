/// The three states that a customer can be in, for a product, a subscription group or an entitlement.
public struct CoreState: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in JSON.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Never bought.
    public static let new = Self(rawValue: "new")
    /// Bought, and there is a right to it now.
    public static let active = Self(rawValue: "active")
    /// Bought, and the right to it is over, for good or until it is paid for.
    public static let inactive = Self(rawValue: "inactive")
}

/// What there is to say about a state: why there is access, or why there is none.
public struct StateDetail: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in JSON.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    // With access.

    /// The payment failed, and the App Store has the app give access until the grace period ends.
    public static let inGracePeriod = Self(rawValue: "in_grace_period")
    /// The period is free by an introductory offer.
    public static let inTrial = Self(rawValue: "in_trial")
    /// The period is part of an offer that is no trial.
    public static let inOffer = Self(rawValue: "in_offer")
    /// It will end with the period.
    public static let willNotRenew = Self(rawValue: "will_not_renew")
    /// It will renew into another product.
    public static let willChangeProduct = Self(rawValue: "will_change_product")
    /// The price rises and the customer has not answered yet.
    public static let priceConsentPending = Self(rawValue: "price_consent_pending")

    // With and without.

    /// A member of the family shares it, or did.
    public static let familyShared = Self(rawValue: "family_shared")
    /// An organisation or a group assigned it, or had.
    public static let assigned = Self(rawValue: "assigned")

    /// The team gave it, or gave it longer than what was bought.
    public static let granted = Self(rawValue: "granted")
    /// The customer got the app before the boundary of the catalogue.
    public static let boughtBefore = Self(rawValue: "bought_before")

    // Without access.

    /// The catalogue has a boundary for who got the app early, and it is not known when this customer did: the app has to
    /// report its app transaction. Of a test environment it stays, unless the rule counts its data.
    public static let originalPurchaseUnknown = Self(rawValue: "original_purchase_unknown")
    /// The period is over. What follows is the reason, if it is known.
    public static let expired = Self(rawValue: "expired")
    /// The customer turned renewal off.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The payment failed until the App Store gave up.
    public static let billingError = Self(rawValue: "billing_error")
    /// The customer did not consent to a higher price.
    public static let priceIncreaseNotAccepted = Self(rawValue: "price_increase_not_accepted")
    /// The product was no longer for sale.
    public static let productNotAvailable = Self(rawValue: "product_not_available")
    /// The payment failed, the App Store tries again, and there is no access meanwhile.
    public static let billingRetry = Self(rawValue: "billing_retry")
    /// The customer has the money back.
    public static let refunded = Self(rawValue: "refunded")
    /// It was taken back from a customer who had not paid for it: the end of family sharing or of an assignment.
    public static let revoked = Self(rawValue: "revoked")
    /// Another product took its place at once, or another subscription.
    public static let upgraded = Self(rawValue: "upgraded")
    /// The subscription went on with another product when the period was over.
    public static let changedProduct = Self(rawValue: "changed_product")
    /// The time that the catalogue gives a non-renewing subscription is over.
    public static let durationOver = Self(rawValue: "duration_over")
}

/// What to ask of the customer, or to offer, next.
public struct NextStep: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in JSON.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing: all is well, or it is not this customer's to decide.
    public static let nothing = Self(rawValue: "none")
    /// To buy the first subscription, with the introductory offer if there is a right to it.
    public static let subscribe = Self(rawValue: "subscribe")
    /// To put the payment method in order.
    public static let fixPayment = Self(rawValue: "fix_payment")
    /// To agree to the higher price.
    public static let askPriceConsent = Self(rawValue: "ask_price_consent")
    /// A promotional offer to a customer who turned renewal off and still has access.
    public static let saveOffer = Self(rawValue: "save_offer")
    /// The win-back offer that the App Store names.
    public static let winBackOffer = Self(rawValue: "win_back_offer")
    /// A promotional offer to a former subscriber.
    public static let promotionalOffer = Self(rawValue: "promotional_offer")
}
