package import Ledger
internal import Foundation
internal import GRDB

/// Copies of a ledger, made while a server writes to it, and put back when none does.
package enum LedgerBackup {
    /// How much is copied at a time, so that progress can be told: 4 MiB.
    private static let step: CInt = 1024

    /// Copies the ledger of one moment to a new file, and proves the copy good before it gets its name. A record or a text that
    /// is damaged in the ledger is damaged in the copy, and keeps nothing else out of it.
    ///
    /// The server goes on reading and writing; its write-ahead log cannot shrink until the copy is made.
    ///
    /// - Parameter unfinished: What the copy is called until it gets its name. See ``unfinished(_:)``.
    package static func make(
        of ledger: String, to output: String, unfinished: String? = nil,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) throws(StorageError) -> Report {
        guard FileManager.default.fileExists(atPath: ledger) else {
            throw StorageError(.cannotOpen, "\(ledger) is not there")
        }
        try requireFree(output)
        let partial = unfinished ?? Self.unfinished(output)
        do {
            try copy(ledger, to: partial, progress)
            // What is wrong with the copy is wrong with the ledger.
            let report = try check(partial, named: ledger)
            try sync(partial)
            // Another backup may have got the name meanwhile.
            try requireFree(output)
            try FileManager.default.moveItem(atPath: partial, toPath: output)
            try syncFolder(of: output)
            return report
        } catch {
            // The trouble itself is what counts.
            do { try remove(partial) } catch {}
            throw StorageError(error, path: output)
        }
    }

    private static func requireFree(_ output: String) throws(StorageError) {
        // Beside the copy SQLite would take what is left of another file for a part of it.
        for file in [output] + companions(of: output) where FileManager.default.fileExists(atPath: file) {
            throw StorageError(.cannotOpen, "\(file) is there already; a backup overwrites nothing")
        }
    }

    /// A name for a copy until it is proven good. Each has its own: one that somebody else writes must not be taken for it.
    package static func unfinished(_ output: String) -> String { "\(output).\(UUID().uuidString).partial" }

    /// Proves a copy good, in which SQLite finds nothing wrong, and finds the records and texts in it that cannot be read.
    ///
    /// - Parameter name: What errors call it: the file that it was copied from, since the copy goes.
    package static func check(_ path: String, named name: String? = nil) throws(StorageError) -> Report {
        let name = name ?? path
        return try reading(path, named: name) { db in
            try proveSound(db, name)
            let headers = HeaderRegistry()
            try headers.load(from: db)
            var report = Report(
                digest: "",
                bytes: try db.first("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", []) {
                    $0.number(0).map { Int($0) }
                } ?? 0,
                notifications: try countNotifications(db))
            let digest = try LedgerDigest.make(db, headers, path: name) { report.add($0) }
            report.digest = digest
            try db.each("SELECT text, original_id FROM statements ORDER BY id", []) { row in
                guard row.blob(0).flatMap({ headers.unpack($0) }) == nil else { return }
                report.add(StorageError(.damaged, "the text of a statement about \(row.text(1) ?? "") is damaged"))
            }
            return report
        }
    }

    private static func reading<Value>(
        _ path: String, named name: String, _ body: (Database) throws -> Value
    ) throws(StorageError) -> Value {
        do {
            let queue = try DatabaseQueue(path: path)
            // It was only read: there is nothing that closing it could lose.
            defer { do { try queue.close() } catch {} }
            return try queue.read(body)
        } catch { throw StorageError(error, path: name) }
    }

    private static func countNotifications(_ db: Database) throws -> Int {
        try db.first("SELECT count(*) FROM notifications", []) { $0.number(0).map { Int($0) } } ?? 0
    }

    private static func proveSound(_ db: Database, _ path: String) throws {
        let wrong = try db.texts("PRAGMA integrity_check(5)", []).filter { $0 != "ok" }
        guard wrong.isEmpty else {
            throw StorageError(.damaged, "\(path) is damaged: \(wrong.joined(separator: "; "))")
        }
        guard try db.tableExists("notifications"), try db.tableExists("lineages") else {
            throw StorageError(.notALedger, "\(path) is not a ledger of Counterfoil")
        }
    }

    /// What ``restore(_:to:replacing:)`` has done.
    package struct Restored: Sendable, Hashable {
        /// What the copy holds.
        package var report: Report
        /// Where the ledger is now that was there; nil when there was none.
        package var old: String?
        /// Where everything is now that was there: the ledger, and what lay beside it.
        package var aside: [String]
    }

    /// Puts a copy in a ledger's place, when no server has it. What is there is kept under another name: the ledger, and
    /// what SQLite would take for a part of the copy, even if its ledger is gone.
    ///
    /// - Parameter replacing: Whether there may be a ledger already.
    package static func restore(
        _ backup: String, to ledger: String, replacing: Bool
    ) throws(StorageError) -> Restored {
        let lock = try LedgerLock(ledger: ledger)
        defer { withExtendedLifetime(lock) {} }
        // A link to the ledger stays one. Of a link to the copy the ledger must not become another: that file is a backup.
        let (place, backup) = (resolved(ledger), resolved(backup))
        guard replacing || !FileManager.default.fileExists(atPath: place) else {
            throw StorageError(.exists, "\(ledger) is there already; --force puts it aside")
        }
        try requireWhole(backup)
        try requireNoLogLeft(of: place)
        let partial = partial(of: place)
        try require(backup, isNot: partial)
        do {
            try remove(partial)
            try copyFile(backup, to: partial)
            // However the copy was kept, the ledger is for its owner.
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: partial)
            let report = try check(partial, named: backup)
            try sync(partial)
            let moved = try exchange(partial, for: place, report)
            return Restored(
                report: report, old: moved.first { $0.from == place }?.to, aside: moved.map(\.to))
        } catch {
            // The trouble itself is what counts.
            do { try remove(partial) } catch {}
            throw StorageError(error, path: ledger)
        }
    }

    /// Where a copy is that is to take a ledger's place, until it is proven good. The ledger's lock keeps others from it.
    static func partial(of path: String) -> String { path + ".partial" }

    /// The file that a path leads to, through all links.
    static func resolved(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }

    /// What is left of a copy that was not finished is removed, and must be nobody's only one.
    private static func require(_ file: String, isNot partial: String) throws(StorageError) {
        guard resolved(file) != resolved(partial) else {
            throw StorageError(
                .cannotOpen, "\(file) would be overwritten while it is copied; give it another name first")
        }
    }

    /// A copy that a program has open, or that was taken from a running server, is not all in one file.
    private static func requireWhole(_ backup: String) throws(StorageError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: backup, isDirectory: &isFolder) else {
            throw StorageError(.cannotOpen, "\(backup) is not there")
        }
        // It would be copied with everything in it before anybody saw that it is no ledger.
        guard !isFolder.boolValue else {
            throw StorageError(.cannotOpen, "\(backup) is a folder; name the backup in it")
        }
        for file in [backup + "-wal", backup + "-journal"] {
            let size: Int
            do { size = try URL(filePath: file).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 } catch {
                continue
            }
            guard size == 0 else {
                throw StorageError(
                    .cannotOpen,
                    "\(file) lies beside the copy, so that the copy is not all in one file: make one with "
                        + "`counterfoil ledger backup`")
            }
        }
    }

    /// Moves what is there away and the copy in, and opens it where it is to live; if that fails, everything is as before.
    private static func exchange(
        _ partial: String, for ledger: String, _ report: Report
    ) throws -> [(from: String, to: String)] {
        let moved = try putAside(ledger)
        do {
            try FileManager.default.moveItem(atPath: partial, toPath: ledger)
            try syncFolder(of: ledger)
            let found = try reading(ledger, named: ledger) { db in
                try proveSound(db, ledger)
                return try countNotifications(db)
            }
            guard found == report.notifications else {
                throw StorageError(.damaged, "\(ledger) is not what was copied to it")
            }
            return moved
        } catch {
            try remove(ledger)
            try moveBack(moved)
            throw error
        }
    }

    private static func copyFile(_ backup: String, to path: String) throws(StorageError) {
        do { try FileManager.default.copyItem(atPath: backup, toPath: path) } catch {
            let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
            throw StorageError(
                isFull ? .full : .cannotOpen, "\(backup) cannot be copied to \(path): \(error.localizedDescription)")
        }
    }

    private static func copy(_ ledger: String, to path: String, _ progress: @escaping (Double) -> Void) throws {
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(10)
        let source: DatabaseQueue
        do { source = try DatabaseQueue(path: ledger, configuration: reading) } catch {
            throw StorageError(error, path: ledger)
        }
        // It was only read: there is nothing that closing it could lose.
        defer { do { try source.close() } catch {} }
        PrivateFile.make(path)
        var writing = Configuration()
        // What is unfinished goes. A file beside it could be made just after whoever ends the process has removed the rest.
        writing.prepareDatabase { db in try db.execute(sql: "PRAGMA journal_mode = MEMORY") }
        let target = try DatabaseQueue(path: path, configuration: writing)
        try target.inDatabase { copy in
            // One transaction from the first page to the last: otherwise every commit of the server would have it begin
            // again.
            try source.read { db in
                // What fails up to here is the ledger, not the copy.
                do { _ = try db.number("SELECT count(*) FROM scopes", []) } catch {
                    throw StorageError(error, path: ledger)
                }
                try db.backup(to: copy, pagesPerStep: step) { done in
                    progress(Double(done.completedPageCount) / Double(max(done.totalPageCount, 1)))
                }
            }
        }
        try target.close()
    }

    /// What SQLite takes for a part of a ledger.
    package static func companions(of path: String) -> [String] { [path + "-wal", path + "-shm", path + "-journal"] }

    private static func remove(_ path: String) throws {
        for file in [path] + companions(of: path) where FileManager.default.fileExists(atPath: file) {
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
