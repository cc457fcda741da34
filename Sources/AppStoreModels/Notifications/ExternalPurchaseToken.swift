public import Foundation

/// A token for a purchase outside the App Store. Apple's page: `externalPurchaseToken`.
///
/// It has no environment; the identifier tells. See ``isSandbox``.
public struct ExternalPurchaseToken: Sendable, Hashable, Codable {
    /// The token's identifier. In the sandbox it begins with `SANDBOX`.
    public var externalPurchaseId: String
    /// When the token was made.
    public var tokenCreationDate: Date
    /// The app's number.
    public var appAppleId: Int64
    /// The app.
    public var bundleId: String
    /// When a custom-link token ends. Documented only; no library of Apple's has it.
    public var tokenExpirationDate: Date?
    /// The kind of a custom-link token. Documented only; no library of Apple's has it.
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

/// The kind of a custom-link token. Apple's page: `tokenType`. Documented only; no library of Apple's has it.
public struct ExternalPurchaseTokenType: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
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
    public var isSandbox: Bool { externalPurchaseId.utf8.starts(with: "SANDBOX".utf8) }
}
