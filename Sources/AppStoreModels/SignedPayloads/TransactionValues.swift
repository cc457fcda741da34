/// A product type in transactions. Apple's page: `type`.
///
/// The filter of the transaction history spells product types differently: ``TransactionHistoryRequest/ProductKind``.
public struct ProductType: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An auto-renewable subscription: renews until the customer cancels.
    public static let autoRenewableSubscription = Self(rawValue: "Auto-Renewable Subscription")
    /// A non-consumable: bought once, does not expire.
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    /// A consumable: can be used up and bought again.
    public static let consumable = Self(rawValue: "Consumable")
    /// A non-renewing subscription: expires at a time that the app determines.
    public static let nonRenewingSubscription = Self(rawValue: "Non-Renewing Subscription")
}

/// How the customer got access to the product. Apple's page: `inAppOwnershipType`.
public struct InAppOwnershipType: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bought by this customer.
    public static let purchased = Self(rawValue: "PURCHASED")
    /// Shared by a family member.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
    /// A seat assigned by an organisation or a group. Documented only (1.22, sandbox); not in Apple's libraries.
    public static let assigned = Self(rawValue: "ASSIGNED")
}

/// The cause of a transaction. Apple's page: `transactionReason`.
public struct TransactionReason: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A purchase by the customer, including an upgrade.
    public static let purchase = Self(rawValue: "PURCHASE")
    /// A renewal by the App Store, including a downgrade that takes effect at the renewal.
    public static let renewal = Self(rawValue: "RENEWAL")
}

/// Why the App Store refunded or revoked a transaction. Apple's page: `revocationReason`.
public struct RevocationReason: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Another reason, such as an accidental purchase; also sent with revocations without a refund.
    public static let other = Self(rawValue: 0)
    /// An actual or perceived issue within the app.
    public static let issueWithApp = Self(rawValue: 1)
}

/// The type of a revocation. Apple's page: `revocationType` (1.19).
public struct RevocationType: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The whole amount was refunded.
    public static let refundFull = Self(rawValue: "REFUND_FULL")
    /// Part of the amount was refunded; see `revocationPercentage`.
    public static let refundProrated = Self(rawValue: "REFUND_PRORATED")
    /// Family sharing ended.
    public static let familyRevoke = Self(rawValue: "FAMILY_REVOKE")
    /// The seat was withdrawn. Documented only (1.22); not in Apple's libraries.
    public static let assignmentRevoke = Self(rawValue: "ASSIGNMENT_REVOKE")
}

/// The type of an offer. Apple's page: `offerType`.
public struct OfferType: OpenEnumeration {
    /// The number on the wire.
    public let rawValue: Int32

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// An introductory offer, which has no identifier.
    public static let introductory = Self(rawValue: 1)
    /// A promotional offer.
    public static let promotional = Self(rawValue: 2)
    /// An offer code.
    public static let offerCode = Self(rawValue: 3)
    /// A win-back offer to a former subscriber.
    public static let winBack = Self(rawValue: 4)
}

/// The payment mode of an offer. Apple's page: `offerDiscountType`.
public struct OfferDiscountType: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A free trial.
    public static let freeTrial = Self(rawValue: "FREE_TRIAL")
    /// Pay as you go: a reduced price for each period.
    public static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    /// Pay up front: one reduced price for several periods.
    public static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
    /// An offer code for a one-time purchase (1.18).
    public static let oneTime = Self(rawValue: "ONE_TIME")
}

/// How a subscription with a 12-month commitment is billed. Apple's page: `billingPlanType` (1.21).
public struct BillingPlanType: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The whole commitment at once.
    public static let billedUpfront = Self(rawValue: "BILLED_UPFRONT")
    /// Month by month.
    public static let monthly = Self(rawValue: "MONTHLY")
}

/// How the next commitment will be billed. Apple's page: `renewalBillingPlanType` (1.21).
public typealias RenewalBillingPlanType = BillingPlanType
