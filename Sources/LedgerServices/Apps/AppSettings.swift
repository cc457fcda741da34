public import AppStoreModels
public import AppStoreServer
public import Entitlements
public import Ledger

/// The configuration of one app.
public struct AppSettings: Sendable {
    /// The bundle identifier.
    public var bundleID: String

    /// The Apple ID of the app, a number. Required if ``environments`` contains production.
    public var appAppleID: Int64?

    /// The environments that the server accepts data from. The sandbox is included unless it is removed explicitly,
    /// because App Review buys there. The data of each environment is stored separately.
    public var environments: Set<AppStoreEnvironment>

    /// The key for the App Store Server API. Without it, there is no recovery, and no history for restores.
    public var key: APIKey?

    /// The key that signs promotional offers in the original format. If nil, ``key`` signs them. JWS offers are always
    /// signed with ``key``.
    public var offerKey: SigningKey?

    /// The identifiers of the promotional offers that clients with a key shipped in the app may request. Default: none.
    public var publicOffers: Set<String> = []

    /// The shared secrets, which old clients send as `password` to `verifyReceipt`. Several while one is being
    /// replaced.
    public var sharedSecrets: [Secret] = []

    /// The hosts of the App Store Server API. Default: Apple's hosts.
    public var hosts: [AppStoreEnvironment: AppStoreHost] = [.production: .production, .sandbox: .sandbox]

    /// The policy for purchases of one customer that another one restores. Default: they move.
    public var restorePolicy = RestorePolicy.transfer

    /// The entitlements, durations, levels and subscription groups of the app's products.
    public var catalogue = ProductCatalogue()

    /// The policy for consumption requests; nil to not answer them.
    public var consumption: ConsumptionPolicy?

    /// The secret for customer tokens (HS256), which clients with a key shipped in the app need. During a replacement,
    /// the newer one, which also signs sessions.
    public var customerTokenSecret: Secret?

    /// The secret for customer tokens that is being replaced. Its tokens are accepted.
    public var formerCustomerTokenSecret: Secret?

    /// All secrets for customer tokens, newest first.
    package var customerTokenSecrets: [Secret] {
        [customerTokenSecret, formerCustomerTokenSecret].compactMap(\.self)
    }

    /// The key that signs responses about customers if an app requests it; nil to sign none.
    public var responseSigningKey: ResponseSigningKey?

    /// Creates an app with the defaults of all other settings. The sandbox is added to `environments`.
    public init(
        bundleID: String, appAppleID: Int64? = nil,
        environments: Set<AppStoreEnvironment> = [.production, .sandbox]
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.environments = environments.union([.sandbox])
    }

    /// A key from App Store Connect for the App Store Server API.
    public struct APIKey: Sendable {
        /// The issuer's identifier.
        public var issuerID: String
        /// The private key and its identifier. During a replacement, the newer one.
        public var signingKey: SigningKey
        /// The key that is being replaced. It is used if the App Store refuses the newer one.
        public var formerKey: SigningKey?

        /// Creates a key.
        public init(issuerID: String, signingKey: SigningKey, formerKey: SigningKey? = nil) {
            self.issuerID = issuerID
            self.signingKey = signingKey
            self.formerKey = formerKey
        }

        /// All keys, newest first.
        package var all: [SigningKey] { [signingKey] + (formerKey.map { [$0] } ?? []) }
    }
}
