public import Foundation

/// The payload of a signed app transaction: the customer's download of the app, from the device or from the server.
/// Apple's pages: `AppTransaction` and `JWSAppTransactionDecodedPayload`.
///
/// Note two names: `receiptType` is the environment and `receiptCreationDate` is the signing date.
public struct AppTransaction: Sendable, Hashable, Codable {
    /// The environment.
    public var receiptType: AppStoreEnvironment
    /// The app's Apple ID. Absent outside production.
    public var appAppleId: Int64?
    /// The bundle identifier of the app.
    public var bundleId: String
    /// The version of the app on the device. Only from the device.
    public var applicationVersion: String?
    /// The App Store's identifier of that version. Only from the device.
    public var versionExternalIdentifier: Int64?
    /// When Apple signed the payload.
    public var receiptCreationDate: Date
    /// When the customer first got the app.
    public var originalPurchaseDate: Date
    /// The version the customer first got; the build number on iOS, the short version on macOS.
    public var originalApplicationVersion: String
    /// Base64 of a SHA-384 that binds the payload to one device. Only from the device.
    public var deviceVerification: String?
    /// The nonce of `deviceVerification`. Only from the device.
    public var deviceVerificationNonce: UUID?
    /// When the customer pre-ordered the app.
    public var preorderDate: Date?
    /// The identifier of the download: one for each Apple Account and app.
    public var appTransactionId: String?
    /// The platform on which the customer first got the app.
    public var originalPlatform: PurchasePlatform?
    /// The type of store (1.22). Documented only; not in Apple's libraries.
    public var storeType: StoreType?
    /// When the data were requested. Present only in data signed by Xcode.
    public var requestDate: Date?

    /// Creates the value from its parts.
    public init(
        receiptType: AppStoreEnvironment, appAppleId: Int64? = nil, bundleId: String, applicationVersion: String? = nil,
        versionExternalIdentifier: Int64? = nil, receiptCreationDate: Date, originalPurchaseDate: Date,
        originalApplicationVersion: String, deviceVerification: String? = nil, deviceVerificationNonce: UUID? = nil,
        preorderDate: Date? = nil, appTransactionId: String? = nil, originalPlatform: PurchasePlatform? = nil,
        storeType: StoreType? = nil, requestDate: Date? = nil
    ) {
        self.receiptType = receiptType
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.applicationVersion = applicationVersion
        self.versionExternalIdentifier = versionExternalIdentifier
        self.receiptCreationDate = receiptCreationDate
        self.originalPurchaseDate = originalPurchaseDate
        self.originalApplicationVersion = originalApplicationVersion
        self.deviceVerification = deviceVerification
        self.deviceVerificationNonce = deviceVerificationNonce
        self.preorderDate = preorderDate
        self.appTransactionId = appTransactionId
        self.originalPlatform = originalPlatform
        self.storeType = storeType
        self.requestDate = requestDate
    }

    enum CodingKeys: String, SignedPayloadKey {
        case receiptType, appAppleId, bundleId, applicationVersion, versionExternalIdentifier, receiptCreationDate,
            originalPurchaseDate, originalApplicationVersion, deviceVerification, deviceVerificationNonce, preorderDate,
            appTransactionId, originalPlatform, storeType, requestDate
    }
}

/// The platform on which an app was first downloaded. Apple's page: `originalPlatform`. Note the mixed case.
public struct PurchasePlatform: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// iPhone and iPad.
    public static let iOS = Self(rawValue: "iOS")
    /// Mac.
    public static let macOS = Self(rawValue: "macOS")
    /// Apple TV.
    public static let tvOS = Self(rawValue: "tvOS")
    /// Apple Vision.
    public static let visionOS = Self(rawValue: "visionOS")
}

/// The type of store. Apple's page: `storeType` (1.22). Documented only; not in Apple's libraries.
public struct StoreType: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The public App Store; the only value in the server API.
    public static let consumer = Self(rawValue: "CONSUMER")
}
