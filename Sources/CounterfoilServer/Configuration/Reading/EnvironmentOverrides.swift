internal import ConfigurationReading

/// What environment variables and the option `--port` say instead of the file, for those who run one file in several
/// places.
package struct EnvironmentOverrides {
    /// A setting and its variable.
    package struct Setting: Sendable {
        /// The name of the variable.
        package let variable: String
        /// Where it is in the file.
        package let path: [String]
    }

    /// All of them.
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

    /// Looks for the variables. An empty one counts as none: that is how composed files say so.
    ///
    /// - Parameter port: The value of the option `--port`, if there is one. It overrides the variable too.
    init(_ environment: [String: String], port: Int?) {
        values = Self.settings.compactMap { setting in
            if let port, setting.path == ["listen", "port"] {
                return (source: "--port", path: setting.path, text: "\(port)")
            }
            guard let text = environment[setting.variable], !text.isEmpty else { return nil }
            return (source: setting.variable, path: setting.path, text: text)
        }
    }

    /// The file with what the variables and the option say.
    func applied(to root: ConfigurationValue) -> ConfigurationValue {
        values.reduce(root) { $0.replacing($1.path, with: $1.text) }
    }

    /// The variable or the option that overrides a setting; nil where none does.
    func source(of path: String) -> String? {
        values.first { $0.path.joined(separator: ".") == path }?.source
    }

    /// What the command reads: the key of `recover --url`, and the simulator of those that command one.
    private static let commandVariables = ["COUNTERFOIL_KEY", "COUNTERFOIL_SIMULATOR"]

    /// What is said about variables that look like settings and are none.
    static func notes(on names: some Sequence<String>) -> [ConfigurationIssue] {
        let known = settings.map(\.variable)
        let others = known + commandVariables
        return names.filter { $0.hasPrefix("COUNTERFOIL_") && !others.contains($0) }.sorted().map { name in
            let suggestion = Spelling.suggestion(for: name, among: known)
            return ConfigurationIssue(message: "the environment variable \(quoted(name)) is not a setting\(suggestion)")
        }
    }
}
