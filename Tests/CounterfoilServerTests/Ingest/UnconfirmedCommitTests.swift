import AppStoreModels
import Foundation
import HTTPTypes
import Ledger
import Logging
import MemoryLedger
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import LedgerServices

@Suite(.timeLimit(.minutes(10))) struct `Commits with an unknown outcome` {
    @Test func `A stored notification is processed although its commit was not confirmed`() async throws {
        let ledger = MemoryLedger()
        let scopes = try await ledger.scopes(of: [(bundleID: TestStore.bundleId, environment: "Sandbox")])
        let (metrics, verifier) = (ServerMetrics(PrometheusMetrics()), try TestStore.verifier())
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let writer = LedgerWriter(ledger, metrics: metrics)
        let processor = NotificationProcessor(
            storage: ledger, writer: writer, verifier: verifier, scopes: scopes, now: { TestStore.now },
            logger: logger, metrics: metrics)
        let ingest = Ingest(
            live: verifier, historical: verifier, scopes: scopes, writer: writer, processor: processor,
            clock: .showing { TestStore.now }, metrics: metrics)
        async let writing: Void = writer.run()
        async let processing: Void = processor.run()
        // The processor reads the inbox at the start, and would find the notification by that.
        try await waitForEnd("the processor is idle") { await processor.waitUntilIdle() }
        let text = try TestStore.authority().sign(json: Data(Members(.notification).json.utf8))
        ledger.loseNextAnswer()
        let error = await #expect(throws: StorageError.self) { try await ingest.accept(text, origin: .delivered) }
        #expect(error?.code == .unconfirmed)
        try await waitForEnd("the processor is idle") { await processor.waitUntilIdle() }
        let filter = InboxFilter(scopes: scopes.all.map(\.id))
        let stored = try await ledger.notifications(filter, before: .max, limit: 9).items
        #expect(stored.map(\.state) == [.processed])
        let id = try #require(stored.first?.id)
        let again = try await ingest.accept(text, origin: .delivered)
        #expect(again.insertion == .duplicate(id))
        processor.close()
        writer.close()
        await processing
        await writing
    }

    /// The dispatcher remembers the endpoints between changes.
    @Test func `A webhook gets no more messages although the change that disabled it was not confirmed`() async throws {
        let ledger = MemoryLedger()
        let scopes = try await ledger.scopes(of: [(bundleID: TestStore.bundleId, environment: "Sandbox")])
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let renderer = EventRenderer(
            storage: ledger, scopes: scopes, verifier: try TestStore.verifier(), apps: Apps([]), logger: logger)
        let dispatcher = try await WebhookDispatcher(
            [World.webhook("backend", "http://127.0.0.1:1/")], storage: ledger, scopes: scopes, renderer: renderer,
            timeout: .seconds(1), drainTimeout: .seconds(1), clock: .showing { TestStore.now }, logger: logger,
            metrics: ServerMetrics(PrometheusMetrics()))
        let endpoint = try #require(try await dispatcher.endpoints().first)
        ledger.loseNextAnswer()
        let error = await #expect(throws: StorageError.self) {
            try await dispatcher.setEnabled(false, for: endpoint, discardingBacklog: false)
        }
        #expect(error?.code == .unconfirmed)
        #expect(try await dispatcher.endpoints().map(\.disabled?.reason) == [.requested])
    }

    @Test func `A requested recovery runs in the next pass although its commit was not confirmed`() async throws {
        let ledger = MemoryLedger()
        let scopes = try await ledger.scopes(of: [(bundleID: TestStore.bundleId, environment: "Sandbox")])
        let appEnvironment = try #require(scopes.all.first)
        let (metrics, verifier) = (ServerMetrics(PrometheusMetrics()), try TestStore.verifier())
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let clock = ServerClock.showing { TestStore.now }
        let writer = LedgerWriter(ledger, metrics: metrics)
        let processor = NotificationProcessor(
            storage: ledger, writer: writer, verifier: verifier, scopes: scopes, now: clock.now, logger: logger,
            metrics: metrics)
        let recovery = try await LedgerServices.Recovery(
            storage: ledger,
            ingest: Ingest(
                live: verifier, historical: verifier, scopes: scopes, writer: writer, processor: processor,
                clock: clock, metrics: metrics),
            histories: AccountHistories(
                storage: ledger, verifier: verifier, clients: [:], clock: clock, logger: logger, timeout: .seconds(1)),
            scopes: scopes, clients: [:], settings: RecoverySettings(), clock: clock, logger: logger)
        let from = (TestStore.now - 3600).milliseconds
        let plan = try recovery.plan(appEnvironment, from: from, until: nil, filters: [])
        ledger.loseNextAnswer()
        let error = await #expect(throws: StorageError.self) { try await recovery.request(plan) }
        #expect(error?.code == .unconfirmed)
        #expect(recovery.takeRequestedCause(in: appEnvironment.id) == .request)
        #expect(try await ledger.openRecoveries(in: appEnvironment.id).map(\.from) == [from])
    }

    @Test(arguments: [StorageError.Code.unavailable, .unconfirmed])
    func `A request that the database did not answer may be sent again after five seconds`(_ code: StorageError.Code) {
        let failure = APIFailure(StorageError(code, "the connection was lost"))
        #expect(failure.status == .serviceUnavailable && failure.code == code.rawValue)
        #expect(failure.isRetryable && failure.backoff == 5000)
        let mayBeStored = failure.message.contains("may be stored")
        #expect(mayBeStored == (code == .unconfirmed))
    }
}
