/// The environment of a receipt.
public struct ReceiptEnvironment: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Apple's name.
    public let rawValue: String

    /// Creates an environment from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The App Store.
    public static let production = Self(rawValue: "Production")
    /// Sandbox testers, TestFlight and App Review.
    public static let sandbox = Self(rawValue: "Sandbox")
    /// StoreKit testing in Xcode. Anyone can sign for it.
    public static let xcode = Self(rawValue: "Xcode")

    /// The name.
    public var description: String { rawValue }
}
