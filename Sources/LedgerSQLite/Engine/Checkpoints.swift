internal import Ledger
internal import Dispatch
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Brings what was committed from the log into the file, beside the writer.
///
/// SQLite would do it in the commit that makes the log too long, and whoever waits for that commit would wait for thousands
/// of pages all over the file. Here another connection does it while the writer goes on. When it has come to the log's end,
/// which it does as soon as the writer pauses, the writer begins the log anew. Where it never pauses the log gets long: then
/// what it wrote meanwhile is brought in again and again, until so little is left that the writer may do that itself.
final class Checkpoints: Sendable {
    private struct State {
        /// Written since the last time.
        var pages = 0
        /// Written since all of the log was in the file.
        var length = 0
        var isUnderWay = false
        var isClosed = false
        /// How often it failed in a row.
        var failures = 0
    }

    /// How many pages are written between two times.
    private static let due = 16_000
    /// The log's length in pages, 128 MiB, at which the writer finishes it. A log of more than half a gigabyte is cut to that
    /// when it begins anew, and the commit that does it waits for the file system: 60 ms for as much again.
    private static let longest = 2 * due
    /// How much of it is left for the writer, in pages, if that is reached in so many rounds.
    private static let little = 500
    private static let rounds = 8
    /// The length beyond which work that can wait is put off.
    private static let long = 4 * due
    /// After a pause of this many seconds, what was left is done.
    private static let pause = 1

    private let pool: DatabasePool
    private let readers: SQLiteReaders
    private let connection: DatabaseQueue
    private let report: @Sendable (StorageError?) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - readers: They are sent out of the log before it is brought in and after it.
    ///   - report: Is told of the error when it failed twice in a row, and nil when it works again.
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

    /// Counts what the writer has written. Is called at the beginning of each transaction of the writer.
    func countPages(of db: Database) {
        var (written, highest): (Int32, Int32) = (0, 0)
        guard sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &written, &highest, 1) == SQLITE_OK
        else { return }
        let isDue = state.withLock { state in
            state.pages += Int(written)
            state.length += Int(written)
            return state.pages >= Self.due
        }
        if isDue { begin() }
    }

    /// Begins, unless that is done already.
    private func begin() {
        let begins = state.withLock { state in
            guard !state.isUnderWay, !state.isClosed else { return false }
            (state.pages, state.isUnderWay) = (0, true)
            return true
        }
        guard begins else { return }
        connection.asyncWriteWithoutTransaction { db in
            // It may have been closed meanwhile.
            guard !self.state.withLock({ $0.isClosed }) else { return }
            guard let log = self.carryOut(db) else { return self.end(isComplete: false) }
            guard log.length >= Self.longest else { return self.end(isComplete: log.done >= log.length) }
            var before = log.length
            for _ in 0..<Self.rounds {
                guard let length = self.carryOut(db)?.length else { return self.end(isComplete: false) }
                if length - before <= Self.little { break }
                before = length
            }
            self.pool.asyncWriteWithoutTransaction { db in
                guard let log = self.carryOut(db) else { return self.end(isComplete: false) }
                // Who reads what is older keeps the last of it in the log, and is waited for.
                self.end(isComplete: log.length - log.done <= 2 * Self.little && self.beginAnew(db))
            }
        }
    }

    private func end(isComplete: Bool) {
        state.withLock { state in
            state.isUnderWay = false
            if isComplete { state.length = state.pages }
        }
        guard !isComplete else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.pause)) { self.begin() }
    }

    /// Waits while the log is long. For work that nobody waits for and that may have no end for minutes: it writes faster
    /// than a disk takes pages all over a large file. Not for ever: somebody else may be reading the log.
    func catchUp() async throws {
        for _ in 0..<500 where state.withLock({ $0.length >= Self.long && !$0.isClosed }) {
            begin()
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// How long the log is, and how much of it is in the file now; nil where it failed.
    private func carryOut(_ db: Database) -> (length: Int, done: Int)? {
        do {
            try readers.release()
            let result = try db.checkpoint(.passive)
            // Who begins now reads from the file if all is in it, and does not keep the log from beginning anew.
            try readers.release()
            note(nil)
            return (result.walFrameCount, result.checkpointedFrameCount)
        } catch {
            // The log stays longer, and nothing is lost. If it fails again and again, commits do it themselves.
            note(StorageError(error, path: pool.path))
            return nil
        }
    }

    /// Reports what lasts, once. A single failure may be another program that does the same at that moment.
    private func note(_ error: StorageError?) {
        let failures = state.withLock { state -> Int? in
            defer { state.failures = error == nil ? 0 : state.failures + 1 }
            // What is closed fails, and nobody needs it any more.
            return state.isClosed ? nil : state.failures
        }
        guard let failures, error == nil ? failures > 1 : failures == 1 else { return }
        report(error)
    }

    /// Has the log begin anew with the next commit, while the writer stands still and all but a little of the log is in the
    /// file. Left to itself it would only where nobody reads at that moment: beside a long piece of reading it grew to a
    /// gigabyte, and the commit that cut it took 158 ms.
    ///
    /// - Returns: Whether those who read left in time.
    private func beginAnew(_ db: Database) -> Bool {
        // Whoever begins to read now reads from the file. Those of before are waited for, and the next commit with them.
        guard sqlite3_busy_timeout(db.sqliteConnection, Self.patience) == SQLITE_OK else { return false }
        defer { sqlite3_busy_timeout(db.sqliteConnection, Self.usualPatience) }
        do {
            _ = try db.checkpoint(.restart)
            return true
        } catch {
            // Somebody reads for longer. It is tried again when more was written, or in a second.
            return false
        }
    }

    /// How long the writer waits for those who read, and how long for a lock, in milliseconds.
    private static let (patience, usualPatience): (Int32, Int32) = (10, 10_000)

    func close() throws {
        state.withLock { $0.isClosed = true }
        try connection.close()
    }
}
