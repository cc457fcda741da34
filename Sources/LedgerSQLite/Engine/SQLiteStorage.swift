internal import Foundation
package import GRDB
package import Ledger
internal import Synchronization

/// Stores the ledger in one SQLite file in WAL mode: one writer, whose commits are on disk when they return, and
/// readers that never wait for it.
package final class SQLiteStorage: Sendable {
    /// The options for opening a file.
    package struct Options: Sendable {
        /// Whether a commit waits for the disk. Without it, a power cut can lose acknowledged data.
        package var isSynchronous = true
        /// The page caches of all connections together, in MiB: half for the writer, half for the readers.
        package var cacheMiB = 32
        /// Whether to lock the file against other writers. If false, writes throw ``StorageError``.
        package var isOnlyWriter = true
        /// Whether a file of an older version is migrated, if this is the only writer. Otherwise it is refused.
        package var migrates = true
        /// Called before and after a ledger of an older version is migrated, with both versions. It may take minutes.
        package var reportMigration: @Sendable (_ from: String, _ to: String, _ isDone: Bool) -> Void = { _, _, _ in }
        /// Called with each statement, for tests.
        package var trace: (@Sendable (String) -> Void)?
        /// Called with the error when checkpoints fail, and with nil when they work again.
        package var reportCheckpointError: @Sendable (StorageError?) -> Void = { _ in }

        package init() {}
    }

    package let headers = HeaderRegistry()
    package let pool: DatabasePool
    private let readers: SQLiteReaders
    let checkpoints: Checkpoints
    let files: OpenedFiles
    /// The path of the file.
    package let path: String
    /// Whether opening created the ledger, which is empty then.
    package let isNew: Bool
    private let lock: Mutex<LedgerLock?>
    private let isOnlyWriter: Bool
    private let commitCount = Atomic<Int>(0)

    /// Opens a file, or creates it.
    ///
    /// - Throws: ``StorageError`` with the reason and what to do, if the file cannot be used.
    package init(path: String, options: Options = Options()) throws(StorageError) {
        self.path = path
        isOnlyWriter = options.isOnlyWriter
        try StorageError.refuseFolder(at: path)
        try StorageError.refuseLinks(atCompanionsOf: path)
        lock = Mutex(options.isOnlyWriter ? try LedgerLock(ledger: path) : nil)
        var configuration = Configuration()
        configuration.maximumReaderCount = 4
        configuration.busyMode = .timeout(10)
        let cacheKiB = max(1, min(options.cacheMiB, 65_536)) * 1024
        let readerKiB = cacheKiB / 2 / (configuration.maximumReaderCount + SQLiteReaders.count)
        let trace = options.trace
        configuration.prepareDatabase { db in
            if let trace { db.trace { trace("\($0)") } }
            // Erased names are overwritten, also by an SQLite that by default only marks their bytes as free. Automatic
            // checkpoints are for migrations of a large ledger.
            try db.execute(
                sql: """
                    PRAGMA secure_delete = ON;
                    PRAGMA cache_size = -\(readerKiB);
                    PRAGMA wal_autocheckpoint = 200000;
                    PRAGMA journal_size_limit = 536870912;
                    """)
        }
        if options.isOnlyWriter { try Self.requireNoInterruptedRestore(path) }
        try StorageError.refuseLogWithoutLedger(at: path)
        isNew = OpenedFiles.isEmptyOrMissing(path)
        let hasFormerLog = !OpenedFiles.isEmptyOrMissing(LedgerBackup.resolved(path) + "-wal")
        PrivateFile.make(path)
        do {
            pool = try DatabasePool(path: path, configuration: configuration)
            // After opening: GRDB sets NORMAL when it opens a pool, and a power cut can lose a commit with NORMAL.
            try pool.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        PRAGMA cache_size = -\(cacheKiB / 2);
                        PRAGMA synchronous = \(options.isSynchronous ? "FULL" : "NORMAL");
                        """)
            }
            try Schema.migrate(
                pool, isAllowed: options.isOnlyWriter && options.migrates, report: options.reportMigration)
            // Checkpoints manages the log from here on. A commit after a long backup would copy all that the log kept.
            try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
            readers = try SQLiteReaders(
                pool, cacheKiB: readerKiB, isOnlyWriter: options.isOnlyWriter, trace: trace)
            checkpoints = try Checkpoints(pool, readers, report: options.reportCheckpointError)
            files = OpenedFiles(ledger: path)
            try pool.read { db in try headers.load(from: db) }
            // The process before may have been killed after an erasure, before it emptied the log.
            if options.isOnlyWriter, hasFormerLog { checkpoints.truncateLog() }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Refuses to create an empty ledger if a restore was interrupted between moving the old ledger away and moving the
    /// copy to its place.
    private static func requireNoInterruptedRestore(_ path: String) throws(StorageError) {
        let place = LedgerBackup.resolved(path)
        let partial = LedgerBackup.partial(of: place)
        guard !FileManager.default.fileExists(atPath: place), FileManager.default.fileExists(atPath: partial) else {
            return
        }
        throw StorageError(
            .cannotOpen,
            """
            a restore of \(path) was interrupted: there is no ledger, only \(partial), which may be incomplete. \
            Restore the backup again. If there was a ledger before, its path is now \(place).before-restore- and a \
            number. To begin with an empty ledger, remove \(partial).
            """)
    }

    /// Runs a write transaction. Errors of SQLite are thrown as ``StorageError``.
    func write<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let value = try await writeUncounted(updates)
        commitCount.wrappingAdd(1, ordering: .relaxed)
        return value
    }

    /// Runs one statement as a write transaction.
    func write(_ sql: String, _ values: [SQLValue]) async throws { try await write { try $0.run(sql, values) } }

    /// Runs a write transaction that does not count as a change.
    func writeUncounted<Value: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            // The process with the lock would continue to read the ledger without this commit.
            guard isOnlyWriter else { throw StorageError(.readOnly, "\(path) is open only for reading") }
            return try await pool.write { db in
                try self.files.requireInPlace()
                self.checkpoints.countPages(of: db)
                return try updates(db)
            }
        } catch { throw StorageError.unlessCancelled(error, path: path) }
    }

    package var commits: Int { commitCount.load(ordering: .relaxed) }

    /// Runs one batch of deferrable work as a write transaction: see ``Checkpoints/waitWhileLogIsLong()``.
    func writeBatch<Value: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await checkpoints.waitWhileLogIsLong()
        return try await write(updates)
    }

    /// Reads from one snapshot. Errors of SQLite are thrown as ``StorageError``.
    func read<Value: Sendable>(_ value: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do { return try await pool.read(value) } catch { throw StorageError.unlessCancelled(error, path: path) }
    }

    /// Reads all rows of one query, and omits those for which `row` returns nil.
    func readAll<Value: Sendable>(
        _ sql: String, _ values: [SQLValue], _ row: @escaping @Sendable (SQLStatement) throws -> Value?
    ) async throws -> [Value] {
        try await read { try $0.all(sql, values, row) }
    }

    /// Runs one small query on the calling thread. Errors of SQLite are thrown as ``StorageError``.
    func readInline<Value: Sendable>(_ query: (Database) throws -> Value) throws -> Value {
        do { return try readers.read(query) } catch { throw StorageError(error, path: path) }
    }

    /// Closes the file and releases its lock. The files `-wal` and `-shm` are removed, unless another process uses them.
    package func close() throws {
        // Releases the lock even if closing fails.
        defer { lock.withLock { $0 = nil } }
        checkpoints.stop()
        let readersClosing = Result { try readers.close() }
        // Truncates the log, which stays if another process reads. If that fails, the log is read at the next start. If
        // another process writes, truncating is left to it: otherwise it would have to wait.
        do { if isOnlyWriter { try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) } } } catch {
            // Nothing is lost, see above.
        }
        // The last connection removes the log, which it can only if it is not a reader. The pool closes its readers
        // after its writer, so the connection for checkpoints is the last.
        let closings = [readersClosing, Result { try pool.close() }, Result { try checkpoints.close() }]
        for closing in closings { try closing.get() }
    }
}

extension SQLiteStorage: LedgerEngine {}
