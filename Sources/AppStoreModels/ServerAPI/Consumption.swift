/// What the App Store wants to know before it decides on a refund. Apple's page: `ConsumptionRequest`, the second
/// version.
///
/// To be sent within 12 hours after a `CONSUMPTION_REQUEST` notification.
public struct ConsumptionRequest: Sendable, Hashable, Codable {
    /// Whether the customer agreed that this is sent. Must be true; otherwise send nothing.
    public var customerConsented: Bool
    /// Whether the customer got a product that works.
    public var deliveryStatus: DeliveryStatus
    /// Whether the customer could try before buying.
    public var sampleContentProvided: Bool
    /// How much was used, in thousandths of a percent, 0 to 100000. Must be 0 if the product was not delivered, is
    /// refused for auto-renewable subscriptions, and with `GRANT_PRORATED` must lie between the two ends.
    public var consumptionPercentage: Int32?
    /// What the developer would like.
    public var refundPreference: RefundPreference?

    /// Creates the value from its parts.
    public init(
        customerConsented: Bool, deliveryStatus: DeliveryStatus, sampleContentProvided: Bool,
        consumptionPercentage: Int32? = nil, refundPreference: RefundPreference? = nil
    ) {
        self.customerConsented = customerConsented
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
        self.consumptionPercentage = consumptionPercentage
        self.refundPreference = refundPreference
    }
}

/// Whether a product was delivered. Apple's page: `deliveryStatus`, the second version.
public struct DeliveryStatus: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Delivered and working.
    public static let delivered = Self(rawValue: "DELIVERED")
    /// Not delivered: the quality was not right.
    public static let undeliveredQualityIssue = Self(rawValue: "UNDELIVERED_QUALITY_ISSUE")
    /// Not delivered: it was the wrong item.
    public static let undeliveredWrongItem = Self(rawValue: "UNDELIVERED_WRONG_ITEM")
    /// Not delivered: a server was down.
    public static let undeliveredServerOutage = Self(rawValue: "UNDELIVERED_SERVER_OUTAGE")
    /// Not delivered, for another reason.
    public static let undeliveredOther = Self(rawValue: "UNDELIVERED_OTHER")
}

/// What the developer would like the App Store to decide. Apple's page: `refundPreference`, the second version.
public struct RefundPreference: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No refund.
    public static let decline = Self(rawValue: "DECLINE")
    /// A full refund.
    public static let grantFull = Self(rawValue: "GRANT_FULL")
    /// A refund of what was not used.
    public static let grantProrated = Self(rawValue: "GRANT_PRORATED")
}
