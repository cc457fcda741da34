/// All problems of a configuration file that cannot be used.
package struct ConfigurationProblems: Error, Hashable, CustomStringConvertible {
    /// At least one problem, in the order of detection. After a hundred, one more gives the number of the others.
    package let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) { self.problems = problems }

    /// Creates one problem without a path.
    package init(_ message: String, line: Int? = nil) { problems = [.init(message: message, line: line)] }

    /// One line per problem.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
