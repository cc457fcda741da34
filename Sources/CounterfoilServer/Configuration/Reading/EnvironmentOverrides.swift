internal import ConfigurationReading

/// The settings that environment variables can change, for those who run one file in several places.
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

    private let values: [(setting: Setting, text: String)]

    /// Looks for the variables. An empty one counts as none: that is how composed files say so.
    init(_ environment: [String: String]) {
        values = Self.settings.compactMap { setting in
            guard let text = environment[setting.variable], !text.isEmpty else { return nil }
            return (setting, text)
        }
    }

    /// The file with what the variables say.
    func applied(to root: ConfigurationValue) -> ConfigurationValue {
        values.reduce(root) { $0.replacing($1.setting.path, with: $1.text) }
    }

    /// The variable that a path of the file was told by.
    func variable(of path: String) -> String? {
        values.first { $0.setting.path.joined(separator: ".") == path }?.setting.variable
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
