/// Why a configuration file cannot be used: everything that is wrong with it, at once.
package struct ConfigurationProblems: Error, Hashable, CustomStringConvertible {
    /// One thing that is wrong.
    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// Where it is, such as `apps[0].bundle_id`; empty if it concerns the file.
        package let path: String
        /// What is wrong, for people.
        package let message: String
        /// The line of the file, counted from 1, where it is known.
        package let line: Int?

        package init(path: String = "", message: String, line: Int? = nil) {
            self.path = path
            self.message = message
            self.line = line
        }

        /// Place, message and line, such as `apps[0].bundle_id: is missing, line 12`.
        package var description: String {
            (path.isEmpty ? "" : path + ": ") + message + (line.map { ", line \($0)" } ?? "")
        }
    }

    /// At least one, in the order they were found; after a hundred only their number is told.
    package let problems: [Problem]

    package init(problems: [Problem]) { self.problems = problems }

    /// A line for each problem.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
