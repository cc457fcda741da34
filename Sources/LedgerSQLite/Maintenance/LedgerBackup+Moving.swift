internal import Foundation
internal import Ledger

extension LedgerBackup {
    /// Moves a ledger and its companion files to a free name. The database file moves first: its log belongs to it
    /// alone.
    static func moveAway(_ ledger: String) throws -> [(from: String, to: String)] {
        let old = renamedPath(ledger, nextNumber(for: ledger))
        var moved: [(from: String, to: String)] = []
        do {
            for file in zip([ledger] + companions(of: ledger), [old] + companions(of: old)) where exists(file.0) {
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

    /// Throws if a power cut interrupted a restore after moving the ledger and before moving its log. Moving the log by
    /// itself would separate it from its ledger, which would lose the commits in the log.
    static func requireNoLogLeft(of ledger: String) throws(StorageError) {
        let (log, old) = (ledger + "-wal", renamedPath(ledger, nextNumber(for: ledger) - 1))
        guard !exists(ledger), exists(partial(of: ledger)), exists(old), !exists(old + "-wal"),
            !OpenedFiles.isEmptyOrMissing(log)
        else { return }
        throw StorageError(
            .cannotOpen,
            """
            a restore was interrupted after it had moved \(ledger) to \(old), and before its log: move \(log) to \
            \(old)-wal, or remove it if it is of another file, and restore again
            """)
    }

    private static func renamedPath(_ ledger: String, _ number: Int) -> String { "\(ledger).before-restore-\(number)" }

    /// Returns the first number whose file names are free.
    private static func nextNumber(for ledger: String) -> Int {
        var number = 1
        while ([renamedPath(ledger, number)] + companions(of: renamedPath(ledger, number))).contains(where: exists) {
            number += 1
        }
        return number
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
