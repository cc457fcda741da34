import Foundation
import GRDB
import TestSupport
import Testing

@testable import LedgerSQLite
@testable import Ledger

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

    @Test func `The write-ahead log restarts at each second checkpoint although a commit follows each`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            // Checkpoints count pages, so small ones need less data.
            let file = try DatabaseQueue(path: path)
            try await file.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA page_size = 512; CREATE TABLE filler (bytes BLOB)")
            }
            try file.close()
            let storage = try SQLiteStorage(path: path)
            @Sendable func fill(pages: Int, _ db: Database) throws {
                // Each page has 508 bytes of the value.
                try db.run("INSERT INTO filler VALUES (zeroblob(?))", [.init(508 * pages)])
            }
            try await storage.write { try fill(pages: 3_000, $0) }
            var sequences: [Data] = []
            for _ in 0..<5 {
                try await storage.write { try fill(pages: 14_000, $0) }
                sequences.append(try Self.checkpointSequence(path))
                // Starts a checkpoint, and commits when it has ended: it is not at the end of the log then, and these
                // pages are counted for the next log.
                try await storage.write { db in
                    try fill(pages: 3_000, db)
                    storage.checkpoints.connection.writeWithoutTransaction { _ in }
                }
            }
            try storage.close()
            #expect(Set(sequences).count == 3)
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
            func size() throws -> Int { (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0 }
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
            #expect(try size() < 60 << 20)
            var reported: [StorageError.Code?] = []
            for await code in reports {
                reported.append(code)
                break
            }
            #expect(reported == [.busy])
            try #require(setLock(Int32(F_UNLCK)))
            try await waitUntil("the checkpoint is done") { try size() >= 60 << 20 }
            for await code in reports {
                reported.append(code)
                break
            }
            #expect(reported == [.busy, nil])
            try storage.close()
        }
    }
}
