import CounterfoilServer
import Ledger
import LedgerServices
import MemoryLedger
import Testing

@Suite struct `The writer of the ledger` {
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

    private struct NotKept: Error {}

    private static func notification(_ number: Int) -> ReceivedNotification {
        ReceivedNotification(
            scope: 1, uuid: "uuid-\(number)", type: "TEST", signedDate: 0, receivedAt: 0, origin: .delivered,
            text: "text-\(number)")
    }

    private static func write(
        _ limits: LedgerWriter.Limits, _ body: (LedgerWriter, MemoryLedger) async throws -> Void
    ) async throws {
        let ledger = MemoryLedger()
        _ = try await ledger.scopes(of: [(bundleID: "com.example", environment: "Sandbox")])
        let writer = LedgerWriter(ledger, limits: limits, metrics: ServerMetrics(PrometheusMetrics()))
        async let running: Void = writer.run()
        do { try await body(writer, ledger) } catch {
            writer.close()
            throw error
        }
        writer.close()
        await running
    }
}
