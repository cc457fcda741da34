internal import Dispatch
internal import Foundation
internal import GRDB
internal import Synchronization

/// Connections for small queries, which run on the calling thread.
///
/// Switching to another thread and back takes longer than finding a customer. Larger queries use GRDB's pool.
///
/// To begin and end a transaction, SQLite takes locks on the file with system calls, one thread at a time. So if there
/// is no other writer, a reader keeps its transaction until the next commit, for at most a second: the write-ahead log
/// cannot restart while a reader uses it, and a process that truncates it waits. ``release()`` ends these transactions.
final class SQLiteReaders: Sendable {
    private final class Reader: Sendable {
        /// Avoids the system call of a contended mutex.
        let isBusy = Atomic<Bool>(false)
        let connection: Mutex<DatabaseQueue>
        /// The number of commits that the reader's transaction includes.
        let knownCommits = Atomic<Int>(-1)

        init(_ connection: DatabaseQueue) { self.connection = Mutex(connection) }
    }

    private let readers: [Reader]
    private let isOnlyWriter: Bool
    /// The number of reads so far that found all readers busy. They wait for the readers in turn.
    private let waitingReads = Atomic<Int>(0)
    private let commits = Atomic<Int>(0)
    /// Whether a release of the readers is scheduled.
    private let isReleaseScheduled = Atomic<Bool>(false)

    /// One for each processor, and at least two.
    static let count = max(2, ProcessInfo.processInfo.activeProcessorCount)

    /// Opens the connections.
    ///
    /// - Parameters:
    ///   - cacheKiB: The page cache of each connection.
    ///   - isOnlyWriter: Whether all commits come from this pool.
    ///   - trace: Called with each statement.
    init(
        _ pool: DatabasePool, cacheKiB: Int, isOnlyWriter: Bool, trace: (@Sendable (String) -> Void)? = nil
    ) throws {
        self.isOnlyWriter = isOnlyWriter
        var configuration = Configuration()
        configuration.readonly = true
        // A transaction outlives the query that began it.
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            if let trace { db.trace { trace("\($0)") } }
            try db.execute(sql: "PRAGMA cache_size = -\(cacheKiB)")
        }
        readers = try (0..<Self.count).map { _ in
            Reader(try DatabaseQueue(path: pool.path, configuration: configuration))
        }
        pool.add(transactionObserver: self)
    }

    /// Runs one query. Separate calls may read different snapshots.
    func read<Value: Sendable>(_ query: (Database) throws -> Value) throws -> Value {
        for reader in readers where !reader.isBusy.exchange(true, ordering: .acquiring) {
            defer { reader.isBusy.store(false, ordering: .releasing) }
            return try run(on: reader, query)
        }
        let number = waitingReads.wrappingAdd(1, ordering: .relaxed).oldValue
        return try run(on: readers[abs(number % readers.count)], query)
    }

    private func run<Value: Sendable>(on reader: Reader, _ query: (Database) throws -> Value) throws -> Value {
        try reader.connection.withLock { connection in
            try connection.unsafeRead { db in
                // Loaded before the transaction begins: after a concurrent commit, the next query begins a new
                // transaction.
                let commits = commits.load(ordering: .sequentiallyConsistent)
                if !db.isInsideTransaction || reader.knownCommits.load(ordering: .relaxed) != commits {
                    try Self.release(db)
                    try db.run("BEGIN", [])
                    reader.knownCommits.store(commits, ordering: .relaxed)
                    if isOnlyWriter { scheduleRelease() }
                }
                let result = Result { try query(db) }
                // After a failure, the next query begins a new transaction.
                if !isOnlyWriter || !result.isSuccess { try Self.release(db) }
                return try result.get()
            }
        }
    }

    /// Schedules a release in one second.
    private func scheduleRelease() {
        guard !isReleaseScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            self?.isReleaseScheduled.store(false, ordering: .releasing)
            do { try self?.release() } catch {
                // The next query begins a new transaction and reports the error.
            }
        }
    }

    private static func release(_ db: Database) throws {
        if db.isInsideTransaction { try db.run("ROLLBACK", []) }
    }

    /// Ends the open transactions.
    func release() throws { try each { try $0.unsafeRead(Self.release) } }

    func close() throws {
        try each { connection in
            try connection.unsafeRead(Self.release)
            try connection.close()
        }
    }

    /// Runs the action for all connections, even if it fails for some.
    private func each(_ action: (DatabaseQueue) throws -> Void) throws {
        let results = readers.map { reader in Result { try reader.connection.withLock { try action($0) } } }
        for result in results { try result.get() }
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

extension SQLiteReaders: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidRollback(_ db: Database) {}

    /// Runs before the writer's caller continues, so that later queries include the commit.
    func databaseDidCommit(_ db: Database) { commits.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
