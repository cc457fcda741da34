/// A problem at one place of a configuration file.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible, Encodable {
    /// The path of the setting, such as `apps[0].bundle_id`. Empty if the problem concerns the whole file.
    public let path: String
    /// The message, for people. It never contains a secret.
    public let message: String
    /// The line of the file, counted from 1; nil if it is unknown.
    public let line: Int?

    /// Creates a problem.
    public init(path: String = "", message: String, line: Int? = nil) {
        self.path = path
        self.message = message
        self.line = line
    }

    /// The path, the message and the line, such as `apps[0].bundle_id: is missing, line 12`.
    public var description: String {
        (path.isEmpty ? "" : path + ": ") + message + (line.map { ", line \($0)" } ?? "")
    }
}
