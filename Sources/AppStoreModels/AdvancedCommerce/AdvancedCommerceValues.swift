/// When a change applies. Apple's page: `effective`.
public struct AdvancedCommerceEffective: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Immediately.
    public static let immediately = Self(rawValue: "IMMEDIATELY")
    /// At the next renewal.
    public static let nextBillCycle = Self(rawValue: "NEXT_BILL_CYCLE")
}

/// A billing cycle, ISO 8601. Apple's page: `period`.
public struct AdvancedCommercePeriod: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// One week.
    public static let p1w = Self(rawValue: "P1W")
    /// One month.
    public static let p1m = Self(rawValue: "P1M")
    /// Two months.
    public static let p2m = Self(rawValue: "P2M")
    /// Three months.
    public static let p3m = Self(rawValue: "P3M")
    /// Six months.
    public static let p6m = Self(rawValue: "P6M")
    /// One year.
    public static let p1y = Self(rawValue: "P1Y")
}

/// The period of an offer, ISO 8601. Apple's page: `offerPeriod`.
public struct AdvancedCommerceOfferPeriod: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Three days.
    public static let p3d = Self(rawValue: "P3D")
    /// One week.
    public static let p1w = Self(rawValue: "P1W")
    /// Two weeks.
    public static let p2w = Self(rawValue: "P2W")
    /// One month.
    public static let p1m = Self(rawValue: "P1M")
    /// Two months.
    public static let p2m = Self(rawValue: "P2M")
    /// Three months.
    public static let p3m = Self(rawValue: "P3M")
    /// Six months.
    public static let p6m = Self(rawValue: "P6M")
    /// Nine months.
    public static let p9m = Self(rawValue: "P9M")
    /// One year.
    public static let p1y = Self(rawValue: "P1Y")
}

/// The reason for an offer. Apple's page: `offerReason`.
public struct AdvancedCommerceOfferReason: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// To win a new customer.
    public static let acquisition = Self(rawValue: "ACQUISITION")
    /// To win a former customer back.
    public static let winBack = Self(rawValue: "WIN_BACK")
    /// To keep a customer.
    public static let retention = Self(rawValue: "RETENTION")
}

/// The reason for the change of an item. Apple's page: `reason`.
public struct AdvancedCommerceReason: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An upgrade to a higher level.
    public static let upgrade = Self(rawValue: "UPGRADE")
    /// A downgrade to a lower level.
    public static let downgrade = Self(rawValue: "DOWNGRADE")
    /// To apply an offer.
    public static let applyOffer = Self(rawValue: "APPLY_OFFER")
}

/// The reason for a refund of an item. Apple's page: `refundReason`.
public struct AdvancedCommerceRefundReason: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The item was bought by mistake.
    public static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    /// The item was not received or is not usable.
    public static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    /// The customer is not satisfied.
    public static let unsatisfiedWithPurchase = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// A legal reason.
    public static let legal = Self(rawValue: "LEGAL")
    /// Another reason.
    public static let other = Self(rawValue: "OTHER")
    /// The items of the subscription were changed.
    public static let modifyItemsRefund = Self(rawValue: "MODIFY_ITEMS_REFUND")
    /// Sandbox and TestFlight only: the refund is always declined.
    public static let simulateRefundDecline = Self(rawValue: "SIMULATE_REFUND_DECLINE")
}

/// How much is refunded. Apple's page: `refundType`.
public struct AdvancedCommerceRefundType: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Everything.
    public static let full = Self(rawValue: "FULL")
    /// The unused part; only for the latest transaction.
    public static let prorated = Self(rawValue: "PRORATED")
    /// A specified amount.
    public static let custom = Self(rawValue: "CUSTOM")
}

/// The status of a price increase of an item. Apple's page: `AdvancedCommercePriceIncreaseInfo`.
public struct AdvancedCommercePriceIncreaseInfoStatus: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The increase has not been announced yet.
    public static let scheduled = Self(rawValue: "SCHEDULED")
    /// The customer has not responded yet.
    public static let pending = Self(rawValue: "PENDING")
    /// The customer consented, or no consent is needed.
    public static let accepted = Self(rawValue: "ACCEPTED")
}
