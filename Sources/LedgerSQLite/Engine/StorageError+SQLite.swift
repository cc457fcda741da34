internal import Foundation
internal import GRDB
package import Ledger

extension StorageError {
    /// Returns the result of `body`, or nil if the record is corrupt, so that one corrupt record does not block all
    /// others.
    static func unlessDamaged<Value>(_ body: () throws -> Value?) throws -> Value? {
        do { return try body() } catch let error as StorageError where error.code == .damaged { return nil }
    }

    /// Creates a storage error from an error of SQLite.
    package init(_ error: any Error, path: String) {
        if let error = error as? StorageError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.failed, "the ledger at \(path) failed: \(error.logReason)")
            return
        }
        switch error.extendedResultCode {
        // The shared memory of the log (`-shm`) cannot grow: a ledger is opened on a full disk.
        case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE: self.init(errno: ENOSPC, path: path)
        case .SQLITE_READONLY, .SQLITE_PERM:
            self.init(errno: Self.isOnReadOnlyFileSystem(path) ? EROFS : EACCES, path: path)
        case .SQLITE_CORRUPT:
            // SQLite reports unreadable sectors of the disk with the same code as corrupt contents.
            self.init(
                .damaged,
                "\(path) is damaged, or its disk cannot be read (\(error.message ?? "malformed")); look for errors of "
                    + "the disk in the system's log, then restore a backup, or rescue what can be read with "
                    + "`sqlite3 \(path) .recover` (with that of sqlite.org if the system's says `SQL logic error`)")
        case .SQLITE_NOTADB: self.init(.notALedger, "\(path) is not a database of Counterfoil")
        case .SQLITE_BUSY, .SQLITE_LOCKED: self.init(.busy, "\(path) is in use by another process")
        case .SQLITE_CANTOPEN: self.init(errno: Self.openingError(path), path: path)
        case .SQLITE_IOERR:
            // SQLite reports a quota and a limit of file sizes with the same code as a failing disk.
            self.init(
                .failed,
                "\(path) cannot be read or written (\(Self.words(of: error) ?? "disk I/O error")); look for errors of the "
                    + "disk in the system's log, and for a quota or a limit of file sizes (`ulimit -f`) that is reached"
            )
        default: self.init(.failed, "the ledger at \(path) failed: \(error.message ?? "\(error.resultCode)")")
        }
    }

    /// Returns what to throw in place of an error: a storage error, except for a cancellation.
    static func unlessCancelled(_ error: any Error, path: String) -> any Error {
        error is CancellationError ? error : StorageError(error, path: path)
    }

    /// Returns SQLite's message; nil if it has none. In a copy between two files, GRDB reports the error of one with the
    /// message of the other, `not an error`.
    private static func words(of error: DatabaseError) -> String? {
        error.message == "not an error" ? nil : error.message
    }

    /// Throws if a path leads to a folder. SQLite would report an error of input or output, or a missing file.
    package static func refuseFolder(at path: String) throws(StorageError) {
        var isFolder: ObjCBool = false
        guard !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder.boolValue else {
            throw StorageError(.cannotOpen, "\(path) is a folder; name a file in it")
        }
    }

    /// Throws if `-wal`, `-shm` or `-journal` beside a ledger is a symbolic link. SQLite does not follow it, for the reason
    /// in ``LedgerLock``, but reports that it cannot open the ledger.
    static func refuseLinks(atCompanionsOf path: String) throws(StorageError) {
        for file in LedgerBackup.companions(of: LedgerBackup.resolved(path)) {
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { continue }
            throw StorageError(link: file)
        }
    }

    /// Throws if a ledger is missing or empty, and its log is not. SQLite would delete the log, which has the latest
    /// commits. A crash at the first start does not leave these files: SQLite writes the first page into the ledger.
    static func refuseLogWithoutLedger(at path: String) throws(StorageError) {
        let ledger = LedgerBackup.resolved(path)
        let log = ledger + "-wal"
        guard OpenedFiles.isEmptyOrMissing(ledger), !OpenedFiles.isEmptyOrMissing(log) else { return }
        throw StorageError(
            .cannotOpen,
            """
            there is no ledger at \(path), but \(log) has the latest commits of one: put the ledger's file back beside \
            it. If that is lost, restore a backup. To begin with an empty ledger, move \(log) away.
            """)
    }

    /// Creates the error for a symbolic link in place of a file beside a ledger.
    init(link file: String) { self.init(.cannotOpen, "\(file) is a symbolic link; remove it") }

    /// Whether the file system is read-only. SQLite reports the same code for missing permissions.
    private static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
        let folder = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        return access(folder, W_OK) != 0 && errno == EROFS
    }

    /// Returns the system's error number for a file that SQLite cannot open. SQLite does not report it.
    private static func openingError(_ path: String) -> Int32 {
        if isOnReadOnlyFileSystem(path) { return EROFS }
        return access(path, R_OK | W_OK) != 0 && errno == EACCES ? EACCES : ENOENT
    }

    /// Creates a storage error from the system's error number for opening a file.
    init(errno number: Int32, path: String) {
        switch number {
        case ENOSPC, EDQUOT: self.init(.full, "the disk of \(path) is full; free some space there")
        case EROFS:
            self.init(
                .readOnly,
                "\(path) is on a file system that is mounted read-only, as after an error of the disk; check the disk, and "
                    + "mount it for writing")
        case EACCES, EPERM:
            self.init(
                .readOnly,
                "\(path) cannot be written; give this process's user read and write access to the file and its folder "
                    + "(`ls -l`)")
        default:
            self.init(.cannotOpen, "\(path) cannot be opened; does its folder exist, and may the server write there?")
        }
    }
}
