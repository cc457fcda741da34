import Foundation

/// The user's home folder, and paths that name it as `~`. A shell replaces `~` at the beginning of a word, but not in
/// `--option=~/file`.
///
/// Foundation replaces `~` at the beginning of a path, SQLite and the system do not. One command would use two files.
enum HomeFolder {
    /// The home folder in `$HOME`, or that of the user's account.
    static var current: URL {
        ProcessInfo.processInfo.environment["HOME"].map { URL(filePath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser
    }

    /// Returns the path that an option or argument names. Each option and argument with a path has it as its
    /// `transform`; all others keep their texts.
    static func path(_ argument: String) -> String {
        replacingTilde(in: argument, home: current.path)
    }

    /// Returns the path with the home folder in place of `~`, alone or before a slash.
    ///
    /// A path such as `~name/file` is that of a folder called `~name`, and gets `./` at its beginning.
    static func replacingTilde(in path: String, home: String) -> String {
        if path == "~" || path.hasPrefix("~/") { return home + path.dropFirst() }
        return path.hasPrefix("~") && path.contains("/") ? "./" + path : path
    }
}
