public import Foundation

/// What the App Store wants to know before it decides on a refund. Apple's page: `ConsumptionRequestV1`.
///
/// Apple's libraries call it deprecated, the documentation keeps it for Advanced Commerce. The documentation requires
/// every field but `refundPreference`, the libraries none; here they are required, as a missing one is refused. Say
/// "undeclared" where there is nothing to say.
public struct ConsumptionRequestV1: Sendable, Hashable, Codable {
    /// Whether the customer agreed that this is sent. Must be true; otherwise send nothing.
    public var customerConsented: Bool
    /// How much the customer used.
    public var consumptionStatus: ConsumptionStatus
    /// Where the customer used it.
    public var platform: ConsumptionPlatform
    /// Whether the customer could try before buying.
    public var sampleContentProvided: Bool
    /// Whether the customer got a product that works. Mind that 0 means delivered.
    public var deliveryStatus: DeliveryStatusV1
    /// The developer's own link to an account. `nil` is sent as an empty string, never left out.
    public var appAccountToken: UUID?
    /// How old the customer's account is.
    public var accountTenure: AccountTenure
    /// How long the customer used the app.
    public var playTime: PlayTime
    /// How much the customer got back, over all platforms.
    public var lifetimeDollarsRefunded: LifetimeDollarsRefunded
    /// How much the customer spent, over all platforms.
    public var lifetimeDollarsPurchased: LifetimeDollarsPurchased
    /// The state of the customer's account.
    public var userStatus: UserStatus
    /// What the developer would like.
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
    // Apple's libraries for Swift and Java send the empty string, those for Python and Node leave the field out. The
    // documentation asks for the empty string, which is what both sides understand.
    mutating func encodeIfPresent(_ value: UUID?, forKey key: Key) throws {
        try encode(value?.uuidString.lowercased() ?? "", forKey: key)
    }
}
