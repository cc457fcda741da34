internal import AppStoreModels

extension AppStoreEnvironment {
    /// The environments of a simulator.
    static let simulated: [Self] = [.production, .sandbox]

    /// The name in paths and scenarios: `production` or `sandbox`.
    var pathName: String { rawValue.lowercased() }

    /// Returns the environment of a simulator with this name; nil for any other name.
    static func named(_ name: String) -> Self? { simulated.first { $0.pathName == name } }
}
