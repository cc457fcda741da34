import CounterfoilServer
import Foundation
import MemoryLedger
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Deletion of old data` {
    /// Storage on a disk that is full at first.
    private final class FullStorage: RetentionStorage {
        let isFull = Mutex(true)
        let attempts = Mutex(0)

        func removeExpired(at now: Milliseconds, limit: Int) async throws -> Int {
            attempts.withLock { $0 += 1 }
            if isFull.withLock(\.self) { throw StorageError(.full, "the disk is full") }
            return 0
        }
    }

    @Test(.timeLimit(.minutes(10))) func `A failure that lasts is logged once, and so is its end`() async throws {
        let (lines, storage, clock) = (LogCapture(), FullStorage(), TestClock(World.start))
        // The service waits a minute or until the clock jumps.
        let jumping = ServerClock.showing {
            clock.advance(by: 3600)
            return clock.now
        }
        let service = RetentionService(
            storage: storage, clock: jumping, logger: lines.logger(ServerConfiguration.Log()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            try await waitUntil("the third attempt") { storage.attempts.withLock(\.self) >= 3 }
            storage.isFull.withLock { $0 = false }
            try await waitUntil("the end is logged") { lines.text.contains("are deleted again") }
            group.cancelAll()
        }
        #expect(lines.count(of: "could not be deleted") == 1, "\(lines.text)")
        #expect(lines.count(of: "are deleted again") == 1, "\(lines.text)")
    }

    @Test(.timeLimit(.minutes(10))) func `Nothing is deleted while the clock may be ahead`() async throws {
        let (storage, shown) = (FullStorage(), TestClock(World.start))
        let jumping = ServerClock.showing(
            {
                shown.advance(by: 3600)
                return shown.now
            }, steadiness: ClockSteadiness(showing: World.start))
        let service = RetentionService(
            storage: storage, clock: jumping, logger: LogCapture().logger(ServerConfiguration.Log()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            try await waitUntil("ten readings of the clock") { shown.now >= World.start + 36_000 }
            group.cancelAll()
        }
        #expect(storage.attempts.withLock(\.self) == 0)
    }

    @Test(.timeLimit(.minutes(10))) func `A failure does not end while the clock may be ahead`() async throws {
        let (lines, storage, shown) = (LogCapture(), FullStorage(), TestClock(World.start))
        let isEven = Mutex(true)
        let begun = ContinuousClock.now
        let steadiness = ClockSteadiness(showing: World.start) {
            begun + .seconds(isEven.withLock(\.self) ? shown.now.timeIntervalSince(World.start) : 0)
        }
        let jumping = ServerClock.showing(
            {
                shown.advance(by: 3600)
                return shown.now
            }, steadiness: steadiness)
        let service = RetentionService(
            storage: storage, clock: jumping, logger: lines.logger(ServerConfiguration.Log()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            try await waitUntil("the failure is logged") { lines.text.contains("could not be deleted") }
            isEven.withLock { $0 = false }
            let jump = shown.now
            try await waitUntil("ten readings of the clock") { shown.now >= jump + 36_000 }
            #expect(!lines.text.contains("are deleted again"), "\(lines.text)")
            storage.isFull.withLock { $0 = false }
            isEven.withLock { $0 = true }
            try await waitUntil("the end is logged") { lines.text.contains("are deleted again") }
            group.cancelAll()
        }
    }

    @Test func `The server deletes a stored response after a day, without another request`() async throws {
        try await World.withAPI { world in
            let body = Data(#"{"entitlement":"premium","reason":"r","actor":"a"}"#.utf8)
            let granted = try await world.api.send(
                "POST", "/v1/customers/anna/grants", body: body, headers: [("Idempotency-Key", "one")])
            #expect(granted.status == 201)
            #expect(try await world.storedRequests() == 1)
            try await world.simulator.advance(by: 86_401)
            try await waitUntil("the response is deleted") { try await world.storedRequests() == 0 }
        }
    }

    @Test func `Deliveries of a disabled endpoint are deleted thirty days after they ended`() async throws {
        try await World.withAPI { world in
            let (core, scope, now) = (
                try world.server.core, try world.appEnvironment().id, world.simulator.now.milliseconds
            )
            let definition = WebhookDefinition(name: "crm", url: "https://example.com", secrets: [])
            let added = try await core.storage.addWebhook(definition, replacesConfigured: false, at: now)
            let endpoint = try #require(added).id
            let disabled = WebhookEndpoint.Disabled(reason: .requested, since: now)
            try await core.storage.switchWebhook(
                endpoint, disabled, discardingBacklog: false, changingTo: nil, at: now)
            // Two batches and one more.
            var outcomes: [DeliveryOutcome] = []
            for number in 0...2 * RetentionService.batch {
                let event = LedgerEvent(
                    id: "evt_test_\(number)", scope: scope, type: .webhookTest, occurredAt: now, createdAt: now
                )
                let delivery = try #require(try await core.storage.addWebhookTest(event, to: endpoint))
                outcomes.append(DeliveryOutcome(delivery: delivery.id, endpoint: endpoint, result: .delivered))
            }
            _ = try await core.storage.record(outcomes, disableAfter: .max, at: now)
            func storedDeliveries() async throws -> Int {
                try await core.storage.deliveries(of: endpoint, limit: 999).count
            }
            try await world.simulator.advance(by: 30 * 86_400)
            try await core.retention.removeExpired()
            #expect(try await storedDeliveries() == outcomes.count)
            try await world.simulator.advance(by: 1)
            try await core.retention.removeExpired()
            #expect(try await storedDeliveries() == 0)
        }
    }
}
