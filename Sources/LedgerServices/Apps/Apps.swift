package import AppStoreModels
internal import Basics
package import Entitlements
package import Ledger

/// The configured apps with their entitlement engines. Their keys and secrets may be replaced while the server runs.
package struct Apps: Sendable {
    private struct Table: Sendable {
        var all: [AppSettings]
        var byBundleID: [ExactText: (settings: AppSettings, engine: EntitlementEngine)]

        init(_ all: [AppSettings]) {
            self.all = all
            byBundleID = Dictionary(
                all.map { app in
                    (ExactText(app.bundleID), (settings: app, engine: EntitlementEngine(catalogue: app.catalogue)))
                }, uniquingKeysWith: { first, _ in first })
        }

        subscript(bundleID: String) -> (settings: AppSettings, engine: EntitlementEngine)? {
            byBundleID[ExactText(bundleID)]
        }
    }

    private let table: SharedValue<Table>

    package init(_ all: [AppSettings]) { table = SharedValue(Table(all)) }

    /// All apps, each once.
    package var all: [AppSettings] { table.current.all }

    /// Returns the app with this bundle identifier.
    package subscript(bundleID: String) -> AppSettings? { table.current[bundleID]?.settings }

    /// Returns the scope of an app and environment if the configuration contains both. The ledger still has the scopes
    /// of removed apps and environments, and receipts of any environment verify.
    package func served(
        _ bundleID: String, _ environment: AppStoreEnvironment, among scopes: AppEnvironmentRegistry
    ) -> AppEnvironment? {
        guard self[bundleID]?.environments.contains(environment) ?? false else { return nil }
        return scopes[bundleID, environment]
    }

    /// Returns the engine that derives customers' states from their facts. For an app that is no longer configured, its
    /// catalogue is empty.
    package func engine(of bundleID: String) -> EntitlementEngine {
        table.current[bundleID]?.engine ?? EntitlementEngine(catalogue: ProductCatalogue())
    }

    /// Replaces the settings of all apps.
    package func replace(with all: [AppSettings]) { table.replace(with: Table(all)) }
}
