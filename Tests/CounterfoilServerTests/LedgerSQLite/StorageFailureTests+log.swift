import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

#if canImport(Glibc)
    import Glibc
#endif

extension `Storage failures` {
    /// Returns the checkpoint sequence number in the header of a ledger's log, which changes whenever the log restarts.
    static func checkpointSequence(_ ledger: String) throws -> Data {
        let log = try FileHandle(forReadingFrom: URL(filePath: ledger + "-wal"))
        defer { try? log.close() }
        return try log.read(upToCount: 16)?.suffix(4) ?? Data()
    }

    /// Creates a ledger with pages of 512 bytes. Checkpoints count pages, so small ones need less data.
    private static func storageOfSmallPages(_ path: String) async throws -> SQLiteStorage {
        let file = try DatabaseQueue(path: path)
        try await file.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA page_size = 512; CREATE TABLE filler (bytes BLOB)")
        }
        try file.close()
        return try SQLiteStorage(path: path)
    }

    static func size(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.size] as? Int)
    }

    /// Fills pages of 512 bytes; each has 508 bytes of the value.
    private static func fill(pages: Int, _ db: Database) throws {
        try db.run("INSERT INTO filler VALUES (zeroblob(?))", [.init(508 * pages)])
    }

    @Test func `The write-ahead log restarts at each second checkpoint although a commit follows each`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let storage = try await Self.storageOfSmallPages(path)
            try await storage.write { try Self.fill(pages: 3_000, $0) }
            var sequences: [Data] = []
            for _ in 0..<5 {
                try await storage.write { try Self.fill(pages: 14_000, $0) }
                sequences.append(try Self.checkpointSequence(path))
                // Starts a checkpoint, and commits when it has ended: it is not at the end of the log then, and these
                // pages are counted for the next log.
                try await storage.write { db in
                    try Self.fill(pages: 3_000, db)
                    storage.checkpoints.connection.writeWithoutTransaction { _ in }
                }
            }
            try storage.close()
            #expect(Set(sequences).count == 3)
        }
    }

    @Test func `The writer neither copies nor syncs the many pages of a checkpoint`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let storage = try await Self.storageOfSmallPages(path)
            let checkpoints = storage.checkpoints.connection
            try await checkpoints.writeWithoutTransaction { try CountedSyncs.begin($0) }
            try await storage.write { try Self.fill(pages: 12_000, $0) }
            // Keeps the checkpoint from reaching the end of the log, where SQLite itself would sync the file.
            var unsafe = Configuration()
            unsafe.allowsUnsafeTransactions = true
            let reader = try DatabaseQueue(path: path, configuration: unsafe)
            try await reader.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; SELECT count(*) FROM filler")
            }
            try await storage.write { try Self.fill(pages: 14_000, $0) }
            #expect(CountedSyncs.count == 0)
            let next = DispatchSemaphore(value: 0)
            defer { next.signal() }
            try await storage.write { db in
                try Self.fill(pages: 1, db)
                // The checkpoint that this transaction started has ended; the next one is held.
                checkpoints.writeWithoutTransaction { _ in }
                checkpoints.asyncWriteWithoutTransaction { _ in next.wait() }
                try reader.close()
            }
            try await storage.pool.writeWithoutTransaction { _ in }
            #expect(CountedSyncs.count > 0)
            let size = try Self.size(path)
            #expect(size < 20_000 * 512)
            next.signal()
            try storage.close()
        }
    }

    @Test func `A commit runs no checkpoint, however long the log is`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let storage = try await Self.storageOfSmallPages(path)
            let end = DispatchSemaphore(value: 0)
            defer { end.signal() }
            // Holds the checkpoints, as a backup would.
            storage.checkpoints.connection.asyncWriteWithoutTransaction { _ in end.wait() }
            try await storage.write { try Self.fill(pages: 201_000, $0) }
            let size = try Self.size(path)
            #expect(size < 20_000 * 512)
            end.signal()
            try storage.close()
        }
    }

    /// Each erasure began a checkpoint and a retry every second. During a backup, hundreds of them kept the writer busy.
    @Test func `Many erasures during a long read share one checkpoint and its retries`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            // A checkpoint ends the transactions of the readers.
            let ends = Atomic<Int>(0)
            var options = SQLiteStorage.Options()
            options.trace = { sql in if sql == "ROLLBACK" { ends.wrappingAdd(1, ordering: .relaxed) } }
            let storage = try SQLiteStorage(path: path, options: options)
            var unsafe = Configuration()
            unsafe.allowsUnsafeTransactions = true
            let reader = try DatabaseQueue(path: path, configuration: unsafe)
            try await reader.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN; SELECT count(*) FROM scopes")
            }
            let (before, start) = (ends.load(ordering: .relaxed), ContinuousClock.now)
            for _ in 0..<300 {
                _ = try storage.readInline { try $0.number("SELECT count(*) FROM scopes", []) }
                storage.checkpoints.truncateLog()
                // A checkpoint that this began has ended.
                try await storage.checkpoints.connection.writeWithoutTransaction { _ in }
                try await storage.pool.writeWithoutTransaction { _ in }
            }
            // Once a second the readers themselves end their transactions, and a retry does up to six times.
            let seconds = Int(start.duration(to: .now).components.seconds)
            #expect((1...14 * (seconds + 1)).contains(ends.load(ordering: .relaxed) - before))
            try reader.close()
            try await waitUntil("the log is empty") { try Self.size(path + "-wal") == 0 }
            try storage.close()
        }
    }

    /// Holds SQLite's checkpoint lock, a byte of the file `-shm`, like another program that runs a checkpoint.
    @Test(.timeLimit(.minutes(10)))
    func `A checkpoint that is blocked runs later, and the failure and its end are reported once each`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let (reports, report) = AsyncStream.makeStream(of: StorageError.Code?.self)
            var options = SQLiteStorage.Options()
            options.reportCheckpointError = { report.yield($0?.code) }
            let storage = try SQLiteStorage(path: path, options: options)
            let refusals = Self.longRefusals
            try await storage.commit(refusals)
            let descriptor = open(path + "-shm", O_RDWR)
            try #require(descriptor >= 0)
            // Closing the file releases all locks of the process on it, including SQLite's. Therefore close it last.
            defer { close(descriptor) }
            func setLock(_ kind: Int32) -> Bool {
                var range = flock()
                (range.l_type, range.l_whence, range.l_start, range.l_len) = (Int16(kind), Int16(SEEK_SET), 121, 1)
                // F_OFD_SETLK: unlike other locks, such a lock also excludes its own process.
                return fcntl(descriptor, 37, &range) == 0
            }
            try #require(setLock(Int32(F_WRLCK)))
            for _ in 0..<80 { try await storage.commit(refusals) }
            #expect(try Self.size(path) < 60 << 20)
            var reported: [StorageError.Code?] = []
            for await code in reports {
                reported.append(code)
                break
            }
            #expect(reported == [.busy])
            try #require(setLock(Int32(F_UNLCK)))
            try await waitUntil("the checkpoint is done") { try Self.size(path) >= 60 << 20 }
            for await code in reports {
                reported.append(code)
                break
            }
            #expect(reported == [.busy, nil])
            try storage.close()
        }
    }
}

/// Counts how often SQLite or the server writes a connection's file to the disk.
private enum CountedSyncs {
    private static let counter = Atomic<Int>(0)
    static var count: Int { counter.load(ordering: .relaxed) }
    /// The address of SQLite's methods of the file.
    private static let original = Mutex<UInt>(0)

    static func begin(_ db: Database) throws {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        try #require(code == SQLITE_OK)
        let opened = try #require(file)
        let methods = try #require(opened.pointee.pMethods)
        original.withLock { $0 = UInt(bitPattern: methods) }
        // SQLite uses the methods until the file is closed.
        let counting = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        counting.initialize(to: methods.pointee)
        counting.pointee.xSync = { file, flags in
            CountedSyncs.counter.wrappingAdd(1, ordering: .relaxed)
            let address = CountedSyncs.original.withLock { $0 }
            return UnsafePointer<sqlite3_io_methods>(bitPattern: address)?.pointee.xSync?(file, flags) ?? SQLITE_IOERR
        }
        opened.pointee.pMethods = UnsafePointer(counting)
    }
}
