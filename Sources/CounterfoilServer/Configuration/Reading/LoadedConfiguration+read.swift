internal import ConfigurationReading
public import Foundation

extension LoadedConfiguration {
    /// The maximum size of a configuration file. The YAML parser has the same limit.
    private static let maximumBytes = 1 << 20

    /// Reads a YAML configuration file and the files that it refers to.
    ///
    /// docs/configuration.md lists the settings. Environment variables named `COUNTERFOIL_…` override some of them.
    /// Relative paths, also those in variables, start in the folder of the file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - environment: The environment variables. Default: those of the process.
    /// - Throws: ``ConfigurationError`` with every problem, its path in the file and its line.
    public init(
        contentsOf file: URL, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationError) {
        try self.init(contentsOf: file, environment: environment, secrets: .all)
    }

    /// Reads a configuration file and the given kind of secrets. The secrets of a service may exist only while it runs.
    ///
    /// - Parameter port: The port that replaces `listen.port`; nil to keep it.
    package init(
        contentsOf file: URL, environment: [String: String] = ProcessInfo.processInfo.environment,
        secrets: SecretReading, port: Int? = nil
    ) throws(ConfigurationError) {
        let found: ConfigurationFiles.File
        do { found = try ConfigurationFiles.disk.read(file.path, maximumBytes: Self.maximumBytes) } catch {
            throw ConfigurationError(problems: [.init(message: "\(file.path) \(error.reason)")])
        }
        guard let text = String(validating: found.contents, as: UTF8.self) else {
            throw ConfigurationError(problems: [.init(message: "\(file.path) is not UTF-8")])
        }
        try self.init(
            yaml: text, folder: file.absoluteURL.deletingLastPathComponent().path, environment: environment,
            files: .disk, secrets: secrets, port: port)
    }

    /// Reads a configuration from its text.
    package init(
        yaml text: String, folder: String, environment: [String: String], files: ConfigurationFiles,
        secrets: SecretReading = .all, port: Int? = nil
    ) throws(ConfigurationError) {
        let overrides = EnvironmentOverrides(environment, port: port)
        let reader = ServerConfigurationReader(
            folder: folder, files: files, environment: environment, secrets: secrets)
        do throws(ConfigurationProblems) {
            let root = try ConfigurationValue(yaml: text)
            var configuration = reader.read(overrides.applied(to: root))
            configuration.origins = SettingOrigins(lines: reader.diagnostics.lines, overrides: overrides.sources)
            try reader.diagnostics.finish()
            let unknownVariables = EnvironmentOverrides.notes(
                on: Set(environment.keys).subtracting(reader.secretVariables))
            self.init(
                configuration: configuration,
                warnings: Self.sorted(reader.notes.map(overrides.attributed) + unknownVariables),
                absent: reader.absentCredentials)
        } catch {
            throw ConfigurationError(problems: Self.sorted(error.problems.map(overrides.attributed)))
        }
    }

    /// Sorts issues by line. Issues without a line come last.
    private static func sorted(_ issues: [ConfigurationIssue]) -> [ConfigurationIssue] {
        issues.enumerated().sorted { ($0.element.line ?? .max, $0.offset) < ($1.element.line ?? .max, $1.offset) }
            .map(\.element)
    }
}

extension EnvironmentOverrides {
    /// Returns the issue with the overriding variable or option in its message instead of a line.
    func attributed(_ issue: ConfigurationIssue) -> ConfigurationIssue {
        guard let source = sources[issue.path] else { return issue }
        return ConfigurationIssue(path: issue.path, message: "\(issue.message) (from \(source))")
    }
}
