/// An error that occurs when the ledger is opened, read or written.
package struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a storage error.
    package enum Code: String, Sendable, Hashable {
        /// The disk is full.
        case full = "storage_full"
        /// The ledger is read-only.
        case readOnly = "storage_read_only"
        /// The ledger, or a record in it, is corrupt.
        case damaged = "storage_damaged"
        /// The file or database is not a ledger.
        case notALedger = "storage_not_a_ledger"
        /// A newer version of the server created the ledger.
        case newer = "storage_newer"
        /// An older version of the server created the ledger, and may still be running.
        case older = "storage_older"
        /// Another process uses the ledger, and the engine allows only one.
        case busy = "storage_busy"
        /// The destination file exists and must not be replaced.
        case exists = "file_exists"
        /// The ledger cannot be opened.
        case cannotOpen = "storage_cannot_open"
        /// The database does not answer, as after a lost connection. Nothing has changed.
        case unavailable = "storage_unavailable"
        /// The answer to a commit was lost, so its changes may be stored. The call may be repeated: see
        /// ``LedgerStorage``.
        case unconfirmed = "storage_unconfirmed"
        /// Any other failure.
        case failed = "storage_failed"
    }

    package let code: Code
    package let message: String

    package var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
