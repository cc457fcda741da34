import CounterfoilServer
import Foundation
import Ledger
import LedgerServices
import Logging
import MemoryLedger
import Synchronization
import TestSupport
import Testing

@Suite struct `The commits of the audit log` {
    /// Storage whose commits wait until the test releases them.
    private final class SlowStorage: AuditStorage {
        let stored = Mutex<[AuditEntry]>([])
        let begun = AsyncStream.makeStream(of: Void.self)
        let released = AsyncStream.makeStream(of: Void.self)

        func appendAudit(_ entries: [AuditEntry]) async throws {
            begun.continuation.yield()
            for await _ in released.stream {}
            stored.withLock { $0 += entries }
        }

        func audit(_ filter: AuditFilter, before id: Int64, limit: Int) async throws -> AuditList {
            AuditList(found: [], ends: [], limit: limit)
        }
    }

    /// Storage on a disk that is full at first.
    private final class FullStorage: AuditStorage {
        let isFull = Mutex(true)
        let attempts = Mutex(0)
        let stored = Mutex<[AuditEntry]>([])
        let duringAttempt = Mutex<(@Sendable () -> Void)?>(nil)

        func appendAudit(_ entries: [AuditEntry]) async throws {
            attempts.withLock { $0 += 1 }
            let action = duringAttempt.withLock { action in
                defer { action = nil }
                return action
            }
            action?()
            if isFull.withLock(\.self) { throw StorageError(.full, "the disk is full") }
            stored.withLock { $0 += entries }
        }

        func audit(_ filter: AuditFilter, before id: Int64, limit: Int) async throws -> AuditList {
            AuditList(found: [], ends: [], limit: limit)
        }
    }

    private static let entry = AuditEntry(at: 0, actor: "anna", action: "GET /v1/webhooks", result: "403")

    @Test(.timeLimit(.minutes(10)))
    func `Entries that could not be written are tried again without a new entry, and the failure is logged once`()
        async throws
    {
        let (lines, storage) = (LogCapture(), FullStorage())
        let log = AuditLog(storage, logger: lines.logger(ServerConfiguration.Log()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await log.run() }
            log.add(Self.entry)
            try await waitUntil("the third attempt") { storage.attempts.withLock(\.self) >= 3 }
            storage.isFull.withLock { $0 = false }
            try await waitUntil("the entry is written") { storage.stored.withLock(\.count) == 1 }
            group.cancelAll()
        }
        #expect(lines.count(of: "cannot be written") == 1, "\(lines.text)")
        #expect(lines.count(of: "is written again") == 1, "\(lines.text)")
        #expect(lines.count(of: "lost") == 0, "\(lines.text)")
    }

    @Test func `The log has the number of entries for which the queue had no room`() async {
        let (lines, storage) = (LogCapture(), FullStorage())
        let log = AuditLog(storage, logger: lines.logger(ServerConfiguration.Log()))
        for _ in 0..<10_000 { log.add(Self.entry) }
        // Two entries arrive during the failing commit and take the room of older ones, then one finds no room.
        storage.duringAttempt.withLock { action in
            action = {
                for _ in 0..<2 { log.add(Self.entry) }
            }
        }
        await log.flush()
        log.add(Self.entry)
        storage.isFull.withLock { $0 = false }
        await log.flush()
        #expect(storage.stored.withLock(\.count) == 10_000)
        #expect(lines.count(of: "are lost until") == 1, "\(lines.text)")
        #expect(lines.count(of: "were lost") == 1 && lines.text.contains("count=3"), "\(lines.text)")
    }

    @Test(.timeLimit(.minutes(10)))
    func `A server that stops while the disk is full logs how many entries of the audit log are lost`() async throws {
        let (lines, storage) = (LogCapture(), FullStorage())
        let log = AuditLog(storage, logger: lines.logger(ServerConfiguration.Log()))
        for _ in 0..<2 { log.add(Self.entry) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await log.run() }
            try await waitUntil("the first attempt") { storage.attempts.withLock(\.self) >= 1 }
            group.cancelAll()
        }
        #expect(lines.text.contains("were lost") && lines.text.contains("count=2"), "\(lines.text)")
    }

    @Test(.timeLimit(.minutes(10)))
    func `A second caller also waits for a commit that is already running`() async {
        let storage = SlowStorage()
        let log = AuditLog(storage, logger: Logger(label: "test"))
        log.add(AuditEntry(at: 0, actor: "anna", action: "GET /v1/webhooks", result: "403"))
        async let first: Void = log.flush()
        for await _ in storage.begun.stream { break }
        async let second: Int = {
            await log.flush()
            return storage.stored.withLock(\.count)
        }()
        // Enough for a caller that does not wait.
        for _ in 0..<100 { await Task.yield() }
        storage.released.continuation.finish()
        #expect(await second == 1)
        await first
    }

    @Test func `Refused requests without a key add a hundred entries an hour to the audit log`() async throws {
        let (ledger, clock) = (MemoryLedger(), TestClock(World.start))
        let log = AuditLog(
            ledger,
            monotonicNow: { Int64(clock.now.timeIntervalSince(World.start)) * 1_000_000_000 },
            logger: Logger(label: "test"))
        for _ in 0..<86_400 {
            log.addAnonymous(
                AuditEntry(
                    at: clock.now.milliseconds, actor: "nobody", action: "GET /v1/webhooks", result: "401 unauthorized")
            )
            clock.advance(by: 1)
        }
        await log.flush()
        // The first hundred at once, then one every 36 seconds.
        let found = try await ledger.audit(AuditFilter(), before: .max, limit: 10_000).items
        #expect(found.count == 100 + 2399)
    }

    @Test(arguments: [true, false])
    func `Refused sign-ins and refused requests do not hide each other in the audit log`(_ hidesSignIns: Bool)
        async throws
    {
        try await `The console`.run { world, browser in
            let core = try world.server.core
            let log = core.audit
            let other = AuditEntry(
                at: core.now.milliseconds, actor: "nobody", action: "POST /other", result: "401")
            for _ in 0..<200 {
                if hidesSignIns { log.addAnonymous(other) } else { log.addRefusedSignIn(other) }
            }
            var stranger = world.api
            stranger.key = "cfk_revoked"
            let signIn = try await browser.post("/console/sign-in", ["key": "wrong"])
            let refused = try await stranger.get("/v1/events")
            #expect(signIn.status == 403 && refused.status == 401)
            await log.flush()
            let actions = try await core.storage.audit(AuditFilter(), before: .max, limit: 1000).items
                .map(\.entry.action)
            // A hundred, and a few more on a slow machine.
            #expect((100..<200).contains(actions.count { $0 == "POST /other" }))
            #expect(actions.contains(hidesSignIns ? "POST /console/sign-in" : "GET /v1/events"))
        }
    }
}
