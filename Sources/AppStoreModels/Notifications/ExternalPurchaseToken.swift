public import Foundation

/// A token for a purchase outside the App Store. Apple's page: `externalPurchaseToken`.
///
/// The token has no environment, but its identifier shows it. See ``isSandbox``.
public struct ExternalPurchaseToken: Sendable, Hashable, Codable {
    /// The token's identifier. In the sandbox it begins with `SANDBOX`.
    public var externalPurchaseId: String
    /// When the token was created.
    public var tokenCreationDate: Date
    /// The app's Apple ID.
    public var appAppleId: Int64
    /// The bundle identifier of the app.
    public var bundleId: String
    /// When a custom-link token expires. Documented only; not in Apple's libraries.
    public var tokenExpirationDate: Date?
    /// The type of a custom-link token. Documented only; not in Apple's libraries.
    public var tokenType: ExternalPurchaseTokenType?

    /// Creates the value from its parts.
    public init(
        externalPurchaseId: String, tokenCreationDate: Date, appAppleId: Int64, bundleId: String,
        tokenExpirationDate: Date? = nil, tokenType: ExternalPurchaseTokenType? = nil
    ) {
        self.externalPurchaseId = externalPurchaseId
        self.tokenCreationDate = tokenCreationDate
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.tokenExpirationDate = tokenExpirationDate
        self.tokenType = tokenType
    }
}

/// The type of a custom-link token. Apple's page: `tokenType`. Documented only; not in Apple's libraries.
public struct ExternalPurchaseTokenType: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// For the store services fee.
    public static let services = Self(rawValue: "SERVICES")
    /// For the initial acquisition fee.
    public static let acquisition = Self(rawValue: "ACQUISITION")
    /// For the core technology commission.
    public static let coreTechnology = Self(rawValue: "CORE_TECHNOLOGY")
}

extension ExternalPurchaseToken {
    /// Whether the token belongs to the sandbox.
    public var isSandbox: Bool { Self.isSandbox(externalPurchaseId) }

    /// Whether the token with an identifier belongs to the sandbox.
    package static func isSandbox(_ externalPurchaseId: String) -> Bool {
        externalPurchaseId.utf8.starts(with: "SANDBOX".utf8)
    }
}
