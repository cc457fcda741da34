package import AppStoreModels
internal import Basics
package import Entitlements
package import Ledger

/// The apps that are served, and what judges their customers. Their keys and secrets may be replaced while the server runs.
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

    private let table: Live<Table>

    package init(_ all: [AppSettings]) { table = Live(Table(all)) }

    /// All of them, each once.
    package var all: [AppSettings] { table.current.all }

    /// The app with this bundle identifier.
    package subscript(bundleID: String) -> AppSettings? { table.current.all.first { $0.bundleID.isExactly(bundleID) } }

    /// The scope of an app and an environment that are served; nil for others. The ledger remembers what was taken out of
    /// the configuration, and a receipt is proven without regard to it.
    package func served(
        _ bundleID: String, _ environment: AppStoreEnvironment, among scopes: ScopeRegistry
    ) -> Scope? {
        guard self[bundleID]?.environments.contains(environment) ?? false else { return nil }
        return scopes[bundleID, environment]
    }

    /// What says which states follow from the facts of an app's customers. Of an app that is not served any more, one
    /// without a catalogue.
    package func engine(of bundleID: String) -> EntitlementEngine {
        table.current.engines[bundleID] ?? EntitlementEngine(catalogue: ProductCatalogue())
    }

    /// Has everybody who asks from now on find other settings.
    package func replace(with all: [AppSettings]) { table.replace(with: Table(all)) }
}
