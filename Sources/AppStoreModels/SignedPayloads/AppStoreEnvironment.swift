/// Where a purchase was made and who signed it. Apple's page: `environment`.
///
/// Data of different environments must never be mixed: a sandbox purchase costs nothing.
public struct AppStoreEnvironment: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The test environment of the App Store, including TestFlight.
    public static let sandbox = Self(rawValue: "Sandbox")
    /// The App Store itself.
    public static let production = Self(rawValue: "Production")
    /// StoreKit testing in Xcode: signed on the developer's machine, by nobody one could trust.
    public static let xcode = Self(rawValue: "Xcode")
    /// Unit tests only; Apple never sends it.
    public static let localTesting = Self(rawValue: "LocalTesting")
}
