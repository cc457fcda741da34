public import Foundation

/// What a signed app transaction says: the customer's download of the app, from the device or from the server.
/// Apple's pages: `AppTransaction` and `JWSAppTransactionDecodedPayload`.
///
/// Mind two names: `receiptType` is the environment and `receiptCreationDate` is the date of signing.
public struct AppTransaction: Sendable, Hashable, Codable {
    /// The environment.
    public var receiptType: AppStoreEnvironment
    /// The app's number. Absent outside production.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: String
    /// The version of the app on the device. Device variant only.
    public var applicationVersion: String?
    /// The App Store's number of that version. Device variant only.
    public var versionExternalIdentifier: Int64?
    /// When Apple signed this.
    public var receiptCreationDate: Date
    /// When the customer first got the app.
    public var originalPurchaseDate: Date
    /// The version the customer first got; the build number on iOS, the short version on macOS.
    public var originalApplicationVersion: String
    /// Base64 of a SHA-384 that binds this to one device. Device variant only.
    public var deviceVerification: String?
    /// The nonce that went into `deviceVerification`. Device variant only.
    public var deviceVerificationNonce: UUID?
    /// When the customer ordered the app, if that was before its release.
    public var preorderDate: Date?
    /// This download: one for each Apple Account and app.
    public var appTransactionId: String?
    /// The platform the customer first got the app on.
    public var originalPlatform: PurchasePlatform?
    /// The kind of store (1.22). Documented only; no library of Apple's has it.
    public var storeType: StoreType?
    /// When the data was asked for. Seen only in data signed by Xcode.
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

/// The platform an app was first got on. Apple's page: `originalPlatform`. Mind the mixed case.
public struct PurchasePlatform: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
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

/// The kind of store. Apple's page: `storeType` (1.22). Documented only; no library of Apple's has it.
public struct StoreType: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The App Store as everybody knows it; the only value in the server API.
    public static let consumer = Self(rawValue: "CONSUMER")
}
