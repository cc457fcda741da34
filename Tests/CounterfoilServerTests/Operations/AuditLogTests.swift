import Foundation
import Ledger
import LedgerServices
import Logging
import Synchronization
import Testing

@Suite struct `The commits of the audit log` {
    /// A storage whose commits wait until they are let through.
    private final class SlowStorage: AuditStorage {
        let kept = Mutex<[AuditEntry]>([])
        let begun = AsyncStream.makeStream(of: Void.self)
        let released = AsyncStream.makeStream(of: Void.self)

        func appendAudit(_ entries: [AuditEntry], dropping before: Milliseconds) async throws {
            begun.continuation.yield()
            for await _ in released.stream {}
            kept.withLock { $0 += entries }
        }

        func audit(before id: Int64, limit: Int) async throws -> [KeptAuditEntry] { [] }
    }

    @Test(.timeLimit(.minutes(1)))
    func `hold for whoever asks what was being written already`() async {
        let storage = SlowStorage()
        let log = AuditLog(storage, now: { Date(timeIntervalSince1970: 0) }, logger: Logger(label: "test"))
        log.add(AuditEntry(at: 0, actor: "anna", action: "GET /v1/webhooks", result: "403"))
        async let first: Void = log.keep()
        for await _ in storage.begun.stream { break }
        async let second: Int = {
            await log.keep()
            return storage.kept.withLock(\.count)
        }()
        // Long enough for whoever does not wait.
        for _ in 0..<100 { await Task.yield() }
        storage.released.continuation.finish()
        #expect(await second == 1)
        await first
    }
}
