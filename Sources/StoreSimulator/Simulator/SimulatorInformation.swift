public import AppStoreModels
internal import Foundation

/// What a program needs to talk to a running simulator: the contents of `simulator.json`.
public struct SimulatorInformation: Sendable, Hashable, Codable {
    /// Where the App Store Server API of each environment is: paths such as `/inApps/v2/…` are appended.
    public var baseURLs: BaseURLs
    /// Where the simulator itself is commanded.
    public var controlURL: String
    /// The issuer ID of the In-App Purchase key.
    public var issuerID: String
    /// The key ID of the In-App Purchase key.
    public var keyID: String
    /// The path of the In-App Purchase key, a `.p8` file.
    public var privateKey: String
    /// The app.
    public var bundleID: String
    /// The app.
    public var appAppleID: Int64
    /// The paths of the roots that signed data and receipts lead to, DER. The receipts' is missing where it is made only
    /// when it is needed: see ``SimulatorConfiguration/makesReceiptAuthority``.
    public var rootCertificates: [String]
    /// The shared secret of `verifyReceipt`.
    public var sharedSecret: String?
    /// The process that serves it.
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
