import Foundation

/// The user's home folder, and arguments that name it as `~`. A shell replaces `~` at the beginning of a word, but not
/// in `--option=~/file`.
///
/// Foundation replaces `~` at the beginning of a path, SQLite and the system do not. One command would use two files.
enum HomeFolder {
    /// The home folder in `$HOME`, or that of the user's account.
    static var current: URL {
        ProcessInfo.processInfo.environment["HOME"].map { URL(filePath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser
    }

    /// Returns the arguments with the home folder in place of `~`, alone or before a slash, also after `--option=`.
    ///
    /// A path such as `~name/file` is that of a folder called `~name`, and gets `./` at its beginning.
    static func replacingTilde(in arguments: [String], home: String) -> [String] {
        arguments.map { argument in
            guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else {
                return path(argument, home)
            }
            return String(argument[...sign]) + path(String(argument[sign...].dropFirst()), home)
        }
    }

    private static func path(_ text: String, _ home: String) -> String {
        if text == "~" || text.hasPrefix("~/") { return home + text.dropFirst() }
        return text.hasPrefix("~") && text.contains("/") ? "./" + text : text
    }
}
