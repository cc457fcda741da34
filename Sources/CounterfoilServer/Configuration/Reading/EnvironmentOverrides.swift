internal import ConfigurationReading

/// The settings that environment variables and the option `--port` override, so that several deployments can share a
/// file.
package struct EnvironmentOverrides {
    /// A setting and its variable.
    package struct Setting: Sendable {
        /// The name of the variable.
        package let variable: String
        /// The path of the setting in the file.
        package let path: [String]
    }

    /// All settings that can be overridden.
    package static let settings = [
        Setting(variable: "COUNTERFOIL_HOST", path: ["listen", "host"]),
        Setting(variable: "COUNTERFOIL_PORT", path: ["listen", "port"]),
        Setting(variable: "COUNTERFOIL_PUBLIC_URL", path: ["listen", "public_url"]),
        Setting(variable: "COUNTERFOIL_TLS_CERTIFICATE", path: ["listen", "tls", "certificate"]),
        Setting(variable: "COUNTERFOIL_TLS_KEY", path: ["listen", "tls", "key"]),
        Setting(variable: "COUNTERFOIL_STORAGE_PATH", path: ["storage", "path"]),
        Setting(variable: "COUNTERFOIL_STORAGE_SYNCHRONOUS", path: ["storage", "synchronous"]),
        Setting(variable: "COUNTERFOIL_REVOCATION", path: ["trust", "revocation"]),
        Setting(variable: "COUNTERFOIL_RECOVERY_ENABLED", path: ["recovery", "enabled"]),
        Setting(variable: "COUNTERFOIL_CLOCK", path: ["clock"]),
        Setting(variable: "COUNTERFOIL_LOG_LEVEL", path: ["log", "level"]),
        Setting(variable: "COUNTERFOIL_LOG_FORMAT", path: ["log", "format"]),
    ]

    private let values: [(source: String, path: [String], text: String)]

    /// Reads the overrides from the environment. Empty variables are ignored: Compose files leave unset variables
    /// empty.
    ///
    /// - Parameter port: The value of the option `--port`. It also overrides the variable.
    init(_ environment: [String: String], port: Int?) {
        values = Self.settings.compactMap { setting in
            if let port, setting.path == ["listen", "port"] {
                return (source: "--port", path: setting.path, text: "\(port)")
            }
            guard let text = environment[setting.variable], !text.isEmpty else { return nil }
            return (source: setting.variable, path: setting.path, text: text)
        }
    }

    /// Returns the file's content with the overrides applied.
    func applied(to root: ConfigurationValue) -> ConfigurationValue {
        values.reduce(root) { $0.replacing($1.path, with: $1.text) }
    }

    /// Returns the variable or option that overrides a setting; nil if none does.
    func source(of path: String) -> String? {
        values.first { $0.path.joined(separator: ".") == path }?.source
    }

    /// Variables that only the command line tool reads: the key for `recover --url`, and the simulator's URL for the
    /// commands that control a simulator.
    private static let commandVariables = ["COUNTERFOIL_KEY", "COUNTERFOIL_SIMULATOR"]

    /// Returns a warning for each variable that begins with `COUNTERFOIL_` and is unknown.
    static func notes(on names: some Sequence<String>) -> [ConfigurationIssue] {
        let known = settings.map(\.variable)
        let others = known + commandVariables
        return names.filter { $0.hasPrefix("COUNTERFOIL_") && !others.contains($0) }.sorted().map { name in
            let suggestion = SpellingSuggestion.suggestion(for: name, among: known)
            return ConfigurationIssue(message: "the environment variable \(quoted(name)) is not a setting\(suggestion)")
        }
    }
}
