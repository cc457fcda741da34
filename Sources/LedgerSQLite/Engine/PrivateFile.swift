internal import Foundation

/// Files that tell what customers bought: nobody's business but the server's.
enum PrivateFile {
    /// Makes an empty file that only its owner may read, from its first moment, unless there is one.
    ///
    /// SQLite takes it for a new database, and gives the files that it makes beside it the same permissions. When it cannot
    /// be made SQLite says why.
    static func make(_ path: String) {
        let file = URL(filePath: path).resolvingSymlinksInPath().path
        // What is there is never opened: closing it would let go of the locks that SQLite has on it in this process.
        let descriptor = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }
}
