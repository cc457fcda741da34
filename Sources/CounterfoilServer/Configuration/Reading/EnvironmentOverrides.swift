internal import ConfigurationReading

/// The settings that environment variables and the option `--port` override, so that several deployments can share a
/// file.
package struct EnvironmentOverrides {
    /// The settings that can be overridden: each variable and the path of its setting.
    package static let settings: [(variable: String, path: String)] = [
        ("COUNTERFOIL_HOST", "listen.host"),
        ("COUNTERFOIL_PORT", "listen.port"),
        ("COUNTERFOIL_PUBLIC_URL", "listen.public_url"),
        ("COUNTERFOIL_TLS_CERTIFICATE", "listen.tls.certificate"),
        ("COUNTERFOIL_TLS_KEY", "listen.tls.key"),
        ("COUNTERFOIL_STORAGE_PATH", "storage.path"),
        ("COUNTERFOIL_STORAGE_SYNCHRONOUS", "storage.synchronous"),
        ("COUNTERFOIL_REVOCATION", "trust.revocation"),
        ("COUNTERFOIL_RECOVERY_ENABLED", "recovery.enabled"),
        ("COUNTERFOIL_CLOCK", "clock"),
        ("COUNTERFOIL_LOG_LEVEL", "log.level"),
        ("COUNTERFOIL_LOG_FORMAT", "log.format"),
    ]

    /// The variable or option that overrides a setting, by the setting's path.
    private(set) var sources: [String: String] = [:]
    private var texts: [String: String] = [:]

    /// Reads the overrides from the environment. Empty variables are ignored: Compose files leave unset variables
    /// empty.
    ///
    /// - Parameter port: The value of the option `--port`. It also overrides the variable.
    init(_ environment: [String: String], port: Int?) {
        for (variable, path) in Self.settings {
            if let port, path == "listen.port" {
                (sources[path], texts[path]) = ("--port", "\(port)")
            } else if let text = environment[variable], !text.isEmpty {
                (sources[path], texts[path]) = (variable, text)
            }
        }
    }

    /// Returns the file's content with the overrides applied.
    func applied(to root: ConfigurationValue) -> ConfigurationValue {
        texts.reduce(root) { $0.replacing($1.key.split(separator: ".").map(String.init), with: $1.value) }
    }

    /// Variables that only the command line tool reads: the key and the URL of a running server, and the simulator's
    /// URL for the commands that control a simulator.
    private static let commandVariables = ["COUNTERFOIL_KEY", "COUNTERFOIL_SIMULATOR", "COUNTERFOIL_URL"]

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
