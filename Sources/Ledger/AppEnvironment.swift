package import AppStoreModels

/// One app in one environment. Every row about its customers and every query of them contains its ``id``, which is
/// called `scope` there, so test data never grants production access.
package struct AppEnvironment: Sendable, Hashable {
    /// The row identifier in the database.
    package var id: Int64
    package var bundleID: String
    package var environment: AppStoreEnvironment

    package init(id: Int64, bundleID: String, environment: AppStoreEnvironment) {
        self.id = id
        self.bundleID = bundleID
        self.environment = environment
    }

    /// Whether the names are those of this app and environment; nil stands for any.
    package func matches(app: String?, environment: String?) -> Bool {
        (app?.isExactly(bundleID) ?? true) && (environment?.isExactly(self.environment.rawValue) ?? true)
    }
}

/// Every app and environment in the ledger, including apps that were removed from the configuration.
package struct AppEnvironmentRegistry: Sendable {
    private struct Name: Hashable {
        var bundleID: ExactText
        var environment: AppStoreEnvironment

        init(_ bundleID: String, _ environment: AppStoreEnvironment) {
            self.bundleID = ExactText(bundleID)
            self.environment = environment
        }
    }

    package let all: [AppEnvironment]
    private let byName: [Name: AppEnvironment]
    private let byID: [Int64: AppEnvironment]

    package init(_ scopes: [AppEnvironment]) {
        all = scopes
        byName = Dictionary(
            scopes.map { (Name($0.bundleID, $0.environment), $0) },
            uniquingKeysWith: { first, _ in first })
        byID = Dictionary(scopes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the entry of an app in an environment.
    package subscript(bundleID: String, environment: AppStoreEnvironment) -> AppEnvironment? {
        byName[Name(bundleID, environment)]
    }

    /// Returns the entry with this row identifier.
    package subscript(id id: Int64) -> AppEnvironment? { byID[id] }

    /// Returns the app and environment with this row identifier, for messages.
    package func name(of scope: Int64) -> String {
        byID[scope].map { "\($0.bundleID) \($0.environment.rawValue)" } ?? "scope \(scope)"
    }
}
