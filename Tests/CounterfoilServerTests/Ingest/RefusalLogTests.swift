import CounterfoilServer
import Foundation
import Ledger
import LedgerServices
import Logging
import MemoryLedger
import Synchronization
import Testing

@Suite struct `The refusal log` {
    private static let logger = Logger(label: "test")

    @Test func `Refusals that arrive faster than they are stored are dropped`() async throws {
        // This log does not run: it stores only when told.
        let storage = MemoryLedger()
        let log = RefusalLog(storage, keeping: .init(count: 5, bytes: 1 << 20), logger: Self.logger)
        func add(_ count: Int) {
            for _ in 0..<count {
                log.add(Refusal(receivedAt: 0, code: "bad_json", message: "", sender: nil, body: Data()))
            }
        }
        add(40)
        #expect(log.dropped == 8)
        await log.flush()
        add(32)
        #expect(log.dropped == 8)
        await log.flush()
        #expect(try await storage.refusals(before: .max, limit: 100).count == 5)
    }

    /// A ledger that cannot delete refusals, and whose disk can be full.
    private final class FailingStorage: RefusalStorage {
        let ledger = MemoryLedger()
        let isFull = Mutex(false)

        func commit(_ refusals: [Refusal]) async throws {
            if isFull.withLock(\.self) { throw StorageError(.full, "simulated failure") }
            try await ledger.commit(refusals)
        }

        func dropRefusals(beyond limit: RefusalStorageLimit) async throws {
            throw StorageError(.failed, "simulated failure")
        }

        func refusals(before id: Int64, limit: Int) async throws -> [StoredRefusal] {
            try await ledger.refusals(before: id, limit: limit)
        }

        func refusalCounts(
            from start: Milliseconds, to end: Milliseconds, amongLast depth: Int64
        ) async throws -> [String: Int64] {
            try await ledger.refusalCounts(from: start, to: end, amongLast: depth)
        }
    }

    @Test func `Stored refusals do not count as dropped if older ones cannot be deleted`() async throws {
        let storage = FailingStorage()
        let log = RefusalLog(storage, keeping: .init(count: 5, bytes: 1 << 20), logger: Self.logger)
        for _ in 0..<3 {
            log.add(Refusal(receivedAt: 0, code: "bad_json", message: "", sender: nil, body: Data()))
        }
        await log.flush()
        #expect(try await storage.refusals(before: .max, limit: 9).count == 3)
        #expect(log.dropped == 0)
    }

    @Test func `The log has the number of refusals that were not stored, and why`() async throws {
        let (storage, lines) = (FailingStorage(), LogCapture())
        let log = RefusalLog(
            storage, keeping: .init(count: 100, bytes: 1 << 20), logger: lines.logger(ServerConfiguration.Log()))
        func add(_ count: Int) {
            for _ in 0..<count {
                log.add(Refusal(receivedAt: 0, code: "bad_json", message: "", sender: nil, body: Data()))
            }
        }
        storage.isFull.withLock { $0 = true }
        for _ in 0..<2 {
            add(3)
            await log.flush()
        }
        #expect(lines.count(of: "refused deliveries cannot be stored") == 1, "\(lines.text)")
        storage.isFull.withLock { $0 = false }
        // There is room for 32.
        add(40)
        await log.flush()
        #expect(lines.count(of: "refused deliveries are stored again") == 1, "\(lines.text)")
        #expect(lines.count(of: "were not stored") == 1 && lines.text.contains("count=14"), "\(lines.text)")
        #expect(lines.count(of: "old refused deliveries cannot be deleted") == 1, "\(lines.text)")
        add(1)
        await log.flush()
        #expect(lines.count(of: "were not stored") == 1, "\(lines.text)")
        #expect(log.dropped == 14)
    }

    @Test func `Stored refusals above a lowered limit are deleted at the start`() async throws {
        let storage = MemoryLedger()
        let former = RefusalLog(storage, keeping: .init(count: 5, bytes: 1 << 20), logger: Self.logger)
        for _ in 0..<3 {
            former.add(Refusal(receivedAt: 0, code: "bad_json", message: "", sender: nil, body: Data()))
        }
        await former.flush()
        #expect(try await storage.refusals(before: .max, limit: 9).count == 3)
        let log = RefusalLog(storage, keeping: .init(count: 0, bytes: 1 << 20), logger: Self.logger)
        log.close()
        await log.run()
        #expect(try await storage.refusals(before: .max, limit: 9).isEmpty)
    }

    @Test func `The refusals of the busiest senders are dropped first`() async throws {
        let storage = MemoryLedger()
        let log = RefusalLog(storage, keeping: .init(count: 20, bytes: 40_000), logger: Self.logger)
        func add(_ count: Int, _ sender: String, bytes: Int = 10) async {
            for _ in 0..<count {
                log.add(
                    Refusal(
                        receivedAt: 0, code: "bad_json", message: "", sender: sender, body: Data(count: bytes)))
            }
        }
        func senders() async throws -> [String: Int] {
            let stored = try await storage.refusals(before: .max, limit: 1000)
            #expect(stored.reduce(0) { $0 + $1.refusal.body.count } <= 40_000)
            return stored.reduce(into: [:]) { $0[$1.refusal.sender ?? "", default: 0] += 1 }
        }
        // While the refusals are in memory.
        await add(3, "17.0.0.1")
        await add(100, "9.9.9.9")
        await add(2, "17.0.0.2")
        await log.flush()
        #expect(try await senders() == ["17.0.0.1": 3, "17.0.0.2": 2, "9.9.9.9": 15])
        // When the refusals are stored.
        for _ in 0..<5 {
            await add(30, "9.9.9.9")
            await log.flush()
        }
        #expect(try await senders() == ["17.0.0.1": 3, "17.0.0.2": 2, "9.9.9.9": 15])
        // The addresses of an IPv6 /64 count as one sender.
        for index in 0..<30 { await add(1, "2001:db8:0:1::\(String(index, radix: 16))") }
        await log.flush()
        let shared = try await senders()
        #expect(shared["17.0.0.1"] == 3 && shared["17.0.0.2"] == 2)
        #expect(shared.filter { $0.key.hasPrefix("2001:") }.values.reduce(0, +) == 8)
        #expect(shared["9.9.9.9"] == 7)
        // Large refusals count by their bytes.
        for _ in 0..<5 {
            await add(2, "8.8.8.8", bytes: 30_000)
            await log.flush()
        }
        let large = try await senders()
        #expect(large["17.0.0.1"] == 3 && large["17.0.0.2"] == 2)
        #expect(large["8.8.8.8"] == 1)
    }
}
