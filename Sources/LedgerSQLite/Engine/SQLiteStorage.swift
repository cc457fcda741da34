package import Ledger
internal import Foundation
package import GRDB
internal import Synchronization

/// Keeps everything in one SQLite file, in WAL mode: one writer, whose commits are on disk when they return, and readers
/// that never wait for it.
package final class SQLiteStorage: Sendable {
    /// How the file is used.
    package struct Options: Sendable {
        /// Whether a commit waits for the disk. Without it a power cut can lose what was acknowledged.
        package var isSynchronous = true
        /// The caches of all connections together, in MiB: half for the writer, half for those who read.
        package var cacheMiB = 32
        /// How many connections read at the same time.
        package var readers = 4
        /// Whether no other process may have the file for itself at the same time. Only who does not write can do without.
        package var isOnlyWriter = true
        /// Sees each statement, for tests of what is asked.
        package var trace: (@Sendable (String) -> Void)?
        /// Is told why the log cannot be brought into the file, and nil when it can again.
        package var reportLog: @Sendable (StorageError?) -> Void = { _ in }

        package init() {}
    }

    package let headers = HeaderRegistry()
    package let pool: DatabasePool
    private let readers: SQLiteReaders
    private let checkpoints: Checkpoints
    let files: OpenedFiles
    /// The path of the file.
    package let path: String
    private let lock: Mutex<LedgerLock?>
    private let isOnlyWriter: Bool
    private let commitCount = Atomic<Int>(0)

    /// Opens a file, or makes it.
    ///
    /// - Throws: ``StorageError`` when the file cannot be used, saying why and what to do.
    package init(path: String, options: Options = Options()) throws(StorageError) {
        self.path = path
        isOnlyWriter = options.isOnlyWriter
        lock = Mutex(options.isOnlyWriter ? try LedgerLock(ledger: path) : nil)
        var configuration = Configuration()
        configuration.maximumReaderCount = options.readers
        configuration.busyMode = .timeout(10)
        let cacheKiB = max(1, min(options.cacheMiB, 65_536)) * 1024
        let readerKiB = cacheKiB / 2 / (options.readers + SQLiteReaders.count)
        let trace = options.trace
        configuration.prepareDatabase { db in
            if let trace { db.trace { trace("\($0)") } }
            // The log is for Checkpoints to look after; a commit does it only where that fails.
            try db.execute(
                sql: """
                    PRAGMA cache_size = -\(readerKiB);
                    PRAGMA wal_autocheckpoint = 200000;
                    PRAGMA journal_size_limit = 536870912;
                    """)
        }
        if options.isOnlyWriter { try Self.requireNoInterruptedRestore(path) }
        PrivateFile.make(path)
        do {
            pool = try DatabasePool(path: path, configuration: configuration)
            // Only now: GRDB itself sets NORMAL, with which a commit can be lost in a power cut, when it opens a pool.
            try pool.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        PRAGMA cache_size = -\(cacheKiB / 2);
                        PRAGMA synchronous = \(options.isSynchronous ? "FULL" : "NORMAL");
                        """)
            }
            try Schema.migrate(pool, isOnlyWriter: options.isOnlyWriter)
            readers = try SQLiteReaders(
                pool, cacheKiB: readerKiB, isOnlyWriter: options.isOnlyWriter, trace: trace)
            checkpoints = try Checkpoints(pool, readers, report: options.reportLog)
            files = OpenedFiles(ledger: path)
            try pool.read { db in try headers.load(from: db) }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Refuses to begin an empty ledger where a restore ended between moving the old one away and moving the copy in.
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

    /// Writes in one transaction, and says in the house's words what went wrong.
    func write<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let value = try await writeUncounted(updates)
        commitCount.wrappingAdd(1, ordering: .relaxed)
        return value
    }

    /// Writes in one transaction something that is no change.
    func writeUncounted<Value: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await pool.write { db in
                try self.files.requireInPlace()
                self.checkpoints.countPages(of: db)
                return try updates(db)
            }
        } catch let error as CancellationError { throw error } catch { throw StorageError(error, path: path) }
    }

    package var commits: Int { commitCount.load(ordering: .relaxed) }

    /// Writes a piece of work that can wait, in one transaction: see ``Checkpoints/catchUp()``.
    func writePiece<Value: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await checkpoints.catchUp()
        return try await write(updates)
    }

    /// Reads a consistent state, and says in the house's words what went wrong.
    func read<Value: Sendable>(_ value: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do { return try await pool.read(value) } catch let error as CancellationError {
            throw error
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Asks one small question, and says in the house's words what went wrong.
    func readAtOnce<Value: Sendable>(_ question: (Database) throws -> Value) throws -> Value {
        do { return try readers.read(question) } catch { throw StorageError(error, path: path) }
    }

    /// Closes the file, for others to have. What was committed stays.
    package func close() throws {
        // Whatever fails, others may have it then.
        defer { lock.withLock { $0 = nil } }
        let closings = [Result { try checkpoints.close() }, Result { try readers.close() }]
        // One file is easier to look after than three. If that fails, the log is read again at the next start. Where
        // another process writes it is not ours to empty: that process would wait.
        do { if isOnlyWriter { try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) } } } catch {
            // Nothing is lost: see above.
        }
        try pool.close()
        for closing in closings { try closing.get() }
    }
}

extension SQLiteStorage: LedgerEngine {}
