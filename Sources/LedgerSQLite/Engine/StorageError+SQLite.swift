internal import Foundation
internal import GRDB
internal import Ledger

extension StorageError {
    /// Returns what `body` reads, or nil if that is damaged: one damaged record must not hold up all others.
    static func unlessDamaged<Value>(_ body: () throws -> Value?) throws -> Value? {
        do { return try body() } catch let error as StorageError where error.code == .damaged { return nil }
    }

    /// Says what a failure of SQLite means.
    package init(_ error: any Error, path: String) {
        if let error = error as? StorageError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.failed, "the ledger at \(path) failed: \(error.logReason)")
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self.init(errno: ENOSPC, path: path)
        case .SQLITE_READONLY, .SQLITE_PERM:
            self.init(errno: Self.isOnReadOnlyFileSystem(path) ? EROFS : EACCES, path: path)
        case .SQLITE_CORRUPT:
            // SQLite says of a sector that cannot be read the same as of contents that make no sense.
            self.init(
                .damaged,
                "\(path) is damaged, or its disk cannot be read (\(error.message ?? "malformed")); look for errors of "
                    + "the disk in the system's log, then restore a backup, or rescue what can be read with "
                    + "`sqlite3 \(path) .recover`")
        case .SQLITE_NOTADB: self.init(.notALedger, "\(path) is not a database of Counterfoil")
        case .SQLITE_BUSY, .SQLITE_LOCKED: self.init(.busy, "\(path) is in use by another process")
        case .SQLITE_CANTOPEN: self.init(errno: Self.isOnReadOnlyFileSystem(path) ? EROFS : ENOENT, path: path)
        default: self.init(.failed, "the ledger at \(path) failed: \(error.message ?? "\(error.resultCode)")")
        }
    }

    /// SQLite does not tell it from a file of somebody else.
    private static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
        let folder = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        return access(folder, W_OK) != 0 && errno == EROFS
    }

    /// Says why the system does not open a file for writing.
    init(errno number: Int32, path: String) {
        switch number {
        case ENOSPC, EDQUOT: self.init(.full, "the disk of \(path) is full; free some space there")
        case EROFS:
            self.init(
                .readOnly,
                "\(path) is on a file system that is mounted read-only, as after an error of the disk; check the disk, and "
                    + "mount it for writing")
        case EACCES, EPERM:
            self.init(.readOnly, "\(path) cannot be written; the file and its folder must belong to the server's user")
        default:
            self.init(.cannotOpen, "\(path) cannot be opened; does its folder exist, and may the server write there?")
        }
    }
}
