internal import GRDB

/// Why the ledger cannot be read or written.
package struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of trouble it is.
    package enum Code: String, Sendable, Hashable {
        /// The disk has no room.
        case full = "storage_full"
        /// The file may not be written.
        case readOnly = "storage_read_only"
        /// The file's contents make no sense.
        case damaged = "storage_damaged"
        /// The file is no ledger at all.
        case notALedger = "storage_not_a_ledger"
        /// A newer version of the server made it.
        case newer = "storage_newer"
        /// An older version of the server made it, and may still be running.
        case older = "storage_older"
        /// Another process has it.
        case busy = "storage_busy"
        /// The file cannot be opened.
        case cannotOpen = "storage_cannot_open"
        /// Anything else.
        case failed = "storage_failed"
    }

    package let code: Code
    package let message: String

    package var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
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
        case .SQLITE_FULL:
            self.init(.full, "the disk of \(path) is full; nothing is acknowledged until there is room again")
        case .SQLITE_READONLY, .SQLITE_PERM:
            self.init(.readOnly, "\(path) cannot be written; the file and its folder must belong to the server's user")
        case .SQLITE_CORRUPT:
            self.init(
                .damaged,
                "\(path) is damaged (\(error.message ?? "malformed")); restore a backup, or "
                    + "rescue what can be read with `sqlite3 \(path) .recover`")
        case .SQLITE_NOTADB: self.init(.notALedger, "\(path) is not a database of Counterfoil")
        case .SQLITE_BUSY, .SQLITE_LOCKED: self.init(.busy, "\(path) is in use by another process")
        case .SQLITE_CANTOPEN:
            self.init(.cannotOpen, "\(path) cannot be opened; does its folder exist, and may the server write there?")
        default: self.init(.failed, "the ledger at \(path) failed: \(error.message ?? "\(error.resultCode)")")
        }
    }
}
