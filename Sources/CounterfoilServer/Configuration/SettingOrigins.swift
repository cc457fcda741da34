internal import ConfigurationReading

/// Where each setting of a configuration was said. Values are not in it.
package struct SettingOrigins: Sendable {
    private var lines: [String: Int] = [:]
    private var variables: [String: String] = [:]

    init() {}

    init(_ root: ConfigurationValue, _ overrides: EnvironmentOverrides) {
        lines = root.lines
        for setting in EnvironmentOverrides.settings {
            let path = setting.path.joined(separator: ".")
            variables[path] = overrides.variable(of: path)
        }
    }

    /// `line 12`, the name of a variable, or `default`.
    package func origin(of path: String) -> String {
        variables[path] ?? lines[path].map { "line \($0)" } ?? "default"
    }
}
