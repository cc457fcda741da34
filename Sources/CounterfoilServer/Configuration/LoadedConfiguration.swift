public import AppStoreModels
public import ConfigurationReading

/// A configuration that was read from a file, with the warnings about it.
public struct LoadedConfiguration: Sendable {
    /// The server's settings.
    public var configuration: ServerConfiguration

    /// Warnings about settings that are valid but probably not intended, such as a key file that other users can read.
    public var warnings: [ConfigurationIssue]

    /// The settings whose systemd credentials do not exist.
    let absent: AbsentCredentials

    /// Whether a systemd credential of a setting, such as `apps[0].key`, did not exist. Always false unless the
    /// configuration was read with ``SecretReading/present``.
    package func hasMissingCredential(in setting: String) -> Bool { absent.isAny(in: setting) }

    /// Creates an issue of a setting, with the setting's line in the file.
    func issue(_ message: String, of path: String) -> ConfigurationIssue {
        ConfigurationIssue(path: path, message: message, line: configuration.origins.line(of: path))
    }
}

/// A problem or warning about one location in a configuration file.
public typealias ConfigurationIssue = ConfigurationProblem

/// The error for an invalid configuration. It lists all problems at once.
public struct ConfigurationError: CounterfoilError, Hashable {
    /// The problems, at least one. Beyond a hundred problems only their number is given.
    public let problems: [ConfigurationIssue]

    /// Creates an error with these problems, for tests of error handling.
    public init(problems: [ConfigurationIssue]) { self.problems = problems }

    /// `invalid_configuration`.
    public var code: String { "invalid_configuration" }

    /// One line for each problem.
    public var message: String { problems.map(\.description).joined(separator: "\n") }

    /// The message.
    public var description: String { message }
}
