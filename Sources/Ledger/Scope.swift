package import AppStoreModels

/// One app in one environment. Every key of the ledger and every query begins with it, so test data never grants
/// production access.
package struct Scope: Sendable, Hashable {
    /// The storage's number for it.
    package var id: Int64
    /// The app.
    package var bundleID: String
    /// The environment.
    package var environment: AppStoreEnvironment

    package init(id: Int64, bundleID: String, environment: AppStoreEnvironment) {
        self.id = id
        self.bundleID = bundleID
        self.environment = environment
    }
}

/// The scopes of a server.
package struct ScopeRegistry: Sendable {
    private struct Name: Hashable {
        var bundleID: ExactText
        var environment: AppStoreEnvironment

        init(_ bundleID: String, _ environment: AppStoreEnvironment) {
            self.bundleID = ExactText(bundleID)
            self.environment = environment
        }
    }

    /// All of them.
    package let all: [Scope]
    private let byName: [Name: Scope]
    private let byID: [Int64: Scope]

    package init(_ scopes: [Scope]) {
        all = scopes
        byName = Dictionary(
            scopes.map { (Name($0.bundleID, $0.environment), $0) },
            uniquingKeysWith: { first, _ in first })
        byID = Dictionary(scopes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The scope of an app and an environment.
    package subscript(bundleID: String, environment: AppStoreEnvironment) -> Scope? {
        byName[Name(bundleID, environment)]
    }

    /// The scope with this number.
    package subscript(id id: Int64) -> Scope? { byID[id] }
}
