public import AppStoreModels
public import ConfigurationReading

/// Why a catalogue cannot be used: everything that is wrong with it, at once.
public struct CatalogueError: CounterfoilError, Hashable {
    /// One thing that is wrong.
    public typealias Problem = ConfigurationProblem

    /// At least one, in the order of the file; after a hundred only their number is told.
    public let problems: [Problem]

    /// An error of these problems.
    public init(problems: [Problem]) { self.problems = problems }

    init(_ problems: ConfigurationProblems) {
        self.init(problems: problems.problems)
    }

    /// `invalid_catalogue`.
    public var code: String { "invalid_catalogue" }

    /// A line for each problem.
    public var message: String { problems.map(\.description).joined(separator: "\n") }

    /// The message.
    public var description: String { message }
}
