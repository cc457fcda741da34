/// The app and the purchase that a notification is about. Apple's page: `data`.
public struct NotificationData: Sendable, Hashable, Codable {
    /// The environment.
    public var environment: AppStoreEnvironment
    /// The app's Apple ID. Absent for an app that is only in the sandbox.
    public var appAppleId: Int64?
    /// The bundle identifier of the app.
    public var bundleId: String
    /// The build number of the app.
    public var bundleVersion: String?
    /// The JWS of a ``JWSTransactionDecodedPayload``. Absent for `TEST`.
    public var signedTransactionInfo: String?
    /// The JWS of a ``JWSRenewalInfoDecodedPayload``. Subscriptions only.
    public var signedRenewalInfo: String?
    /// The status of the subscription when the notification was signed. Subscriptions only.
    public var status: SubscriptionStatus?
    /// Why the customer requested a refund. `CONSUMPTION_REQUEST` only.
    public var consumptionRequestReason: ConsumptionRequestReason?

    /// Creates the value from its parts.
    public init(
        environment: AppStoreEnvironment, appAppleId: Int64? = nil, bundleId: String, bundleVersion: String? = nil,
        signedTransactionInfo: String? = nil, signedRenewalInfo: String? = nil, status: SubscriptionStatus? = nil,
        consumptionRequestReason: ConsumptionRequestReason? = nil
    ) {
        self.environment = environment
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.bundleVersion = bundleVersion
        self.signedTransactionInfo = signedTransactionInfo
        self.signedRenewalInfo = signedRenewalInfo
        self.status = status
        self.consumptionRequestReason = consumptionRequestReason
    }
}

/// Why the customer requested a refund. Apple's page: `consumptionRequestReason`.
public struct ConsumptionRequestReason: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The product was bought by mistake.
    public static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    /// The product was not received or is not usable.
    public static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    /// The customer is not satisfied.
    public static let unsatisfiedWithPurchase = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// A legal reason.
    public static let legal = Self(rawValue: "LEGAL")
    /// Another reason.
    public static let other = Self(rawValue: "OTHER")
}

/// The app that a notification without a purchase is about. Apple's page: `appData`.
public struct AppData: Sendable, Hashable, Codable {
    /// The app's Apple ID.
    public var appAppleId: Int64?
    /// The bundle identifier of the app.
    public var bundleId: String
    /// The environment.
    public var environment: AppStoreEnvironment
    /// The JWS of an ``AppTransaction``.
    public var signedAppTransactionInfo: String

    /// Creates the value from its parts.
    public init(
        appAppleId: Int64? = nil, bundleId: String, environment: AppStoreEnvironment, signedAppTransactionInfo: String
    ) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environment = environment
        self.signedAppTransactionInfo = signedAppTransactionInfo
    }
}
