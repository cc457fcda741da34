/// Something about one place of a file that people write.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible, Encodable {
    /// Where it is, such as `apps[0].bundle_id`; empty if it concerns the file.
    public let path: String
    /// What is to be said, for people. Never a secret.
    public let message: String
    /// The line of the file, counted from 1, where it is known.
    public let line: Int?

    /// A problem.
    public init(path: String = "", message: String, line: Int? = nil) {
        self.path = path
        self.message = message
        self.line = line
    }

    /// Place, message and line, such as `apps[0].bundle_id: is missing, line 12`.
    public var description: String {
        (path.isEmpty ? "" : path + ": ") + message + (line.map { ", line \($0)" } ?? "")
    }
}
