/// The kind of a product, as transactions spell it. Apple's page: `type`.
///
/// The filter of the transaction history has a spelling of its own: ``TransactionHistoryRequest/ProductKind``.
public struct ProductType: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Renews until the customer cancels.
    public static let autoRenewableSubscription = Self(rawValue: "Auto-Renewable Subscription")
    /// Bought once, owned for ever.
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    /// Used up, can be bought again.
    public static let consumable = Self(rawValue: "Consumable")
    /// Runs out; the app decides when.
    public static let nonRenewingSubscription = Self(rawValue: "Non-Renewing Subscription")
}

/// How the customer came by the product. Apple's page: `inAppOwnershipType`.
public struct InAppOwnershipType: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bought by this customer.
    public static let purchased = Self(rawValue: "PURCHASED")
    /// Shared by a member of the family.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
    /// A seat that an organisation or a group assigned. Documented only (1.22, sandbox); no library of Apple's has it.
    public static let assigned = Self(rawValue: "ASSIGNED")
}

/// Who caused a transaction. Apple's page: `transactionReason`.
public struct TransactionReason: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer, including an upgrade.
    public static let purchase = Self(rawValue: "PURCHASE")
    /// The App Store, by renewing; including a downgrade that takes effect at the renewal.
    public static let renewal = Self(rawValue: "RENEWAL")
}

/// Why the App Store refunded or revoked a transaction. Apple's page: `revocationReason`.
public struct RevocationReason: RawRepresentable, Hashable, Sendable, Codable {
    /// The number on the wire.
    public let rawValue: Int32

    /// Takes any number, listed below or not.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Another reason, such as an accidental purchase; also sent with revocations that are no refund.
    public static let other = Self(rawValue: 0)
    /// A real or perceived problem within the app.
    public static let issueWithApp = Self(rawValue: 1)
}

/// What kind of revocation it was. Apple's page: `revocationType` (1.19).
public struct RevocationType: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The whole amount was refunded.
    public static let refundFull = Self(rawValue: "REFUND_FULL")
    /// Part of the amount was refunded; see `revocationPercentage`.
    public static let refundProrated = Self(rawValue: "REFUND_PRORATED")
    /// The customer no longer shares the family's purchase.
    public static let familyRevoke = Self(rawValue: "FAMILY_REVOKE")
    /// The seat was withdrawn. Documented only (1.22); no library of Apple's has it.
    public static let assignmentRevoke = Self(rawValue: "ASSIGNMENT_REVOKE")
}

/// The kind of an offer. Apple's page: `offerType`.
public struct OfferType: RawRepresentable, Hashable, Sendable, Codable {
    /// The number on the wire.
    public let rawValue: Int32

    /// Takes any number, listed below or not.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// An introductory offer; it has no identifier.
    public static let introductory = Self(rawValue: 1)
    /// A promotional offer.
    public static let promotional = Self(rawValue: 2)
    /// An offer code.
    public static let offerCode = Self(rawValue: 3)
    /// An offer to win a former subscriber back.
    public static let winBack = Self(rawValue: 4)
}

/// How the customer pays during an offer. Apple's page: `offerDiscountType`.
public struct OfferDiscountType: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not at all.
    public static let freeTrial = Self(rawValue: "FREE_TRIAL")
    /// A reduced price for each period.
    public static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    /// A reduced price, once, for several periods.
    public static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
    /// An offer code for a one-time purchase (1.18).
    public static let oneTime = Self(rawValue: "ONE_TIME")
}

/// How a subscription with a 12-month commitment is billed. Apple's page: `billingPlanType` (1.21).
public struct BillingPlanType: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The whole commitment at once.
    public static let billedUpfront = Self(rawValue: "BILLED_UPFRONT")
    /// Month by month.
    public static let monthly = Self(rawValue: "MONTHLY")
}

/// How the next commitment will be billed. Apple's page: `renewalBillingPlanType` (1.21).
public struct RenewalBillingPlanType: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The whole commitment at once.
    public static let billedUpfront = Self(rawValue: "BILLED_UPFRONT")
    /// Month by month.
    public static let monthly = Self(rawValue: "MONTHLY")
}
