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
        /// A file is there that nothing may replace.
        case exists = "file_exists"
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
}
