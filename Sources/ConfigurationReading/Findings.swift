/// What a reader finds out about a file beside its content. One object for all the sections of a file.
package final class Findings {
    /// What becomes of a key that the reader does not know.
    package enum UnknownKeys {
        /// A problem: the format is ours, so it is a typing mistake.
        case areProblems
        /// A note: the format is Xcode's, and newer ones know more than we do.
        case areNotes
    }

    private static let maximum = 100

    /// Whether further problems are only counted, so that their messages need no care.
    package var isFull: Bool { problems.count >= Self.maximum }

    package let unknownKeys: UnknownKeys
    /// What was not understood but does not matter.
    package private(set) var notes: [String] = []
    private var problems: [ConfigurationProblem] = []
    private var pathsWithProblem: Set<String> = []
    private var lines: [String: Int] = [:]
    private var (omittedProblems, omittedNotes) = (0, 0)

    package init(unknownKeys: UnknownKeys) { self.unknownKeys = unknownKeys }

    /// Remembers where a path is, for problems that turn up when the text is long gone.
    package func locate(_ path: String, line: Int?) {
        if let line { lines[path] = line }
    }

    package func problem(_ path: String, _ message: String, line: Int? = nil) {
        pathsWithProblem.insert(path)
        guard !isFull else {
            omittedProblems += 1
            return
        }
        problems.append(.init(path: path, message: message, line: line ?? self.line(near: path)))
    }

    /// Adds what a check of what was read as a whole says, except about values that could not be read in the first place.
    package func add(_ found: [ConfigurationProblem]) {
        let unread = pathsWithProblem
        for problem in found where !unread.contains(problem.path) {
            self.problem(problem.path, problem.message)
        }
    }

    package func note(_ text: String) {
        if notes.count < Self.maximum { notes.append(text) } else { omittedNotes += 1 }
    }

    package func finish() throws(ConfigurationProblems) {
        if omittedNotes > 0 {
            notes.append("\(omittedNotes) more of this kind")
            omittedNotes = 0
        }
        guard !problems.isEmpty else { return }
        throw ConfigurationProblems(
            problems: problems + (omittedProblems > 0 ? [.init(message: "\(omittedProblems) more problems")] : []))
    }

    /// The line of a value, or of the nearest thing around it that the file spells out.
    package func line(near path: String) -> Int? {
        var path = path[...]
        while true {
            if let line = lines[String(path)] { return line }
            guard let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
            path = path[..<end]
        }
    }
}
