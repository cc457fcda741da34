internal import Foundation

/// Tells a file that does not exist from one that this process cannot reach. `FileManager.fileExists` is false for both.
package enum FileReachability {
    /// The problem of a path without a file.
    package static let absence = "does not exist"

    /// Returns why there is no file at a path for this process; nil if there is one. The text completes a sentence that
    /// begins with the path.
    package static func problem(at path: String) -> String? {
        guard access(path, F_OK) != 0 else { return nil }
        return switch errno {
        case ENOENT, ENOTDIR: absence
        case EACCES: "cannot be reached: this user may not search a folder in its path"
        case let number: "cannot be reached: \(String(cString: strerror(number)))"
        }
    }
}
