import Foundation
import TestSupport
import Testing

@testable import LedgerSQLite
@testable import Ledger

#if canImport(Glibc)
    import Glibc
#endif

extension `Storage in trouble` {
    /// As while another program brings the log into the file: SQLite's lock for that is a byte of the file `-shm`.
    @Test(.timeLimit(.minutes(5)))
    func `the log is brought into the file later where it could not be, and both are reported once`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let (reports, report) = AsyncStream.makeStream(of: StorageError.Code?.self)
            var options = SQLiteStorage.Options()
            options.reportLog = { report.yield($0?.code) }
            let storage = try SQLiteStorage(path: path, options: options)
            func size() throws -> Int { (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0 }
            let some = Self.longRefusals
            try await storage.commit(some)
            let descriptor = open(path + "-shm", O_RDWR)
            try #require(descriptor >= 0)
            // Last of all: with the file, a process lets go of the locks that SQLite has on it.
            defer { close(descriptor) }
            func setLock(_ kind: Int32) -> Bool {
                var range = flock()
                (range.l_type, range.l_whence, range.l_start, range.l_len) = (Int16(kind), Int16(SEEK_SET), 121, 1)
                // F_OFD_SETLK: unlike others, such a lock keeps out the process itself.
                return fcntl(descriptor, 37, &range) == 0
            }
            try #require(setLock(Int32(F_WRLCK)))
            for _ in 0..<80 { try await storage.commit(some) }
            #expect(try size() < 60 << 20)
            var told: [StorageError.Code?] = []
            for await code in reports {
                told.append(code)
                break
            }
            #expect(told == [.busy])
            try #require(setLock(Int32(F_UNLCK)))
            // Longer than any machine takes that is not about to stop.
            let deadline = ContinuousClock.now + .seconds(60)
            while try size() < 60 << 20, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
            #expect(try size() >= 60 << 20)
            for await code in reports {
                told.append(code)
                break
            }
            #expect(told == [.busy, nil])
            try storage.close()
        }
    }
}
