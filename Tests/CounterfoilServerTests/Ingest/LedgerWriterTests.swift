import AppStoreModels
import CounterfoilServer
import Ledger
import LedgerServices
import MemoryLedger
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The writer of the ledger` {
    @Test func `A commit waits for notifications that are being verified`() async throws {
        var limits = LedgerWriter.Limits()
        limits.maximumWait = .max
        try await Self.withWriter(limits) { writer, ledger in
            let before = ledger.commits
            let insertions = try await writer.expecting {
                let first = Task { try await writer.receive(Self.notification(1)) }
                // Long enough for a commit that does not wait.
                for _ in 0..<1000 where ledger.commits == before { await Task.yield() }
                #expect(ledger.commits == before)
                let second = Task { try await writer.receive(Self.notification(2)) }
                try await waitUntil("both notifications wait") { writer.waiting >= 2 || ledger.commits != before }
                return [first, second]
            }
            for insertion in insertions { guard case .stored = try await insertion.value else { throw NotStored() } }
            #expect(ledger.commits == before + 1)
        }
    }

    @Test func `A commit does not wait long for a verification that does not end`() async throws {
        try await Self.withWriter(LedgerWriter.Limits()) { writer, _ in
            try await writer.expecting {
                guard case .stored = try await writer.receive(Self.notification(1)) else { throw NotStored() }
            }
        }
    }

    @Test func `A commit does not wait for a refused notification`() async throws {
        var limits = LedgerWriter.Limits()
        limits.maximumWait = .max
        try await Self.withWriter(limits) { writer, _ in
            await #expect(throws: NotStored.self) { try await writer.expecting { throw NotStored() } }
            guard case .stored = try await writer.receive(Self.notification(1)) else { throw NotStored() }
        }
    }

    @Test func `A received notification is stored even if processing in the same commit fails`() async throws {
        try await Self.withCommit(to: UnprocessableLedger()) { processed, received in
            guard case .stored = try await received.value else { throw NotStored() }
            await #expect(throws: StorageError(.failed, "unreadable")) { try await processed.value }
        }
    }

    /// If the notification is stored, another attempt would return it as a duplicate.
    @Test func `A received notification that may be stored is not received again after its commit`() async throws {
        let ledger = MemoryLedger()
        try await Self.withCommit(to: ledger, preparing: { ledger.loseNextAnswer() }) { processed, received in
            await #expect(throws: StorageError(.unconfirmed, "the answer was lost")) { _ = try await received.value }
            _ = await processed.result
        }
    }

    /// Webhooks would send them only after another notification.
    @Test func `Events that may be stored are announced`() async throws {
        let (ledger, announcements) = (MemoryLedger(), AsyncStream<Void>.makeStream())
        _ = try await ledger.scopes(of: [(bundleID: "com.example", environment: "Sandbox")])
        let writer = LedgerWriter(
            ledger, metrics: ServerMetrics(PrometheusMetrics()),
            onProcessed: { announcements.continuation.yield() })
        async let running: Void = writer.run()
        ledger.loseNextAnswer()
        await #expect(throws: StorageError(.unconfirmed, "the answer was lost")) {
            try await writer.commit([Self.processed])
        }
        writer.close()
        await running
        announcements.continuation.finish()
        let count = await announcements.stream.reduce(0) { count, _ in count + 1 }
        #expect(count == 1)
    }

    /// Calls `body` while a processed and a received notification are stored in one commit.
    ///
    /// - Parameter prepare: Called before the commit.
    private static func withCommit(
        to ledger: any LedgerStorage, preparing prepare: () -> Void = {},
        _ body: (Task<Void, any Error>, Task<InsertionResult, any Error>) async throws -> Void
    ) async throws {
        var limits = LedgerWriter.Limits()
        limits.maximumWait = .max
        try await withWriter(limits, to: ledger) { writer in
            prepare()
            let (processed, received) = try await writer.expecting {
                let processed = Task { try await writer.commit([Self.processed]) }
                let received = Task { try await writer.receive(Self.notification(1)) }
                try await waitUntil("a commit waits") { writer.waiting >= 1 }
                // Long enough for the second commit to wait too.
                for _ in 0..<1000 { await Task.yield() }
                return (processed, received)
            }
            try await body(processed, received)
        }
    }

    private struct NotStored: Error {}

    /// A ledger in which processing always fails, as on an unreadable disk sector.
    private struct UnprocessableLedger: LedgerStorage {
        private let ledger = MemoryLedger()

        func scopes(of apps: [(bundleID: String, environment: String)]) async throws -> AppEnvironmentRegistry {
            try await ledger.scopes(of: apps)
        }

        func commit(
            received: [ReceivedNotification], processed: [ProcessedNotification]
        ) async throws -> [InsertionResult] {
            guard processed.isEmpty else { throw StorageError(.failed, "unreadable") }
            return try await ledger.commit(received: received, processed: processed)
        }

        func commit(_ signedFacts: [SignedFact]) async throws -> Int { try await ledger.commit(signedFacts) }

        func fail(_ notification: Int64, code: String, message: String, at now: Milliseconds) async throws {
            try await ledger.fail(notification, code: code, message: message, at: now)
        }

        func failDamaged(_ notification: Int64, message: String, at now: Milliseconds) async throws -> Bool {
            try await ledger.failDamaged(notification, message: message, at: now)
        }

        func pending(after id: Int64, limit: Int) async throws -> [StoredNotification] {
            try await ledger.pending(after: id, limit: limit)
        }

        func backlog() async throws -> (count: Int, oldest: Milliseconds?, oldestCode: Int64?) {
            try await ledger.backlog()
        }
    }

    private static let processed = ProcessedNotification(
        id: 7, scope: 1, uuid: "uuid-7", type: .test, signedDate: 0, processedAt: 0)

    private static func notification(_ number: Int) -> ReceivedNotification {
        ReceivedNotification(
            scope: 1, uuid: "uuid-\(number)", type: "TEST", signedDate: 0, receivedAt: 0, origin: .delivered,
            text: "text-\(number)")
    }

    private static func withWriter(
        _ limits: LedgerWriter.Limits, _ body: (LedgerWriter, MemoryLedger) async throws -> Void
    ) async throws {
        let ledger = MemoryLedger()
        try await withWriter(limits, to: ledger) { try await body($0, ledger) }
    }

    private static func withWriter(
        _ limits: LedgerWriter.Limits, to ledger: any LedgerStorage, _ body: (LedgerWriter) async throws -> Void
    ) async throws {
        _ = try await ledger.scopes(of: [(bundleID: "com.example", environment: "Sandbox")])
        let writer = LedgerWriter(ledger, limits: limits, metrics: ServerMetrics(PrometheusMetrics()))
        async let running: Void = writer.run()
        do { try await body(writer) } catch {
            writer.close()
            throw error
        }
        writer.close()
        await running
    }
}
