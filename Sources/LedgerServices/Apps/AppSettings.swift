public import AppStoreModels
public import AppStoreServer
public import Entitlements
public import Ledger

/// One app and what its owner knows about it.
public struct AppSettings: Sendable {
    /// The bundle identifier.
    public var bundleID: String

    /// The Apple ID of the app, a number. Always there if production is among ``environments``.
    public var appAppleID: Int64?

    /// Where its data may come from. The sandbox is among them unless it is taken out, since App Review buys there; what
    /// comes from it is kept apart.
    public var environments: Set<AppStoreEnvironment>

    /// The key for the App Store Server API; nil: no recovery, and no history for restores.
    public var key: APIKey?

    /// The key of promotional offers in the original format; nil: ``key``, with which JWS are signed in any case.
    public var offerKey: SigningKey?

    /// The promotional offers, by identifier, that keys shipped in the app may have signed. Default: none.
    public var publicOffers: Set<String> = []

    /// What old clients send as `password` to `verifyReceipt`; several while one is being replaced.
    public var sharedSecrets: [Secret] = []

    /// Where the App Store Server API is. Apple's hosts, unless the file says otherwise.
    public var hosts: [AppStoreEnvironment: AppStoreHost] = [.production: .production, .sandbox: .sandbox]

    /// What happens when a purchase of one customer is restored by another. Default: it moves.
    public var restorePolicy = RestorePolicy.transfer

    /// The entitlements, the durations, the levels and the groups of its products.
    public var catalogue = ProductCatalogue()

    /// How questions before refunds are answered; nil: not at all.
    public var consumption: ConsumptionPolicy?

    /// The secret that customer tokens are signed with (HS256), for keys that are shipped in the app.
    public var customerTokenSecret: Secret?

    /// The key that answers about customers are signed with when an app asks for it; nil: none is signed.
    public var answerKey: AnswerKey?

    /// An app with the default of everything else. The sandbox is added to `environments`.
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
        /// The private key and its identifier. While it is being replaced, the newer one.
        public var signingKey: SigningKey
        /// The key that is being replaced: the API is asked with it where the App Store refuses the newer one.
        public var formerKey: SigningKey?

        /// A key.
        public init(issuerID: String, signingKey: SigningKey, formerKey: SigningKey? = nil) {
            self.issuerID = issuerID
            self.signingKey = signingKey
            self.formerKey = formerKey
        }

        /// The newest first.
        package var all: [SigningKey] { [signingKey] + (formerKey.map { [$0] } ?? []) }
    }
}
