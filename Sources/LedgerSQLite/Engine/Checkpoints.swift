internal import Dispatch
internal import GRDB
internal import GRDBSQLite
internal import Ledger
internal import Synchronization

/// Copies committed pages from the write-ahead log into the file (checkpoints), concurrently with the writer.
///
/// By default, SQLite does this in the commit that makes the log too long, and that commit waits for thousands of pages
/// all over the file. Here another connection checkpoints while the writer continues. Once it has reached the end of
/// the log, which happens as soon as the writer pauses, the writer restarts the log. If the writer never pauses, the
/// log grows; then the checkpoint is repeated until the rest is small enough for the writer to copy itself.
final class Checkpoints: Sendable {
    private struct State {
        /// The pages written since the last checkpoint was started.
        var pages = 0
        /// The pages written since the last complete checkpoint.
        var length = 0
        var isRunning = false
        var isClosed = false
        /// Whether the log has to be emptied, see ``truncateLog()``.
        var isTruncating = false
        /// Whether a checkpoint will start after ``retryDelay``.
        var isRetryScheduled = false
        /// The number of consecutive failures.
        var failures = 0
    }

    /// The number of written pages after which a checkpoint starts.
    private static let interval = 16_000
    /// The length of the log in pages at which the writer completes the checkpoint: usually that of the second
    /// checkpoint, 128 MiB. Less than two intervals, because the log can have fewer pages than were written: those
    /// written just before a restart are in the previous log. If a restart truncates the log, the commit waits for the
    /// file system: 60 ms for half a gigabyte, so only longer logs are truncated.
    private static let restartLength = interval * 3 / 2
    /// The number of pages that the writer copies itself, if the rest gets that small within `maximumRounds`
    /// checkpoints.
    private static let smallRest = 500
    private static let maximumRounds = 8
    /// The length of the log in pages at which deferrable work waits.
    private static let waitLength = 4 * interval
    /// The delay in seconds before an incomplete checkpoint continues.
    private static let retryDelay = 1

    private let pool: DatabasePool
    private let readers: SQLiteReaders
    let connection: DatabaseQueue
    private let report: @Sendable (StorageError?) -> Void
    private let state = Mutex(State())

    /// Opens the connection for checkpoints.
    ///
    /// - Parameters:
    ///   - readers: Their read transactions are ended before and after a checkpoint.
    ///   - report: Called with the error after two consecutive failures, and with nil at the next success.
    init(
        _ pool: DatabasePool, _ readers: SQLiteReaders, report: @escaping @Sendable (StorageError?) -> Void
    ) throws {
        (self.pool, self.readers, self.report) = (pool, readers, report)
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -1024")
        }
        connection = try DatabaseQueue(path: pool.path, configuration: configuration)
    }

    /// Counts the pages that the writer has written. Called at the beginning of each write transaction.
    func countPages(of db: Database) {
        var (written, highest): (Int32, Int32) = (0, 0)
        guard sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &written, &highest, 1) == SQLITE_OK
        else { return }
        let isDue = state.withLock { state in
            state.pages += Int(written)
            state.length += Int(written)
            return state.pages >= Self.interval
        }
        if isDue { start() }
    }

    /// Starts a checkpoint, unless one is running.
    private func start() {
        let starts = state.withLock { state in
            guard !state.isRunning, !state.isClosed else { return false }
            (state.pages, state.isRunning) = (0, true)
            return true
        }
        guard starts else { return }
        connection.asyncWriteWithoutTransaction { db in
            // The checkpoints may have been stopped meanwhile.
            guard !self.state.withLock({ $0.isClosed }) else { return }
            let mode: Database.CheckpointMode = self.state.withLock { $0.isTruncating } ? .truncate : .restart
            guard var log = self.checkpoint(db) else { return self.finish(isComplete: false) }
            guard log.length >= Self.restartLength || mode == .truncate else {
                return self.finish(isComplete: log.copied >= log.length)
            }
            for _ in 0..<Self.maximumRounds {
                guard let next = self.checkpoint(db, afterSync: true) else { return self.finish(isComplete: false) }
                let written = next.length - log.length
                log = next
                if written <= Self.smallRest { break }
            }
            // A reader of an older snapshot prevents copying. If it ended now, the writer would copy all the pages.
            guard Self.isNearlyComplete(log) else { return self.finish(isComplete: false) }
            self.pool.asyncWriteWithoutTransaction { db in
                // The connections may be closing.
                guard !self.state.withLock({ $0.isClosed }), let log = self.checkpoint(db) else {
                    return self.finish(isComplete: false)
                }
                // The restart waits for the readers of older snapshots.
                self.finish(isComplete: Self.isNearlyComplete(log) && self.restartLog(db, mode))
            }
        }
    }

    /// Whether the writer may copy the rest of the log, even if the readers that prevented it end now.
    private static func isNearlyComplete(_ log: (length: Int, copied: Int)) -> Bool {
        log.length - log.copied <= 2 * smallRest
    }

    /// Empties the log once no reader needs it. Otherwise a name that an erasure removed would stay in old pages of the
    /// log, on a small server for months.
    func truncateLog() {
        let isPending = state.withLock { state in
            defer { state.isTruncating = true }
            return state.isTruncating
        }
        // A pending request empties the log after this erasure too. Many erasures must not keep the writer busy.
        if !isPending { start() }
    }

    private func finish(isComplete: Bool) {
        let needsRetry = state.withLock { state in
            state.isRunning = false
            if isComplete { state.length = state.pages }
            // The log may have to be emptied since the checkpoint began. Each checkpoint that a long read prevents could
            // schedule another retry, and all of them would continue until the read ends: so only one is scheduled.
            guard !isComplete || state.isTruncating, !state.isRetryScheduled, !state.isClosed else { return false }
            state.isRetryScheduled = true
            return true
        }
        guard needsRetry else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.retryDelay)) {
            self.state.withLock { $0.isRetryScheduled = false }
            self.start()
        }
    }

    /// Waits while the log is long. Called before batches of deferrable work, which may continue for minutes and write
    /// faster than a disk takes pages all over a large file. The wait is limited, because another process may hold a
    /// read transaction.
    func waitWhileLogIsLong() async throws {
        for _ in 0..<500 where state.withLock({ $0.length >= Self.waitLength && !$0.isClosed }) {
            start()
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Runs one checkpoint. Returns the length of the log and the number of its pages that are in the file; nil on
    /// failure.
    ///
    /// - Parameter afterSync: Whether to sync the file before. SQLite does that only in a checkpoint that reaches the
    ///   end of the log. If commits prevent that, it would be the writer's checkpoint, and the next commit would wait
    ///   until tens of thousands of pages are on disk.
    private func checkpoint(_ db: Database, afterSync: Bool = false) -> (length: Int, copied: Int)? {
        do {
            if afterSync { try Self.sync(db) }
            try readers.release()
            let result = try db.checkpoint(.passive)
            // New readers then read from the file, if it is complete, and do not prevent a restart of the log.
            try readers.release()
            recordResult(nil)
            return (result.walFrameCount, result.checkpointedFrameCount)
        } catch {
            // The log stays longer, and nothing is lost.
            recordResult(StorageError(error, path: pool.path))
            return nil
        }
    }

    /// Waits until all pages that were written to the file are on disk.
    private static func sync(_ db: Database) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        var code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        if code == SQLITE_OK, let file, let sync = file.pointee.pMethods?.pointee.xSync {
            code = sync(file, SQLITE_SYNC_NORMAL)
        }
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Reports a persistent failure once. A single failure may be caused by another program's checkpoint.
    private func recordResult(_ error: StorageError?) {
        let failures = state.withLock { state -> Int? in
            defer { state.failures = error == nil ? 0 : state.failures + 1 }
            // Failures after the stop do not matter.
            return state.isClosed ? nil : state.failures
        }
        guard let failures, error == nil ? failures > 1 : failures == 1 else { return }
        report(error)
    }

    /// Restarts the log at the next commit, or empties it at once. Called on the writer, when nearly all of the log is
    /// in the file. SQLite itself restarts the log only if no reader uses it at that moment: with a long read beside
    /// it, the log grew to a gigabyte, and the commit that truncated it took 158 ms.
    ///
    /// - Returns: Whether the present readers finished in time.
    private func restartLog(_ db: Database, _ mode: Database.CheckpointMode) -> Bool {
        // New readers read from the file. The call, and so the next commit, waits for the present readers.
        guard sqlite3_busy_timeout(db.sqliteConnection, Self.restartTimeout) == SQLITE_OK else { return false }
        defer { sqlite3_busy_timeout(db.sqliteConnection, Self.busyTimeout) }
        do {
            _ = try db.checkpoint(mode)
            if mode == .truncate { state.withLock { $0.isTruncating = false } }
            return true
        } catch {
            // A reader takes longer. The restart is tried again after more pages, or in a second.
            return false
        }
    }

    /// How long the writer waits for readers during a restart, and usually for a lock, in milliseconds.
    private static let (restartTimeout, busyTimeout): (Int32, Int32) = (10, 10_000)

    /// Starts no more checkpoints, and waits until its connection has finished the running one.
    func stop() {
        state.withLock { $0.isClosed = true }
        connection.writeWithoutTransaction { _ in }
    }

    /// Closes the connection, after ``stop()``.
    func close() throws { try connection.close() }
}
