internal import Basics

/// Collects the problems and notes about a file. All sections of the file share one object.
package final class ConfigurationDiagnostics {
    /// How to report a key that the reader does not know.
    package enum UnknownKeys {
        /// As a problem: in Counterfoil's own formats, an unknown key is a typing mistake.
        case areProblems
        /// As a note: newer versions of Xcode add keys to Xcode's format.
        case areNotes
    }

    private static let maximum = 100

    package let unknownKeys: UnknownKeys
    /// Remarks about settings that are ignored without harm.
    package private(set) var notes: [String] = []
    private var problems: [ConfigurationProblem] = []
    private var pathsWithProblem: Set<String> = []
    /// The lines of the values that were read, by their paths such as `apps[0].bundle_id`.
    package private(set) var lines: [String: Int] = [:]
    private var (omittedProblems, omittedNotes) = (0, 0)

    package init(unknownKeys: UnknownKeys) { self.unknownKeys = unknownKeys }

    /// Stores the line of a path, for problems that are found after parsing.
    package func locate(_ path: String, line: Int?) {
        if let line { lines[path] = line }
    }

    /// Adds a problem. Without a line, it gets that of the nearest enclosing value with a known line. Beyond the maximum,
    /// problems are only counted, and `message` is not evaluated: a suggestion compares a word with all others.
    package func problem(_ path: String, _ message: @autoclosure () -> String, line: Int? = nil) {
        pathsWithProblem.insert(path)
        guard problems.count < Self.maximum else {
            omittedProblems += 1
            return
        }
        problems.append(.init(path: path, message: message(), line: line ?? self.line(near: path)))
    }

    /// Adds the problems of a check of the whole file, except those about values that could not be read.
    package func add(_ found: [ConfigurationProblem]) {
        let unread = pathsWithProblem
        for problem in found where !unread.contains(problem.path) {
            self.problem(problem.path, problem.message)
        }
    }

    /// Adds a note. Notes beyond the maximum are only counted.
    package func note(_ text: String) {
        if notes.count < Self.maximum { notes.append(text) } else { omittedNotes += 1 }
    }

    /// Adds the number of omitted notes. Throws all problems, if there are any.
    package func finish() throws(ConfigurationProblems) {
        if omittedNotes > 0 {
            notes.append("\(omittedNotes) more of this kind")
            omittedNotes = 0
        }
        guard !problems.isEmpty else { return }
        var all = problems
        if omittedProblems > 0 {
            all.append(.init(message: "\(omittedProblems) more \(omittedProblems.noun("problem"))"))
        }
        throw ConfigurationProblems(problems: all)
    }

    /// Returns the line of a value, or of the nearest enclosing value with a known line.
    package func line(near path: String) -> Int? {
        var path = path[...]
        while true {
            if let line = lines[String(path)] { return line }
            guard let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
            path = path[..<end]
        }
    }
}
