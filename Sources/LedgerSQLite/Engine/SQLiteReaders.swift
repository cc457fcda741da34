internal import Dispatch
internal import Foundation
internal import GRDB
internal import Synchronization

/// Connections for small questions that are answered at once, on the thread that asks.
///
/// Going to another thread and back takes longer than to find a customer. What reads more than that goes through GRDB's
/// pool, and waits elsewhere.
///
/// To begin a transaction, and to end it, SQLite asks the system for locks on the file, one thread at a time. So where
/// nobody else writes, a reader keeps its transaction until something was committed, and for a second at most: SQLite's log
/// cannot begin anew while a reader is in it, and who wants to empty it waits. ``release()`` sends them out.
final class SQLiteReaders: Sendable {
    private final class Reader: Sendable {
        /// To ask a lock that is taken costs a call of the system; this does not.
        let isTaken = Atomic<Bool>(false)
        let connection: Mutex<DatabaseQueue>
        /// How many commits its transaction knows of.
        let known = Atomic<Int>(-1)

        init(_ connection: DatabaseQueue) { self.connection = Mutex(connection) }
    }

    private let readers: [Reader]
    private let isOnlyWriter: Bool
    private let turn = Atomic<Int>(0)
    private let commits = Atomic<Int>(0)
    /// Whether the readers will be sent out within a second.
    private let isTimed = Atomic<Bool>(false)

    /// As many as there are threads that ask.
    static let count = max(2, ProcessInfo.processInfo.activeProcessorCount)

    /// - Parameters:
    ///   - cacheKiB: The cache of each.
    ///   - isOnlyWriter: Whether all commits come from this pool.
    ///   - trace: Sees each statement.
    init(
        _ pool: DatabasePool, cacheKiB: Int, isOnlyWriter: Bool, trace: (@Sendable (String) -> Void)? = nil
    ) throws {
        self.isOnlyWriter = isOnlyWriter
        var configuration = Configuration()
        configuration.readonly = true
        // A transaction outlives the question that began it.
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

    /// Asks one question. What several find is not of one instant.
    func read<Value: Sendable>(_ question: (Database) throws -> Value) throws -> Value {
        for reader in readers where !reader.isTaken.exchange(true, ordering: .acquiring) {
            defer { reader.isTaken.store(false, ordering: .releasing) }
            return try ask(reader, question)
        }
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return try ask(readers[abs(turn % readers.count)], question)
    }

    private func ask<Value: Sendable>(_ reader: Reader, _ question: (Database) throws -> Value) throws -> Value {
        try reader.connection.withLock { connection in
            try connection.unsafeRead { db in
                // Read before a transaction begins: what is committed meanwhile makes the next question begin another.
                let commits = commits.load(ordering: .sequentiallyConsistent)
                if !db.isInsideTransaction || reader.known.load(ordering: .relaxed) != commits {
                    try Self.release(db)
                    try db.run("BEGIN", [])
                    reader.known.store(commits, ordering: .relaxed)
                    if isOnlyWriter { limit() }
                }
                let answer = Result { try question(db) }
                // After trouble, whatever it was, the next one begins anew.
                if !isOnlyWriter || !answer.isSuccess { try Self.release(db) }
                return try answer.get()
            }
        }
    }

    /// Sends the readers out in a second.
    private func limit() {
        guard !isTimed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            self?.isTimed.store(false, ordering: .releasing)
            do { try self?.release() } catch {
                // Who asks next begins anew, and is told what is wrong.
            }
        }
    }

    private static func release(_ db: Database) throws {
        if db.isInsideTransaction { try db.run("ROLLBACK", []) }
    }

    /// Ends the transactions that are kept.
    func release() throws { try each { try $0.unsafeRead(Self.release) } }

    func close() throws {
        try each { connection in
            try connection.unsafeRead(Self.release)
            try connection.close()
        }
    }

    /// Does something with all, whatever happens to the others.
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

    /// Comes before the writer is told: what is asked after that knows of it.
    func databaseDidCommit(_ db: Database) { commits.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
