internal import Basics
internal import Foundation

/// Creates files with customers' purchases, which only the server's user may read.
enum PrivateFile {
    /// Creates an empty file with the permissions 0600, unless it exists.
    ///
    /// SQLite opens an empty file as a new database, and creates its companion files with the same permissions. If the
    /// file cannot be created, SQLite reports the reason when it opens the file.
    static func make(_ path: String) {
        let file = URL(filePath: path).resolvingSymlinksInPath().path
        // An existing file is not opened: closing it would release SQLite's locks on it in this process.
        do { try FileHandle.creatingPrivateFile(at: file).close() } catch {}
    }
}
