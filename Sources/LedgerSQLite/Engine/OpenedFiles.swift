internal import Foundation
internal import Ledger

/// The files that a ledger was opened from: its own and that of its log.
///
/// SQLite goes on writing to files that somebody removes or moves away, and what it wrote is gone when the process ends.
struct OpenedFiles: Sendable {
    private let ledger: String
    private let log: String
    private let numbers: [String: UInt64]

    /// - Parameter path: That of a ledger that is open.
    init(ledger path: String) {
        ledger = path
        log = URL(filePath: path).resolvingSymlinksInPath().path + "-wal"
        var numbers: [String: UInt64] = [:]
        for path in [ledger, log] { numbers[path] = Self.number(path) }
        self.numbers = numbers
    }

    /// Throws unless both are still where they were.
    func requireInPlace() throws(StorageError) {
        guard isInPlace(ledger) else {
            throw StorageError(
                .failed,
                "\(ledger) was moved or removed while it is in use, and nothing is acknowledged; put it back, or stop the "
                    + "server and restore a backup")
        }
        guard isInPlace(log) else {
            throw StorageError(
                .failed,
                "\(log) was moved or removed while it is in use, and nothing is acknowledged; stop the server, which saves "
                    + "what was in it, and start it again")
        }
    }

    /// How long the log is; nil where it is gone.
    var logBytes: Int? { Self.status(log).map { Int($0.st_size) } }

    private func isInPlace(_ path: String) -> Bool { Self.number(path) == numbers[path] }

    /// The number of a file, which no other has as long as somebody has it open; nil where there is none.
    private static func number(_ path: String) -> UInt64? { status(path).map { UInt64($0.st_ino) } }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
