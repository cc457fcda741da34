import CounterfoilServer
import Foundation
import GRDB
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite
@testable import LedgerServices

// Numbers at the limits of integers, in columns with which the server calculates.
extension `Damaged ledger rows` {
    /// Sets columns to a number. Requires that there is a row.
    private static func set(_ columns: String, to number: Int64, _ storage: SQLiteStorage) async throws {
        let changed = try await storage.pool.write { db in
            try db.execute(sql: "UPDATE \(columns) = ?", arguments: [number])
            return db.changesCount
        }
        try #require(changed > 0)
    }

    private static func beginRequest(_ storage: SQLiteStorage) async throws -> IdempotencyDecision {
        try await storage.beginRequest(
            "key", of: "client", about: nil, fingerprint: Data([1]), at: 1000, lockTimeout: 100)
    }

    @Test(arguments: [
        ("completeness SET since_date", Int64.min), ("completeness SET checked_at", .max),
        ("completeness SET until_date", .min), ("completeness SET until_date", .max),
        ("completeness SET read_until", .min), ("completeness SET read_until", .max),
        ("completeness SET signed_until", .min), ("completeness SET signed_until", .max),
        ("sweeps SET finished_at", .min), ("sweeps SET finished_at", .max),
        ("recoveries SET state = 'open', from_date", .min), ("recoveries SET state = 'open', until_date", .min),
    ])
    func `The server starts with an instant beyond all dates and reads the notification history`(
        _ column: String, _ instant: Int64
    ) async throws {
        try await World.run { world in
            _ = try await Self.buy(world, "anna")
            try await world.waitUntilIdle()
            try await world.server.core.recovery.runNow()
            try await Self.set(column, to: instant, world.sqlite)
            try await world.stopServer()
            try await world.startServer()
            try await world.server.core.recovery.runNow()
            #expect(try await world.completeness().state == .complete)
        }
    }

    @Test(arguments: [Int64.min, .max])
    func `A consumption request with an impossible number of attempts is answered`(_ attempts: Int64) async throws {
        try await World.run(server: { $0.apps[0].consumption = ConsumptionPolicy(defaultConsent: true) }) { world in
            let simulator = world.simulator
            simulator.configure { $0.refundDecision = .byCommand }
            let fault = try simulator.add(Fault("route:send-consumption", .status(code: 403)))
            let original = try await Self.buy(world, "anna", "com.example.coins.100")
            try await world.waitUntilIdle()
            try await simulator.perform(.requestRefund(customer: "anna"))
            try await world.waitUntilIdle()
            _ = try await world.inquiry(about: original) { $0.attempts > 0 }
            try await Self.set("consumption_requests SET attempts", to: attempts, world.sqlite)
            try simulator.removeFault(fault)
            try await simulator.advance(by: 3600)
            let answered = try await world.inquiry(about: original) { $0.state != .pending }
            #expect(answered.state == .sent)
        }
    }

    @Test(arguments: [Int64.min, .max])
    func `A repeated request of an impossible date is decided`(_ instant: Int64) async throws {
        try await Tool.inTemporaryFolder { folder in
            let storage = try await TestLedger(in: folder).sqlite
            try #require(try await Self.beginRequest(storage) == .proceed)
            try await Self.set("requests SET started_at", to: instant, storage)
            // A date in the distant past has expired; one in the future shows nothing.
            #expect(try await Self.beginRequest(storage) == .proceed)
            #expect(try await Self.beginRequest(storage) == .isInProgress)
            try storage.close()
        }
    }

    @Test(arguments: [Int64.min, -1, 99, 1000, .max])
    func `A stored response without a possible status is neither sent nor created again`(_ status: Int64)
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let storage = try await TestLedger(in: folder).sqlite
            try #require(try await Self.beginRequest(storage) == .proceed)
            let response = IdempotentRequest.StoredResponse(status: 201, type: nil, body: Data())
            try await storage.endRequest("key", of: "client", begunAt: 1000, with: response)
            try #require(try await Self.beginRequest(storage) == .repeats(response))
            try await Self.set("requests SET status", to: status, storage)
            let error = await #expect(throws: StorageError.self) { try await Self.beginRequest(storage) }
            #expect(error?.code == .damaged)
            try storage.close()
        }
    }

    @Test(arguments: [Int64.min, .max])
    func `A replay reads events whose identifier is at the limit of integers`(_ number: Int64) async throws {
        try await World.run { world in
            _ = try await Self.buy(world, "anna")
            try await world.waitUntilIdle()
            try await Self.set("events SET seq", to: number, world.sqlite)
            let target = FanOutTarget(endpoint: 1) { _, _ in 1 }
            let range = ReplayRange(from: 0, to: .max, after: 0, through: .max, limit: 10)
            let outcome = try await world.sqlite.countReplay(range, to: target)
            #expect(outcome.deliveries == (number == .max ? 1 : 0))
        }
    }

    @Test(arguments: [Int64.min, .max])
    func `The last events are read if an identifier is at the limit of integers`(_ number: Int64) async throws {
        try await World.run { world in
            _ = try await Self.buy(world, "anna")
            try await world.waitUntilIdle()
            try await Self.set("events SET seq", to: number, world.sqlite)
            #expect(try await world.sqlite.lastEvent() == max(number, 0))
            let events = try await world.sqlite.lastEventsOfCustomers(
                in: world.appEnvironment().id, limit: 10, amongLast: 1000)
            #expect(events.count == (number == .max ? 1 : 0))
        }
    }

    @Test func `An event of a notification that the ledger lacks does not wait for it`() async throws {
        try await World.run { world in
            _ = try await Self.buy(world, "anna")
            try await world.waitUntilIdle()
            try await Self.set("events SET notification", to: .max, world.sqlite)
            let status = try await world.sqlite.status()
            let query = FeedQuery(after: 0, scopes: [try world.appEnvironment().id], limit: 10)
            let limit = FanOutLimit(after: status.newest, holdsRecovered: false)
            #expect(try await world.sqlite.events(query, within: limit).items.count == 1)
        }
    }

    @Test func `The days until an end beyond all dates are counted also while the clock shows 1956`() async throws {
        try await World.run(server: { $0.keys = [World.backend] }) { world in
            _ = try await Self.buy(world, "anna")
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            try await Self.set("segments SET begins = min(begins, -10000000000000), ends", to: .max - 1, world.sqlite)
            // The time left would be beyond all integers.
            world.clockLead.withLock { $0 = -70 * 366 * 86_400 }
            let segment = try await world.call(.GET, "/v1/segments/will_not_renew")
            #expect(segment.status == 200)
            let days = try #require(segment.number("items.0.days_left"))
            #expect(days > 100_000_000_000)
        }
    }

    @Test func `A delivery that is due beyond all dates is sent also while the clock shows 1956`() async throws {
        try await World.runWithWebhooks { world, receiver in
            receiver.answer(500)
            _ = try await Self.buy(world, "anna")
            try await world.deliverWebhooks()
            let path = try world.sqlite.pool.path
            try await world.stopServer()
            // A running server would send it before it stops.
            let file = try DatabaseQueue(path: path)
            let changed = try await file.write { db in
                try db.execute(sql: "UPDATE deliveries SET due = ? WHERE state = 0", arguments: [Int64.max])
                return db.changesCount
            }
            try file.close()
            try #require(changed > 0)
            // The time left would be beyond all integers.
            world.clockLead.withLock { $0 = -70 * 366 * 86_400 }
            receiver.answer(200)
            try await world.startServer()
            try await world.deliverWebhooks()
            let deliveries = try await world.deliveries()
            try #require(!deliveries.isEmpty)
            #expect(deliveries.allSatisfy { $0.state == .delivered })
        }
    }
}
