/// The result of extending renewal dates for all subscribers. Apple's page: `summary`.
public struct NotificationSummary: Sendable, Hashable, Codable {
    /// The identifier in the request, unchanged.
    public var requestIdentifier: String
    /// The environment.
    public var environment: AppStoreEnvironment
    /// The app's Apple ID. Absent in the sandbox.
    public var appAppleId: Int64?
    /// The bundle identifier of the app.
    public var bundleId: String
    /// The product whose subscriptions were extended.
    public var productId: String
    /// The storefronts, ISO 3166-1 alpha-3. Absent means all.
    public var storefrontCountryCodes: [String]?
    /// The number of subscriptions that were extended.
    public var succeededCount: Int64
    /// The number of subscriptions that could not be extended.
    public var failedCount: Int64

    /// Creates the value from its parts.
    public init(
        requestIdentifier: String, environment: AppStoreEnvironment, appAppleId: Int64? = nil, bundleId: String,
        productId: String, storefrontCountryCodes: [String]? = nil, succeededCount: Int64, failedCount: Int64
    ) {
        self.requestIdentifier = requestIdentifier
        self.environment = environment
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.productId = productId
        self.storefrontCountryCodes = storefrontCountryCodes
        self.succeededCount = succeededCount
        self.failedCount = failedCount
    }
}
