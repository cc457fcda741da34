internal import ConfigurationReading

/// The origin of each setting of a configuration. It does not contain the values.
package struct SettingOrigins: Sendable {
    private var lines: [String: Int] = [:]
    private var overrides: [String: String] = [:]

    init() {}

    init(_ root: ConfigurationValue, _ overrides: EnvironmentOverrides) {
        (lines, self.overrides) = (root.lines, overrides.sources)
    }

    /// Returns `line 12`, the name of an environment variable, `--port`, or `default`.
    package func origin(of path: String) -> String {
        overrides[path] ?? lines[path].map { "line \($0)" } ?? "default"
    }

    /// The line of a setting in the file; nil if the file does not have it, or something overrides it.
    func line(of path: String) -> Int? { overrides[path] == nil ? lines[path] : nil }
}
