public import AppStoreModels
public import ConfigurationReading

/// A configuration as it was read, and what its reader would like to say about it.
public struct LoadedConfiguration: Sendable {
    /// What the server has to do.
    public var configuration: ServerConfiguration

    /// What is allowed and may not be meant, such as a key file that others can read.
    public var notes: [ConfigurationIssue]

    /// The settings whose systemd credentials did not exist.
    private let absent: AbsentCredentials

    init(configuration: ServerConfiguration, notes: [ConfigurationIssue], absent: AbsentCredentials) {
        self.configuration = configuration
        self.notes = notes
        self.absent = absent
    }

    /// Whether a setting of the file, such as `apps[0].key`, has a systemd credential that did not exist. Always false
    /// unless the configuration was read with ``SecretReading/present``.
    package func isUnread(_ setting: String) -> Bool { absent.isAny(in: setting) }
}

/// Something about one place of a configuration file.
public typealias ConfigurationIssue = ConfigurationProblem

/// Why a configuration cannot be used: everything that is wrong with it, at once.
public struct ConfigurationError: CounterfoilError, Hashable {
    /// At least one; after a hundred only their number is told.
    public let problems: [ConfigurationIssue]

    init(problems: [ConfigurationIssue]) { self.problems = problems }

    /// `invalid_configuration`.
    public var code: String { "invalid_configuration" }

    /// A line for each problem.
    public var message: String { problems.map(\.description).joined(separator: "\n") }

    /// The message.
    public var description: String { message }
}
