/// The origin of each setting of a configuration. It does not contain the values.
package struct SettingOrigins: Sendable {
    /// The lines of the settings that the file has, by their paths.
    var lines: [String: Int] = [:]
    /// The variables and options that override settings, by the paths of the settings.
    var overrides: [String: String] = [:]

    /// Returns `line 12`, the name of an environment variable, `--port`, or `default`.
    package func origin(of path: String) -> String {
        overrides[path] ?? lines[path].map { "line \($0)" } ?? "default"
    }

    /// The line of a setting in the file; nil if the file does not have it, or something overrides it.
    func line(of path: String) -> Int? { overrides[path] == nil ? lines[path] : nil }
}
