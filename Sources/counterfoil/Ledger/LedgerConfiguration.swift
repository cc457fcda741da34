import ConfigurationReading
import CounterfoilServer
import Foundation

/// What the ledger commands read of a server's configuration: everything but secrets.
///
/// They work while the server is stopped. systemd's credentials do not exist then, and the secrets in the service's
/// environment are not in a shell's.
enum LedgerConfiguration {
    /// The settings that contain secrets, and nothing that a ledger command uses.
    private static let settings: Set = ["account_shared_secrets", "console", "keys", "listen", "webhooks"]
    /// The same within an app.
    private static let appSettings: Set = ["answer_key", "customer_token_secret", "key", "offers", "shared_secrets"]
    /// The variables of `listen`.
    private static let variables: Set = ["COUNTERFOIL_TLS_CERTIFICATE", "COUNTERFOIL_TLS_KEY"]

    /// Reads the configuration, or prints every problem in it.
    static func load(_ file: String) throws -> ServerConfiguration {
        try Input.requireFile(file)
        do {
            if let configuration = try withoutSecrets(of: URL(filePath: file)) { return configuration }
        } catch {
            // Read as a whole, below, it has every problem with its line.
        }
        return try Configurations.load(file).configuration
    }

    private static func withoutSecrets(of file: URL) throws -> ServerConfiguration? {
        let contents = try ConfigurationFiles.disk.read(file.path, maximumBytes: 1 << 20).contents
        guard let text = String(validating: contents, as: UTF8.self) else { return nil }
        // JSON is YAML.
        let json = try JSONSerialization.data(
            withJSONObject: removingSecrets(from: try ConfigurationValue(yaml: text)).json,
            options: [.withoutEscapingSlashes])
        let environment = ProcessInfo.processInfo.environment.filter { !variables.contains($0.key) }
        return try LoadedConfiguration(
            yaml: String(decoding: json, as: UTF8.self),
            folder: file.absoluteURL.deletingLastPathComponent().path, environment: environment, files: .disk
        ).configuration
    }

    private static func removingSecrets(from root: ConfigurationValue) -> ConfigurationValue {
        var root = root.removing(settings)
        guard case .mapping(var members) = root.content, case .list(let apps)? = members["apps"]?.content else {
            return root
        }
        members["apps"] = ConfigurationValue(.list(apps.map { $0.removing(appSettings) }))
        root.content = .mapping(members)
        return root
    }
}

extension ConfigurationValue {
    fileprivate func removing(_ keys: Set<String>) -> ConfigurationValue {
        guard case .mapping(let members) = content else { return self }
        return ConfigurationValue(.mapping(members.filter { !keys.contains($0.key) }))
    }

    /// As Foundation writes it.
    fileprivate var json: Any {
        switch content {
        case .nothing: return NSNull()
        case .text(let text): return text
        case .list(let items): return items.map(\.json)
        case .mapping(let members): return members.mapValues(\.json)
        }
    }
}
