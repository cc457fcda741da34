import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import CounterfoilServer

/// Counts the rows that each transaction changes.
private final class RowCounter: TransactionObserver, Sendable {
    private let state = Mutex((now: 0, most: 0))

    /// The most that one transaction has changed.
    var most: Int { state.withLock { $0.most } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { state.withLock { $0.now += 1 } }
    func databaseDidCommit(_ db: Database) { end() }
    func databaseDidRollback(_ db: Database) { end() }

    private func end() { state.withLock { $0 = (0, max($0.most, $0.now)) } }
}

/// With `COUNTERFOIL_BIG_OUTBOX` as the number of events, such as 10000000, it also says how long a write had to wait.
@Suite struct `What takes long is written in pieces` {
    private static let count = ProcessInfo.processInfo.environment["COUNTERFOIL_BIG_OUTBOX"].flatMap { Int($0) } ?? 3000
    private static let isBig = count > 3000
    /// A delivery changes its own row, and at most two others become due or wait again for it; an event may say newer ones
    /// again.
    private static let mostRows = 700

    /// Does something with a ledger that has many events, waiting for one endpoint; a tenth of a customer's own.
    private func measure(_ name: String, _ body: (SQLiteStorage, FanOutTarget) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let storage = try await TestLedger(in: folder).storage
            try await Self.fill(storage)
            let counter = RowCounter()
            storage.pool.add(transactionObserver: counter, extent: .observerLifetime)
            let longest = Mutex(Duration.zero)
            try await withThrowingTaskGroup(of: Void.self) { group in
                if Self.isBig {
                    group.addTask {
                        // What the App Store waits for.
                        while !Task.isCancelled {
                            let start = ContinuousClock.now
                            try await storage.write { try $0.execute(sql: "UPDATE scopes SET id = id") }
                            longest.withLock { $0 = max($0, .now - start) }
                        }
                    }
                }
                try await body(storage, FanOutTarget(endpoint: 1) { _, _ in 1 })
                group.cancelAll()
            }
            #expect(counter.most > 0 && counter.most <= Self.mostRows, "\(name): \(counter.most)")
            if Self.isBig {
                print("\(name) of \(Self.count): longest wait \(longest.withLock { $0 }), most rows \(counter.most)")
            }
            try storage.close()
        }
    }

    private static func fill(_ storage: SQLiteStorage) async throws {
        try await storage.registerWebhooks(["full"], at: 0)
        try await storage.pool.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
                    INSERT INTO events (seq, id, scope, type, original_id, customer, notification, occurred_at, created_at)
                    SELECT n, 'evt_' || n, 1, 'subscription.renewed', n % (? / 10 + 1), 'customer ' || n % (? / 10 + 1), n,
                        n, n
                    FROM numbers
                    """, arguments: [count, count, count])
            try db.execute(
                sql: """
                    INSERT INTO deliveries
                        (endpoint, event, variant, lane, purchase, happened_at, state, attempts, due, created_at)
                    SELECT 1, seq, 0, '1 ' || customer, '1 purchase ' || original_id, occurred_at, 0, 0,
                        CASE WHEN seq <= ? / 10 + 1 THEN 9e15 END, 1 FROM events
                    """, arguments: [count])
        }
    }

    @Test(.timeLimit(.minutes(60))) func `when an endpoint is removed`() async throws {
        try await measure("remove") { storage, _ in
            try await storage.removeWebhook(1)
            while try await storage.carryOutWebhookChore(limit: WebhookDispatcher.batch, at: 5) {}
            #expect(try await storage.webhookBacklog().deliveries == 0)
            #expect(try await storage.webhookEndpoints().isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(60))) func `when what waits is given up`() async throws {
        try await measure("discard") { storage, target in
            try await storage.switchWebhook(1, nil, discardingBacklog: true, at: 5)
            // None of it is sent from now on.
            #expect(try await storage.dueDeliveries(of: 1, at: .max, limit: 9).isEmpty)
            while try await storage.carryOutWebhookChore(limit: WebhookDispatcher.batch, at: 5) {}
            #expect(try await storage.webhookBacklog().deliveries == 0)
        }
    }

    @Test(.timeLimit(.minutes(60))) func `when an endpoint is switched on again`() async throws {
        try await measure("resume") { storage, _ in
            try await storage.switchWebhook(1, nil, discardingBacklog: false, at: 5)
            while try await storage.carryOutWebhookChore(limit: WebhookDispatcher.batch, at: 5) {}
            #expect(try await storage.nextDelivery(to: [1], after: 5) == nil)
        }
    }

    @Test(.timeLimit(.minutes(60))) func `when much is sent again`() async throws {
        try await measure("replay") { storage, target in
            let range = ReplayRange(from: 0, to: .max, after: 0, through: .max, limit: 10_000)
            let outcome = try await storage.replay(range, to: target, at: 5)
            #expect(outcome.deliveries == min(Self.count, 10_000))
            // And where nothing of it is wanted.
            var rest = range
            var looked = 0
            repeat {
                let outcome = try await storage.replay(rest, to: FanOutTarget(endpoint: 1) { _, _ in 0 }, at: 5)
                rest.after = outcome.last ?? .max
                looked += 1
            } while rest.after < .max && looked < 100
            #expect(rest.after == .max)
        }
    }

    @Test(.timeLimit(.minutes(60))) func `when deliveries are made, however many endpoints there are`() async throws {
        try await measure("fan out") { storage, _ in
            try await storage.registerWebhooks((2...20).map { "endpoint-\($0)" }, at: 0)
            try await storage.pool.write { try $0.execute(sql: "UPDATE webhook_endpoints SET cursor = 0 WHERE id > 1") }
            let targets = (2...20).map { number in FanOutTarget(endpoint: Int64(number)) { _, _ in 3 } }
            for _ in 0..<20 {
                _ = try await storage.fanOut(to: targets, within: .none, limit: WebhookDispatcher.batch, at: 5)
            }
            while try await storage.letGo(to: (2...20).map { $0 }, limit: WebhookDispatcher.batch, at: 5) {}
            #expect(try await storage.dueDeliveries(of: 20, at: 5, limit: 9).count == 9)
        }
    }
}
