public import AppStoreModels
public import ConfigurationReading

/// The problems because of which a catalogue cannot be used.
public struct CatalogueError: CounterfoilError, Hashable {
    /// A problem of a catalogue.
    public typealias Problem = ConfigurationProblem

    /// The problems, at least one, in the order of the file. After the first hundred, only the number of the others is
    /// reported.
    public let problems: [Problem]

    /// Creates an error with these problems, for tests of error handling.
    public init(problems: [Problem]) { self.problems = problems }

    init(_ problems: ConfigurationProblems) { self.init(problems: problems.problems) }

    /// Creates an error about the file as a whole.
    init(_ message: String) { self.init(problems: [Problem(message: message)]) }

    /// `invalid_catalogue`.
    public var code: String { "invalid_catalogue" }

    /// The problems, one per line.
    public var message: String { problems.map(\.description).joined(separator: "\n") }

    /// The message.
    public var description: String { message }
}
