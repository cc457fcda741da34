internal import GRDB
internal import Ledger

extension StorageError {
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
