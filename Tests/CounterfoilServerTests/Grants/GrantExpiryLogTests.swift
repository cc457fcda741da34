import CounterfoilServer
import Foundation
import Ledger
import LedgerServices
import Synchronization
import TestSupport
import Testing

@Suite struct `The log of grant expiry` {
    /// Storage on a full disk.
    private final class FullStorage: GrantStorage {
        let attempts = Mutex(0)
        private static let failure = StorageError(.full, "the disk is full")

        func createGrant(
            _ id: String, _ content: GrantEvent.Content, in scope: Int64, at now: Milliseconds
        ) async throws -> GrantCreation {
            throw Self.failure
        }

        func revokeGrant(
            _ id: String, of customer: String, because content: GrantEvent.Content, in scope: Int64,
            at now: Milliseconds
        ) async throws -> GrantRevocation {
            throw Self.failure
        }

        func grants(of customer: String, in scope: Int64) async throws -> [Grant] { throw Self.failure }

        func grantedEntitlements(in scope: Int64, at now: Milliseconds) async throws -> [String] {
            throw Self.failure
        }

        func emitExpiredGrants(at now: Milliseconds, limit: Int) async throws -> ExpiredGrants {
            attempts.withLock { $0 += 1 }
            throw Self.failure
        }
    }

    @Test(.timeLimit(.minutes(10))) func `A failure that lasts is logged once`() async throws {
        let (lines, storage) = (LogCapture(), FullStorage())
        let service = GrantExpiryService(
            storage: storage, clock: .showing { World.start }, logger: lines.logger(ServerConfiguration.Log()),
            wakeWebhooks: {})
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            try await waitUntil("the third attempt") { storage.attempts.withLock(\.self) >= 3 }
            group.cancelAll()
        }
        #expect(lines.count(of: "could not be emitted") == 1, "\(lines.text)")
    }
}
