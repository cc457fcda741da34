public import AppStoreModels
internal import ConfigurationReading

/// Why a catalogue cannot be used: everything that is wrong with it, at once.
public struct CatalogueError: CounterfoilError, Hashable {
    /// One thing that is wrong.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// Where it is, such as `groups[0].subscriptions[1].period`; empty if it concerns the file.
        public let path: String
        /// What is wrong, for people.
        public let message: String
        /// The line of the file, counted from 1, where it is known.
        public let line: Int?

        /// A problem.
        public init(path: String = "", message: String, line: Int? = nil) {
            self.path = path
            self.message = message
            self.line = line
        }

        /// Place, message and line, such as `groups[0].id: is missing, line 12`.
        public var description: String {
            (path.isEmpty ? "" : path + ": ") + message + (line.map { ", line \($0)" } ?? "")
        }
    }

    /// At least one, in the order of the file; after a hundred only their number is told.
    public let problems: [Problem]

    /// An error of these problems.
    public init(problems: [Problem]) { self.problems = problems }

    init(_ problems: ConfigurationProblems) {
        self.init(
            problems: problems.problems.map { .init(path: $0.path, message: $0.message, line: $0.line) })
    }

    /// `invalid_catalogue`.
    public var code: String { "invalid_catalogue" }

    /// A line for each problem.
    public var message: String { problems.map(\.description).joined(separator: "\n") }

    /// The message.
    public var description: String { message }
}

extension Findings {
    /// Adds what the check of the finished catalogue says, except about values that could not be read in the first place.
    func add(_ found: [CatalogueError.Problem]) {
        add(found.map { ConfigurationProblems.Problem(path: $0.path, message: $0.message, line: $0.line) })
    }
}
