import AppStoreModels
import CounterfoilServer
import Ledger
import LedgerServices
import MemoryLedger
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The writer of the ledger` {
    @Test func `waits with a commit for what is being verified`() async throws {
        var limits = LedgerWriter.Limits()
        limits.patience = 60_000
        try await Self.write(limits) { writer, ledger in
            let before = ledger.commits
            let receptions = await writer.expecting {
                let first = Task { try await writer.receive(Self.notification(1)) }
                // Time enough for a commit that does not wait.
                for _ in 0..<100_000 where ledger.commits == before { await Task.yield() }
                #expect(ledger.commits == before)
                let second = Task { try await writer.receive(Self.notification(2)) }
                while writer.waiting < 2, ledger.commits == before { await Task.yield() }
                return [first, second]
            }
            for reception in receptions { guard case .kept = try await reception.value else { throw NotKept() } }
            #expect(ledger.commits == before + 1)
        }
    }

    @Test func `does not wait long for what is never verified`() async throws {
        try await Self.write(LedgerWriter.Limits()) { writer, _ in
            try await writer.expecting {
                guard case .kept = try await writer.receive(Self.notification(1)) else { throw NotKept() }
            }
        }
    }

    @Test func `does not wait for what was refused`() async throws {
        var limits = LedgerWriter.Limits()
        limits.patience = 60_000
        try await Self.write(limits) { writer, _ in
            await #expect(throws: NotKept.self) { try await writer.expecting { throw NotKept() } }
            guard case .kept = try await writer.receive(Self.notification(1)) else { throw NotKept() }
        }
    }

    @Test func `keeps what was received, though what is folded in the same commit cannot be`() async throws {
        var limits = LedgerWriter.Limits()
        limits.patience = 60_000
        try await Self.write(limits, to: UnfoldableLedger()) { writer in
            let (folding, receiving) = await writer.expecting {
                let folding = Task { try await writer.fold([Self.folded]) }
                let receiving = Task { try await writer.receive(Self.notification(1)) }
                while writer.waiting < 1 { await Task.yield() }
                // Long enough for the other one too.
                for _ in 0..<1000 { await Task.yield() }
                return (folding, receiving)
            }
            guard case .kept = try await receiving.value else { throw NotKept() }
            await #expect(throws: StorageError(.failed, "unreadable")) { try await folding.value }
        }
    }

    private struct NotKept: Error {}

    /// Nothing can be folded there, as where a sector of the disk cannot be read.
    private struct UnfoldableLedger: LedgerStorage {
        private let ledger = MemoryLedger()

        func scopes(of apps: [(bundleID: String, environment: String)]) async throws -> ScopeRegistry {
            try await ledger.scopes(of: apps)
        }

        func commit(
            receiving: [ReceivedNotification], folding: [FoldedNotification]
        ) async throws -> [Reception] {
            guard folding.isEmpty else { throw StorageError(.failed, "unreadable") }
            return try await ledger.commit(receiving: receiving, folding: folding)
        }

        func commit(_ statements: [Statement]) async throws -> Int { try await ledger.commit(statements) }

        func fail(_ notification: Int64, code: String, message: String, at now: Milliseconds) async throws {
            try await ledger.fail(notification, code: code, message: message, at: now)
        }

        func failDamaged(_ notification: Int64, message: String, at now: Milliseconds) async throws -> Bool {
            try await ledger.failDamaged(notification, message: message, at: now)
        }

        func pending(after id: Int64, limit: Int) async throws -> [KeptNotification] {
            try await ledger.pending(after: id, limit: limit)
        }

        func backlog() async throws -> (count: Int, oldest: Milliseconds?) { try await ledger.backlog() }
    }

    private static let folded = FoldedNotification(
        id: 7, scope: 1, uuid: "uuid-7", type: .test, signedDate: 0, foldedAt: 0)

    private static func notification(_ number: Int) -> ReceivedNotification {
        ReceivedNotification(
            scope: 1, uuid: "uuid-\(number)", type: "TEST", signedDate: 0, receivedAt: 0, origin: .delivered,
            text: "text-\(number)")
    }

    private static func write(
        _ limits: LedgerWriter.Limits, _ body: (LedgerWriter, MemoryLedger) async throws -> Void
    ) async throws {
        let ledger = MemoryLedger()
        try await write(limits, to: ledger) { try await body($0, ledger) }
    }

    private static func write(
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
