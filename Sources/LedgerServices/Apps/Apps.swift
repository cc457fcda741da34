package import AppStoreModels
internal import Basics
package import Entitlements
package import Ledger

/// The configured apps with their entitlement engines. Their keys and secrets may be replaced while the server runs.
package struct Apps: Sendable {
    private struct Table: Sendable {
        var all: [AppSettings]
        var engines: [String: EntitlementEngine]

        init(_ all: [AppSettings]) {
            self.all = all
            engines = Dictionary(
                all.map { ($0.bundleID, EntitlementEngine(catalogue: $0.catalogue)) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    private let table: SharedValue<Table>

    package init(_ all: [AppSettings]) { table = SharedValue(Table(all)) }

    /// All apps, each once.
    package var all: [AppSettings] { table.current.all }

    /// Returns the app with this bundle identifier.
    package subscript(bundleID: String) -> AppSettings? { table.current.all.first { $0.bundleID.isExactly(bundleID) } }

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
        table.current.engines[bundleID] ?? EntitlementEngine(catalogue: ProductCatalogue())
    }

    /// Replaces the settings of all apps.
    package func replace(with all: [AppSettings]) { table.replace(with: Table(all)) }
}
