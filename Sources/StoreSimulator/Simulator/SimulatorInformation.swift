public import AppStoreModels

/// The URLs, keys and files that a program needs to use a running simulator: the contents of `simulator.json`.
public struct SimulatorInformation: Sendable, Hashable, Codable {
    /// The base URLs of the App Store Server API. Clients append paths such as `/inApps/v2/…`.
    public var baseURLs: BaseURLs
    /// The base URL of the control API.
    public var controlURL: String
    /// The issuer ID of the In-App Purchase key.
    public var issuerID: String
    /// The key ID of the In-App Purchase key.
    public var keyID: String
    /// The path of the In-App Purchase key, a `.p8` file.
    public var privateKey: String
    /// The bundle identifier of the app.
    public var bundleID: String
    /// The Apple ID of the app.
    public var appAppleID: Int64
    /// The paths of the root certificates of signed data and of receipts, DER. The root of receipts is missing if it is
    /// created later: see ``SimulatorConfiguration/createsReceiptAuthorityAtStart``.
    public var rootCertificates: [String]
    /// The shared secret of `verifyReceipt`.
    public var sharedSecret: String?
    /// The process ID of the simulator.
    public var processIdentifier: Int32

    private enum CodingKeys: String, CodingKey {
        case baseURLs, controlURL
        case issuerID = "issuerId"
        case keyID = "keyId"
        case privateKey
        case bundleID = "bundleId"
        case appAppleID = "appAppleId"
        case rootCertificates, sharedSecret, processIdentifier
    }

    /// One URL for each environment.
    public struct BaseURLs: Sendable, Hashable, Codable {
        /// The production environment.
        public var production: String
        /// The sandbox.
        public var sandbox: String

        /// The URL of an environment.
        public subscript(environment: AppStoreEnvironment) -> String {
            environment == .sandbox ? sandbox : production
        }
    }
}
