internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import ConfigurationReading
internal import Ledger
internal import LedgerServices
internal import Logging
internal import WebConsole

/// The configuration that counts, and where each setting was said. No secret is in it, and no path of a key.
enum ConfigurationFacts {
    static func show(_ configuration: ServerConfiguration, _ page: inout ConsolePage) {
        page.title("Configuration")
        page.table(
            "What counts, and where it was said", ["Setting", "Value", "Said in"],
            settings(of: configuration).map { path, value in
                [.code(path), .foreign(value, limit: 500), .plain(configuration.origins.origin(of: path))]
            }, empty: "")
    }

    private static func settings(of configuration: ServerConfiguration) -> [(path: String, value: String)] {
        let (listen, storage, recovery) = (configuration.listen, configuration.storage, configuration.recovery)
        return [
            ("listen.host", listen.host), ("listen.port", "\(listen.port)"),
            ("listen.public_url", listen.publicURL ?? "none"), ("listen.tls", listen.tls == nil ? "no" : "yes"),
            ("trust.revocation", configuration.trust.revocation.rawValue), ("storage.path", storage.path),
            ("storage.synchronous", storage.synchronous.rawValue), ("storage.cache_mib", "\(storage.cacheMiB)"),
            ("recovery.enabled", recovery.isEnabled ? "yes" : "no"),
            ("log.level", configuration.log.level.rawValue),
            ("console.read_only", configuration.console.isReadOnly ? "yes" : "no"),
        ]
            + configuration.apps.enumerated().map { index, app in
                let environments = app.environments.map(\.rawValue).sorted().joined(separator: ", ")
                return ("apps[\(index)]", "\(app.bundleID) (\(environments))")
            }
            + configuration.keys.enumerated().map { ("keys[\($0)]", $1.name) }
            + configuration.webhooks.enumerated().map { ("webhooks[\($0)]", $1.name) }
    }
}
