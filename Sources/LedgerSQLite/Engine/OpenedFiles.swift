internal import Foundation
internal import Ledger

/// The files of an open ledger: the database, its write-ahead log and its lock.
///
/// If the database or the log is removed or moved, SQLite continues to write to it, and the data are lost when the process
/// ends. If the lock's file is removed, another process can lock a new one and write to the same ledger.
struct OpenedFiles: Sendable {
    private let ledger: String
    private let log: String
    private let lock: String
    private let numbers: [String: UInt64]

    /// Records the files.
    ///
    /// - Parameter path: The path of an open ledger.
    init(ledger path: String) {
        ledger = path
        log = URL(filePath: path).resolvingSymlinksInPath().path + "-wal"
        lock = LedgerLock.file(ledger: path)
        var numbers: [String: UInt64] = [:]
        for path in [ledger, log, lock] { numbers[path] = Self.number(path) }
        self.numbers = numbers
    }

    /// Throws if one of the files was moved or removed. The file of the lock can be missing: a process that wants the
    /// lock creates it.
    func requireInPlace() throws(StorageError) {
        guard isInPlace(ledger) else {
            throw StorageError(
                .failed,
                "\(ledger) was moved or removed while it is in use, and nothing is acknowledged; put it back. If it was "
                    + "removed, its contents end with this process (\(getpid())): before you stop it, copy them from /proc, "
                    + "as docs/operations-backup.md describes")
        }
        guard isInPlace(log) else {
            throw StorageError(
                .failed,
                "\(log) was moved or removed while it is in use, and nothing is acknowledged; stop the server, which saves "
                    + "what was in it, and start it again")
        }
        guard Self.number(lock) == nil || isInPlace(lock) else {
            throw StorageError(
                .failed,
                "\(lock) was replaced, so another Counterfoil may use the ledger too; this one acknowledges nothing until "
                    + "it is restarted; stop the other first")
        }
    }

    /// The size of the log; nil if the file is missing.
    var logBytes: Int? { Self.status(log).map { Int($0.st_size) } }

    /// Whether there is nothing in a file. Closing a ledger may leave its log as an empty file.
    static func isEmptyOrMissing(_ path: String) -> Bool { status(path).map { $0.st_size == 0 } ?? true }

    private func isInPlace(_ path: String) -> Bool { Self.number(path) == numbers[path] }

    /// Returns the inode number of a file, which is unique while the file is open; nil if there is no file.
    private static func number(_ path: String) -> UInt64? { status(path).map { UInt64($0.st_ino) } }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
