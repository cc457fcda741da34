import AppStoreModels
import CounterfoilServer
import Foundation
import Ledger
import Logging
import MemoryLedger
import Synchronization
import TestSupport
import Testing

@testable import LedgerServices

@Suite(.timeLimit(.minutes(10))) struct `The processor of notifications` {
    /// How a notification becomes pending again just after it failed.
    enum Retry: CaseIterable { case delivery, reprocessing }

    @Test(arguments: Retry.allCases)
    func `A notification that fails and is received again or reprocessed at once is processed again`(
        _ retry: Retry
    ) async throws {
        let ledger = RedeliveringLedger()
        let scopes = try await ledger.scopes(of: [(bundleID: TestStore.bundleId, environment: "Sandbox")])
        let appEnvironment = try #require(scopes.all.first)
        let metrics = ServerMetrics(PrometheusMetrics())
        let writer = LedgerWriter(ledger, metrics: metrics)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let processor = NotificationProcessor(
            storage: ledger, writer: writer, verifier: try TestStore.verifier(), scopes: scopes,
            now: { TestStore.now }, logger: logger, metrics: metrics)
        async let writing: Void = writer.run()
        async let processing: Void = processor.run()
        // The processor reads the inbox at the start, and would find the notification by that.
        try await waitForEnd("the processor is idle") { await processor.waitUntilIdle() }
        let notification = ReceivedNotification(
            scope: appEnvironment.id, uuid: "uuid-1", type: "TEST", signedDate: 0, receivedAt: 0, origin: .delivered,
            text: "not signed")
        let receive: @Sendable () async throws -> Void = {
            let insertions = try await ledger.commit(received: [notification], processed: [])
            guard case .stored(let id)? = insertions.first else { throw NotStored() }
            processor.add(
                NotificationProcessor.Job(
                    id: id, appEnvironment: appEnvironment, content: .text(notification.text), receivedAt: 0))
        }
        ledger.callAfterNextFailure {
            switch retry {
            case .delivery: try await receive()
            case .reprocessing:
                try await ledger.reprocess()
                processor.rescan()
                // The other worker reads the inbox before this one ends its batch.
                await ledger.hasReadFirstPage.pass()
            }
        }
        try await receive()
        try await waitForEnd("the processor is idle") { await processor.waitUntilIdle() }
        #expect(processor.processed == 2)
        #expect(try await ledger.backlog().count == 0)
        processor.close()
        writer.close()
        await processing
        await writing
    }

    private struct NotStored: Error {}

    /// A ledger that receives or reprocesses a notification just after it was marked as failed.
    private final class RedeliveringLedger: LedgerStorage {
        private let ledger = MemoryLedger()
        let hasReadFirstPage = Gate()
        private let afterFailure = Mutex<(@Sendable () async throws -> Void)?>(nil)

        func callAfterNextFailure(_ body: @escaping @Sendable () async throws -> Void) {
            afterFailure.withLock { $0 = body }
        }

        func fail(_ notification: Int64, code: String, message: String, at now: Milliseconds) async throws {
            try await ledger.fail(notification, code: code, message: message, at: now)
            let next = afterFailure.withLock { next in
                defer { next = nil }
                return next
            }
            try await next?()
        }

        func reprocess() async throws { try await ledger.reprocess([1], at: 0) }

        func scopes(of apps: [(bundleID: String, environment: String)]) async throws -> AppEnvironmentRegistry {
            try await ledger.scopes(of: apps)
        }

        func commit(
            received: [ReceivedNotification], processed: [ProcessedNotification]
        ) async throws -> [InsertionResult] {
            try await ledger.commit(received: received, processed: processed)
        }

        func commit(_ signedFacts: [SignedFact]) async throws -> Int { try await ledger.commit(signedFacts) }

        func failDamaged(_ notification: Int64, message: String, at now: Milliseconds) async throws -> Bool {
            try await ledger.failDamaged(notification, message: message, at: now)
        }

        func pending(after id: Int64, limit: Int) async throws -> [StoredNotification] {
            if id > 0 { hasReadFirstPage.open() }
            return try await ledger.pending(after: id, limit: limit)
        }

        func backlog() async throws -> (count: Int, oldest: Milliseconds?, oldestCode: Int64?) {
            try await ledger.backlog()
        }
    }
}
