/// Information for the App Store's decision on a refund. Apple's page: `ConsumptionRequest`, the second version.
///
/// Send it within 12 hours after a `CONSUMPTION_REQUEST` notification.
public struct ConsumptionRequest: Sendable, Hashable, Codable {
    /// Whether the customer consented to sending the information. Must be true; otherwise send nothing.
    public var customerConsented: Bool
    /// Whether the customer received a working product.
    public var deliveryStatus: DeliveryStatus
    /// Whether the customer could try the product before buying.
    public var sampleContentProvided: Bool
    /// How much was used, in thousandths of a percent, 0 to 100000. Must be 0 if the product was not delivered. Not
    /// allowed for auto-renewable subscriptions. With `GRANT_PRORATED`, must be above 0 and below 100000.
    public var consumptionPercentage: Int32?
    /// The developer's preferred decision.
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
public struct DeliveryStatus: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Delivered and working.
    public static let delivered = Self(rawValue: "DELIVERED")
    /// Not delivered: a quality issue.
    public static let undeliveredQualityIssue = Self(rawValue: "UNDELIVERED_QUALITY_ISSUE")
    /// Not delivered: the wrong item.
    public static let undeliveredWrongItem = Self(rawValue: "UNDELIVERED_WRONG_ITEM")
    /// Not delivered: a server outage.
    public static let undeliveredServerOutage = Self(rawValue: "UNDELIVERED_SERVER_OUTAGE")
    /// Not delivered, for another reason.
    public static let undeliveredOther = Self(rawValue: "UNDELIVERED_OTHER")
}

/// The decision that the developer prefers. Apple's page: `refundPreference`, the second version.
public struct RefundPreference: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No refund.
    public static let decline = Self(rawValue: "DECLINE")
    /// A full refund.
    public static let grantFull = Self(rawValue: "GRANT_FULL")
    /// A refund of the unused part.
    public static let grantProrated = Self(rawValue: "GRANT_PRORATED")
}
