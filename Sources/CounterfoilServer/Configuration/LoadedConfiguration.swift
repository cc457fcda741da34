public import AppStoreModels
/// A configuration as it was read, and what its reader would like to say about it.
public struct LoadedConfiguration: Sendable {
    /// What the server has to do.
    public var configuration: ServerConfiguration

    /// What is allowed and may not be meant, such as a key file that others can read.
    public var notes: [ConfigurationIssue]

    init(configuration: ServerConfiguration, notes: [ConfigurationIssue]) {
        self.configuration = configuration
        self.notes = notes
    }
}

/// Something about one place of a configuration file.
public struct ConfigurationIssue: Sendable, Hashable, CustomStringConvertible {
    /// Where it is, such as `apps[0].bundle_id`; empty if it concerns the file.
    public let path: String
    /// What is to be said, for people. Never a secret.
    public let message: String
    /// The line of the file, counted from 1, where it is known.
    public let line: Int?

    init(path: String = "", message: String, line: Int? = nil) {
        self.path = path
        self.message = message
        self.line = line
    }

    /// Place, message and line, such as `apps[0].bundle_id: is missing, line 12`.
    public var description: String {
        (path.isEmpty ? "" : path + ": ") + message + (line.map { ", line \($0)" } ?? "")
    }
}

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
