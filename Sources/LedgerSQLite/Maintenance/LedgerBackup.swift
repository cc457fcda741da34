internal import Basics
internal import Foundation
internal import GRDB
package import Ledger

/// Copies a ledger while a server writes to it, and restores a copy when no server runs.
package enum LedgerBackup {
    /// The number of pages copied at a time (4 MiB), after which progress is reported.
    private static let step: CInt = 1024

    /// Copies one snapshot of the ledger to a new file, and verifies the copy before it gets its name. A corrupt record
    /// or text in the ledger is copied as it is and does not stop the backup.
    ///
    /// The server can read and write meanwhile; its write-ahead log cannot shrink until the copy is complete.
    ///
    /// - Parameter unfinished: The name of the copy until it is complete. See ``unfinished(_:)``.
    package static func make(
        of ledger: String, to output: String, unfinished: String? = nil,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) throws(StorageError) -> Report {
        if let problem = FileReachability.problem(at: ledger) {
            throw StorageError(.cannotOpen, "the ledger \(ledger) \(problem)")
        }
        try StorageError.refuseFolder(at: ledger)
        try StorageError.refuseLogWithoutLedger(at: ledger)
        try requireFree(output)
        let partial = unfinished ?? Self.unfinished(output)
        do {
            try copy(ledger, to: partial, progress)
            // A fault in the copy is a fault in the ledger.
            let report = try check(partial, named: ledger)
            try sync(URL(filePath: partial))
            // Another backup may have taken the name meanwhile.
            try requireFree(output)
            try FileManager.default.moveItem(atPath: partial, toPath: output)
            try sync(URL(filePath: output).deletingLastPathComponent())
            return report
        } catch {
            // The original error counts.
            do { try remove(partial) } catch {}
            throw StorageError(error, path: output)
        }
    }

    private static func requireFree(_ output: String) throws(StorageError) {
        // SQLite would treat remaining companion files of another database as part of the copy.
        for file in [output] + companions(of: output) where isTaken(file) {
            throw StorageError(.exists, "\(file) already exists; a backup never overwrites a file")
        }
    }

    /// Returns a name for an incomplete copy. Each copy has its own, so that concurrent backups do not use the same
    /// file.
    package static func unfinished(_ output: String) -> String { "\(output).\(UUID().uuidString).partial" }

    /// Verifies that SQLite finds no fault in a copy, and lists the corrupt records and texts.
    ///
    /// - Parameter name: The path to use in errors: that of the copied ledger, since the copy is temporary.
    package static func check(_ path: String, named name: String? = nil) throws(StorageError) -> Report {
        let name = name ?? path
        return try reading(path, named: name) { db in
            try checkIntegrity(db, name)
            let headers = HeaderRegistry()
            try headers.load(from: db)
            var report = Report(
                digest: "",
                bytes: Int(
                    try db.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", []) ?? 0),
                notifications: try countNotifications(db))
            let digest = try LedgerDigest.make(db, headers, path: name) { report.add($0) }
            report.digest = digest
            try db.each("SELECT text, original_id FROM statements ORDER BY id", []) { row in
                guard row.blob(0).flatMap({ headers.unpack($0) }) == nil else { return }
                report.add(StorageError(.damaged, "the text of a signed fact about \(row.text(1) ?? "") is damaged"))
            }
            return report
        }
    }

    private static func reading<Value>(
        _ path: String, named name: String, _ body: (Database) throws -> Value
    ) throws(StorageError) -> Value {
        do {
            let queue = try DatabaseQueue(path: path)
            // The connection was only read, so closing it cannot lose data.
            defer { do { try queue.close() } catch {} }
            return try queue.read(body)
        } catch { throw StorageError(error, path: name) }
    }

    private static func countNotifications(_ db: Database) throws -> Int {
        Int(try db.number("SELECT count(*) FROM notifications", []) ?? 0)
    }

    private static func checkIntegrity(_ db: Database, _ path: String) throws {
        let wrong = try db.texts("PRAGMA integrity_check(5)", []).filter { $0 != "ok" }
        guard wrong.isEmpty else {
            throw StorageError(.damaged, "\(path) is damaged: \(wrong.joined(separator: "; "))")
        }
        guard try db.tableExists("notifications"), try db.tableExists("lineages") else {
            throw StorageError(.notALedger, "\(path) is not a ledger of Counterfoil")
        }
        try Schema.requireKnown(db, path: path)
    }

    /// The result of ``restore(_:to:replacing:)``.
    package struct Restored: Sendable, Hashable {
        /// The contents of the copy.
        package var report: Report
        /// The new path of the previous ledger; nil if there was none.
        package var old: String?
        /// The new paths of all previous files: the ledger and its companion files.
        package var movedFiles: [String]
    }

    /// Replaces a ledger with a copy while no server uses it. The previous ledger and its companion files are renamed,
    /// even if only companion files exist, because SQLite would treat them as part of the copy.
    ///
    /// - Parameter replacing: Whether an existing ledger may be replaced.
    package static func restore(
        _ backup: String, to ledger: String, replacing: Bool
    ) throws(StorageError) -> Restored {
        // A folder would be renamed like a previous ledger.
        try StorageError.refuseFolder(at: ledger)
        let lock = try LedgerLock(ledger: ledger)
        defer { withExtendedLifetime(lock) {} }
        // A symbolic link to the ledger is kept. A link to the backup is resolved, so that the ledger does not become a
        // link to the backup.
        let (place, backup) = (resolved(ledger), resolved(backup))
        guard replacing || !FileManager.default.fileExists(atPath: place) else {
            throw StorageError(.exists, "\(ledger) already exists; --force renames it")
        }
        try requireSingleFile(backup)
        try requireNoLogLeft(of: place)
        let partial = partial(of: place)
        try require(backup, isNot: partial)
        do {
            try remove(partial)
            try copyFile(backup, to: partial)
            let report = try check(partial, named: backup)
            try sync(URL(filePath: partial))
            let moved = try install(partial, for: place, report)
            return Restored(
                report: report, old: moved.first { $0.from == place }?.to, movedFiles: moved.map(\.to))
        } catch {
            // The original error counts.
            do { try remove(partial) } catch {}
            throw StorageError(error, path: ledger)
        }
    }

    /// Returns the path of a copy that is not verified yet. The ledger's lock prevents concurrent use.
    static func partial(of path: String) -> String { path + ".partial" }

    /// Returns the file that a path leads to, through all links.
    static func resolved(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }

    /// Throws if the file to restore has the name of the partial copy, which is removed first and might be the only
    /// copy.
    private static func require(_ file: String, isNot partial: String) throws(StorageError) {
        guard resolved(file) != resolved(partial) else {
            throw StorageError(
                .cannotOpen, "\(file) would be overwritten while it is copied; give it another name first")
        }
    }

    /// Throws if a backup consists of several files: it is open in a program, or was copied from a running server.
    private static func requireSingleFile(_ backup: String) throws(StorageError) {
        if let problem = FileReachability.problem(at: backup) {
            throw StorageError(.cannotOpen, "\(backup) \(problem)")
        }
        // A folder would be copied with all of its contents before it turned out not to be a ledger.
        try StorageError.refuseFolder(at: backup)
        for file in [backup + "-wal", backup + "-journal"] where !OpenedFiles.isEmptyOrMissing(file) {
            throw StorageError(
                .cannotOpen,
                "\(file) is part of the backup, which is not all in one file: create a backup with "
                    + "`counterfoil ledger backup`")
        }
    }

    /// Moves the present files away and the copy to its place, and opens it there; on failure, moves everything back.
    private static func install(
        _ partial: String, for ledger: String, _ report: Report
    ) throws -> [(from: String, to: String)] {
        let moved = try moveAway(ledger)
        do {
            try FileManager.default.moveItem(atPath: partial, toPath: ledger)
            try sync(URL(filePath: ledger).deletingLastPathComponent())
            let found = try reading(ledger, named: ledger) { db in
                try checkIntegrity(db, ledger)
                return try countNotifications(db)
            }
            guard found == report.notifications else {
                throw StorageError(.damaged, "\(ledger) differs from the backup")
            }
            return moved
        } catch {
            try remove(ledger)
            try moveBack(moved)
            throw error
        }
    }

    /// Copies a file to a new one that only its owner may read, whatever the permissions of the backup.
    static func copyFile(_ backup: String, to path: String) throws(StorageError) {
        let target: FileHandle
        do { target = try FileHandle.creatingPrivateFile(at: path) } catch {
            throw StorageError(errno: error.code.rawValue, path: path)
        }
        do {
            let source = try FileHandle(forReadingFrom: URL(filePath: backup))
            while let part = try source.read(upToCount: 1 << 20), !part.isEmpty { try target.write(contentsOf: part) }
            try source.close()
            try target.close()
        } catch {
            throw StorageError(
                FileFailure.isDiskFull(error) ? .full : .cannotOpen,
                "\(backup) cannot be copied to \(path): \(FileFailure.reason(error))")
        }
    }

    private static func copy(_ ledger: String, to path: String, _ progress: @escaping (Double) -> Void) throws {
        try StorageError.refuseLinks(atCompanionsOf: ledger)
        // Not a read-only connection: if no server runs, that would leave the files `-wal` and `-shm`.
        var reading = Configuration()
        reading.busyMode = .timeout(10)
        let source: DatabaseQueue
        do { source = try DatabaseQueue(path: ledger, configuration: reading) } catch {
            throw StorageError(error, path: ledger)
        }
        // The connection was only read, so closing it cannot lose data.
        defer { do { try source.close() } catch {} }
        PrivateFile.make(path)
        var writing = Configuration()
        // An incomplete copy is removed. A journal file beside it could be created just after the process that ends
        // this one removed the other files.
        writing.prepareDatabase { db in try db.execute(sql: "PRAGMA journal_mode = MEMORY") }
        let target = try DatabaseQueue(path: path, configuration: writing)
        try target.inDatabase { copy in
            // One transaction from the first page to the last: otherwise every commit of the server would restart the
            // copy.
            try source.read { db in
                // An error up to here concerns the ledger, not the copy.
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

    /// Returns the paths of the files that SQLite treats as part of a database.
    package static func companions(of path: String) -> [String] { [path + "-wal", path + "-shm", path + "-journal"] }

    /// Whether there is a file or a symbolic link, also one to a file that does not exist: SQLite would create that file.
    private static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Removes all files of a database.
    static func remove(_ path: String) throws {
        for file in [path] + companions(of: path) where isTaken(file) {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    /// Waits until a file is on disk, or the names in a folder.
    private static func sync(_ file: URL) throws {
        let handle = try FileHandle(forReadingFrom: file)
        try handle.synchronize()
        try handle.close()
    }
}
