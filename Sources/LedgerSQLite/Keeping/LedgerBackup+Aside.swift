internal import Ledger
internal import Foundation

extension LedgerBackup {
    /// Moves a ledger away, the file itself first: what was not yet taken into it belongs to it, and to nothing else.
    static func putAside(_ ledger: String) throws -> [(from: String, to: String)] {
        let old = aside(ledger, nextNumber(for: ledger))
        var moved: [(from: String, to: String)] = []
        do {
            for file in zip([ledger] + companions(of: ledger), [old] + companions(of: old)) where isThere(file.0) {
                try FileManager.default.moveItem(atPath: file.0, toPath: file.1)
                moved.append((from: file.0, to: file.1))
            }
        } catch {
            try moveBack(moved)
            throw error
        }
        return moved
    }

    static func moveBack(_ moved: [(from: String, to: String)]) throws {
        for file in moved.reversed() { try FileManager.default.moveItem(atPath: file.to, toPath: file.from) }
    }

    /// Throws where a power cut came between moving a ledger away and moving its log: put aside by itself, the log would
    /// be nobody's, and the ledger without what was not yet taken into it.
    static func requireNoLogLeft(of ledger: String) throws(StorageError) {
        let (log, old) = (ledger + "-wal", aside(ledger, nextNumber(for: ledger) - 1))
        guard !isThere(ledger), isThere(partial(of: ledger)), isThere(old), !isThere(old + "-wal"), try hasContent(log)
        else {
            return
        }
        throw StorageError(
            .cannotOpen,
            """
            a restore was interrupted after it had moved \(ledger) to \(old), and before its log: move \(log) to \
            \(old)-wal, or remove it if it is of another file, and restore again
            """)
    }

    private static func aside(_ ledger: String, _ number: Int) -> String { "\(ledger).before-restore-\(number)" }

    /// The first under which nothing lies.
    private static func nextNumber(for ledger: String) -> Int {
        var number = 1
        while ([aside(ledger, number)] + companions(of: aside(ledger, number))).contains(where: isThere) { number += 1 }
        return number
    }

    /// Whether a log has anything in it: it is emptied, and stays, when a ledger is closed.
    private static func hasContent(_ log: String) throws(StorageError) -> Bool {
        guard isThere(log) else { return false }
        do {
            return try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int != 0
        } catch { throw StorageError(.cannotOpen, "\(log) cannot be looked at: \(error.logReason)") }
    }

    private static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
