internal import Foundation
internal import GRDB
internal import Synchronization

/// Connections for small questions that are answered at once, on the thread that asks.
///
/// Going to another thread and back takes longer than to find a customer. What reads more than that goes through GRDB's
/// pool, and waits elsewhere.
final class SQLiteReaders: Sendable {
    private final class Reader: Sendable {
        let connection: Mutex<DatabaseQueue>

        init(_ connection: DatabaseQueue) { self.connection = Mutex(connection) }
    }

    private let readers: [Reader]
    private let turn = Atomic<Int>(0)

    /// Opens as many as there are threads that ask.
    init(path: String, cacheMiB: Int) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = -\(cacheMiB * 1024)") }
        readers = try (0..<max(2, ProcessInfo.processInfo.activeProcessorCount)).map { _ in
            Reader(try DatabaseQueue(path: path, configuration: configuration))
        }
    }

    /// Asks one question. What several find is not of one instant.
    func read<Value: Sendable>(_ question: (Database) throws -> Value) throws -> Value {
        for reader in readers {
            if let value = try reader.connection.withLockIfAvailable({ try $0.unsafeRead(question) }) { return value }
        }
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return try readers[abs(turn % readers.count)].connection.withLock { try $0.unsafeRead(question) }
    }

    func close() throws {
        for reader in readers { try reader.connection.withLock { try $0.close() } }
    }
}
