public import AppStoreModels
/// What the App Store does not say about the products of an app, and its owner knows.
public struct ProductCatalogue: Sendable, Hashable {
    /// The entitlements: each name with the products that give it.
    public var entitlements: [String: Set<String>]
    /// How long non-renewing subscriptions last, by product. One that is not listed never ends.
    public var durations: [String: Period]
    /// The level of a subscription within its group, 1 for the highest, by product. Among several active ones the highest
    /// counts; those that are not listed come last.
    public var levels: [String: Int]

    /// Describes products.
    public init(
        entitlements: [String: Set<String>] = [:], durations: [String: Period] = [:], levels: [String: Int] = [:]
    ) {
        self.entitlements = entitlements
        self.durations = durations
        self.levels = levels
    }
}
