/// Why a configuration file cannot be used: everything that is wrong with it, at once.
package struct ConfigurationProblems: Error, Hashable, CustomStringConvertible {
    /// At least one, in the order they were found; after a hundred only their number is told.
    package let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) { self.problems = problems }

    /// A line for each problem.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
