public import Foundation

/// Information for the App Store's decision on a refund. Apple's page: `ConsumptionRequestV1`.
///
/// Apple's libraries call it deprecated; the documentation keeps it for Advanced Commerce. The documentation requires
/// every field except `refundPreference`, the libraries none. Here they are required, because Apple refuses a request
/// without one. Use "undeclared" for unknown values.
public struct ConsumptionRequestV1: Sendable, Hashable, Codable {
    /// Whether the customer consented to sending the information. Must be true; otherwise send nothing.
    public var customerConsented: Bool
    /// How much the customer used.
    public var consumptionStatus: ConsumptionStatus
    /// Where the customer used it.
    public var platform: ConsumptionPlatform
    /// Whether the customer could try the product before buying.
    public var sampleContentProvided: Bool
    /// Whether the customer received a working product. Note that 0 means delivered.
    public var deliveryStatus: DeliveryStatusV1
    /// The account token of the developer. `nil` is sent as an empty string and never omitted.
    public var appAccountToken: UUID?
    /// How old the customer's account is.
    public var accountTenure: AccountTenure
    /// How long the customer used the app.
    public var playTime: PlayTime
    /// How much was refunded to the customer, on all platforms.
    public var lifetimeDollarsRefunded: LifetimeDollarsRefunded
    /// How much the customer spent, on all platforms.
    public var lifetimeDollarsPurchased: LifetimeDollarsPurchased
    /// The status of the customer's account.
    public var userStatus: UserStatus
    /// The developer's preferred decision.
    public var refundPreference: RefundPreferenceV1?

    /// Creates the value from its parts.
    public init(
        customerConsented: Bool, consumptionStatus: ConsumptionStatus, platform: ConsumptionPlatform,
        sampleContentProvided: Bool, deliveryStatus: DeliveryStatusV1, appAccountToken: UUID? = nil,
        accountTenure: AccountTenure, playTime: PlayTime, lifetimeDollarsRefunded: LifetimeDollarsRefunded,
        lifetimeDollarsPurchased: LifetimeDollarsPurchased, userStatus: UserStatus,
        refundPreference: RefundPreferenceV1? = nil
    ) {
        self.customerConsented = customerConsented
        self.consumptionStatus = consumptionStatus
        self.platform = platform
        self.sampleContentProvided = sampleContentProvided
        self.deliveryStatus = deliveryStatus
        self.appAccountToken = appAccountToken
        self.accountTenure = accountTenure
        self.playTime = playTime
        self.lifetimeDollarsRefunded = lifetimeDollarsRefunded
        self.lifetimeDollarsPurchased = lifetimeDollarsPurchased
        self.userStatus = userStatus
        self.refundPreference = refundPreference
    }

    enum CodingKeys: String, CodingKey {
        case customerConsented, consumptionStatus, platform, sampleContentProvided, deliveryStatus, appAccountToken,
            accountTenure, playTime, lifetimeDollarsRefunded, lifetimeDollarsPurchased, userStatus, refundPreference
    }
}

extension KeyedEncodingContainer where Key == ConsumptionRequestV1.CodingKeys {
    // Apple's libraries for Swift and Java send the empty string, those for Python and Node omit the field. The
    // documentation requires the empty string.
    mutating func encodeIfPresent(_ value: UUID?, forKey key: Key) throws {
        try encode(value?.text ?? "", forKey: key)
    }
}
