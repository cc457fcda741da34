/// The environment in which a purchase was made and signed. Apple's page: `environment`.
///
/// Never mix data of different environments: a sandbox purchase costs nothing.
public struct AppStoreEnvironment: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The test environment of the App Store, including TestFlight.
    public static let sandbox = Self(rawValue: "Sandbox")
    /// The App Store itself.
    public static let production = Self(rawValue: "Production")
    /// StoreKit testing in Xcode: signed on the developer's machine with a key that anyone can use.
    public static let xcode = Self(rawValue: "Xcode")
    /// Only for unit tests; Apple never sends it.
    public static let localTesting = Self(rawValue: "LocalTesting")
}
