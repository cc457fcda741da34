internal import Configuration
internal import ConfigurationReading

/// The settings that environment variables can change, for those who run one file in several places.
package struct EnvironmentOverrides {
    /// A setting and its variable.
    package struct Setting: Sendable {
        /// The key that swift-configuration looks for, below `counterfoil`.
        let key: String
        /// Where it is in the file.
        package let path: [String]

        /// The name of the variable.
        package var variable: String { "COUNTERFOIL_" + key.uppercased().replacing(".", with: "_") }
    }

    /// All of them.
    package static let settings = [
        Setting(key: "host", path: ["listen", "host"]),
        Setting(key: "port", path: ["listen", "port"]),
        Setting(key: "public.url", path: ["listen", "public_url"]),
        Setting(key: "tls.certificate", path: ["listen", "tls", "certificate"]),
        Setting(key: "tls.key", path: ["listen", "tls", "key"]),
        Setting(key: "storage.path", path: ["storage", "path"]),
        Setting(key: "storage.synchronous", path: ["storage", "synchronous"]),
        Setting(key: "revocation", path: ["trust", "revocation"]),
        Setting(key: "recovery.enabled", path: ["recovery", "enabled"]),
        Setting(key: "clock", path: ["clock"]),
        Setting(key: "log.level", path: ["log", "level"]),
        Setting(key: "log.format", path: ["log", "format"]),
    ]

    private let values: [(setting: Setting, text: String)]

    /// Looks for the variables. An empty one counts as none: that is how composed files say so.
    init(_ provider: EnvironmentVariablesProvider) {
        let reader = ConfigReader(provider: provider).scoped(to: "counterfoil")
        values = Self.settings.compactMap { setting in
            guard let text = reader.string(forKey: ConfigKey(setting.key)), !text.isEmpty else { return nil }
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
            return ConfigurationIssue(message: "the environment variable \(quoted(name)) is no setting\(suggestion)")
        }
    }
}
