/// When a change applies. Apple's page: `effective`.
public struct AdvancedCommerceEffective: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// At once.
    public static let immediately = Self(rawValue: "IMMEDIATELY")
    /// At the next renewal.
    public static let nextBillCycle = Self(rawValue: "NEXT_BILL_CYCLE")
}

/// A billing cycle, ISO 8601. Apple's page: `period`.
public struct AdvancedCommercePeriod: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
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

/// The cycle of an offer, ISO 8601. Apple's page: `offerPeriod`.
public struct AdvancedCommerceOfferPeriod: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
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

/// Why the customer gets an offer. Apple's page: `offerReason`.
public struct AdvancedCommerceOfferReason: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// To win a new customer.
    public static let acquisition = Self(rawValue: "ACQUISITION")
    /// To win a former customer back.
    public static let winBack = Self(rawValue: "WIN_BACK")
    /// To keep a customer.
    public static let retention = Self(rawValue: "RETENTION")
}

/// Why an item changes. Apple's page: `reason`.
public struct AdvancedCommerceReason: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// To a higher level.
    public static let upgrade = Self(rawValue: "UPGRADE")
    /// To a lower level.
    public static let downgrade = Self(rawValue: "DOWNGRADE")
    /// To apply an offer.
    public static let applyOffer = Self(rawValue: "APPLY_OFFER")
}

/// Why an item is refunded. Apple's page: `refundReason`.
public struct AdvancedCommerceRefundReason: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bought by mistake.
    public static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    /// Not received, or not usable.
    public static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    /// Not satisfied.
    public static let unsatisfiedWithPurchase = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// A legal reason.
    public static let legal = Self(rawValue: "LEGAL")
    /// Another reason.
    public static let other = Self(rawValue: "OTHER")
    /// The items of the subscription were changed.
    public static let modifyItemsRefund = Self(rawValue: "MODIFY_ITEMS_REFUND")
    /// Sandbox and TestFlight only: is always declined.
    public static let simulateRefundDecline = Self(rawValue: "SIMULATE_REFUND_DECLINE")
}

/// How much is refunded. Apple's page: `refundType`.
public struct AdvancedCommerceRefundType: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// All of it.
    public static let full = Self(rawValue: "FULL")
    /// What has not been used; only for the latest transaction.
    public static let prorated = Self(rawValue: "PRORATED")
    /// A given amount.
    public static let custom = Self(rawValue: "CUSTOM")
}

/// How far a price increase of an item has come. Apple's page: `AdvancedCommercePriceIncreaseInfo`.
public struct AdvancedCommercePriceIncreaseInfoStatus: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It will be announced.
    public static let scheduled = Self(rawValue: "SCHEDULED")
    /// The customer has not answered yet.
    public static let pending = Self(rawValue: "PENDING")
    /// The customer consented, or no consent is needed.
    public static let accepted = Self(rawValue: "ACCEPTED")
}
