internal import Foundation
internal import GRDB

/// Copies of a ledger, made while a server writes to it, and put back when none does.
package enum LedgerBackup {
    /// What a copy holds.
    package struct Report: Sendable, Hashable {
        /// See ``SQLiteStorage/digest()``.
        package var digest: String
        package var bytes: Int
        package var notifications: Int
    }

    /// How much is copied at a time, so that progress can be told: 4 MiB.
    private static let step: CInt = 1024

    /// Copies the ledger of one moment to a new file, and proves the copy good before it gets its name.
    ///
    /// The server goes on reading and writing; its write-ahead log cannot shrink until the copy is made.
    package static func make(
        of ledger: String, to output: String, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) throws(StorageError) -> Report {
        guard FileManager.default.fileExists(atPath: ledger) else {
            throw StorageError(.cannotOpen, "\(ledger) is not there")
        }
        guard !FileManager.default.fileExists(atPath: output) else {
            throw StorageError(.cannotOpen, "\(output) is there already; a backup overwrites nothing")
        }
        let partial = output + ".partial"
        do {
            try remove(partial)
            try copy(ledger, to: partial, progress)
            let report = try check(partial)
            try sync(partial)
            try FileManager.default.moveItem(atPath: partial, toPath: output)
            try syncFolder(of: output)
            return report
        } catch {
            // The trouble itself is what counts.
            do { try remove(partial) } catch {}
            throw StorageError(error, path: output)
        }
    }

    /// Proves a copy good: SQLite finds nothing wrong with it, and every text in it can be read.
    package static func check(_ path: String) throws(StorageError) -> Report {
        do {
            let queue = try DatabaseQueue(path: path)
            // It was only read: there is nothing that closing it could lose.
            defer { do { try queue.close() } catch {} }
            return try queue.read { db in
                let wrong = try String.fetchAll(db, sql: "PRAGMA integrity_check(5)").filter { $0 != "ok" }
                guard wrong.isEmpty else {
                    throw StorageError(.damaged, "\(path) is damaged: \(wrong.joined(separator: "; "))")
                }
                guard try db.tableExists("notifications"), try db.tableExists("lineages") else {
                    throw StorageError(.notALedger, "\(path) is not a ledger of Counterfoil")
                }
                let headers = HeaderBook()
                try headers.load(from: db)
                return Report(
                    digest: try LedgerDigest.make(db, headers, path: path),
                    bytes: try Int.fetchOne(
                        db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
                        ?? 0,
                    notifications: try Int.fetchOne(db, sql: "SELECT count(*) FROM notifications") ?? 0)
            }
        } catch { throw StorageError(error, path: path) }
    }

    /// Puts a copy in a ledger's place, when no server has it. What is there is kept under another name.
    ///
    /// - Parameter replacing: Whether there may be a ledger already.
    /// - Returns: What the copy holds, and where the old ledger is now.
    package static func restore(
        _ backup: String, to ledger: String, replacing: Bool
    ) throws(StorageError) -> (report: Report, old: String?) {
        let lock = try LedgerLock(ledger: ledger)
        defer { withExtendedLifetime(lock) {} }
        let exists = FileManager.default.fileExists(atPath: ledger)
        guard !exists || replacing else {
            throw StorageError(.busy, "\(ledger) is there already; --force puts it aside")
        }
        guard FileManager.default.fileExists(atPath: backup) else {
            throw StorageError(.cannotOpen, "\(backup) is not there")
        }
        let partial = ledger + ".partial"
        do {
            try remove(partial)
            try FileManager.default.copyItem(atPath: backup, toPath: partial)
            // However the copy was kept, the ledger is for its owner.
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: partial)
            let report = try check(partial)
            try sync(partial)
            let old = exists ? try putAside(ledger) : nil
            try FileManager.default.moveItem(atPath: partial, toPath: ledger)
            try syncFolder(of: ledger)
            return (report, old)
        } catch {
            // The trouble itself is what counts.
            do { try remove(partial) } catch {}
            throw StorageError(error, path: ledger)
        }
    }

    private static func copy(_ ledger: String, to path: String, _ progress: @escaping (Double) -> Void) throws {
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(10)
        let source = try DatabaseQueue(path: ledger, configuration: reading)
        // It was only read: there is nothing that closing it could lose.
        defer { do { try source.close() } catch {} }
        PrivateFile.make(path)
        let target = try DatabaseQueue(path: path)
        try target.inDatabase { copy in
            // One transaction from the first page to the last: otherwise every commit of the server would have it begin
            // again.
            try source.read { db in
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM scopes")
                try db.backup(to: copy, pagesPerStep: step) { done in
                    progress(Double(done.completedPageCount) / Double(max(done.totalPageCount, 1)))
                }
            }
        }
        try target.close()
    }

    private static func putAside(_ ledger: String) throws -> String {
        var number = 1
        while FileManager.default.fileExists(atPath: "\(ledger).before-restore-\(number)") { number += 1 }
        let old = "\(ledger).before-restore-\(number)"
        // What was not yet taken into the file belongs to it.
        for suffix in ["-wal", "-shm", ""] where FileManager.default.fileExists(atPath: ledger + suffix) {
            try FileManager.default.moveItem(atPath: ledger + suffix, toPath: old + suffix)
        }
        return old
    }

    private static func remove(_ path: String) throws {
        for file in [path, path + "-journal", path + "-wal", path + "-shm"]
        where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    private static func sync(_ path: String) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.synchronize()
        try file.close()
    }

    private static func syncFolder(of path: String) throws {
        let folder = try FileHandle(forReadingFrom: URL(filePath: path).deletingLastPathComponent())
        try folder.synchronize()
        try folder.close()
    }
}
