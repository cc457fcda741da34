import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerSQLite
@testable import LedgerServices

/// Counts the rows that each commit changes. It reads the connection's total, because observers are not notified of
/// statements that bypass GRDB.
private final class RowCounter: TransactionObserver, Sendable {
    private let state = Mutex((before: 0, commits: [Int]()))

    /// The number of changed rows of each commit.
    var commits: [Int] { state.withLock { $0.commits } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidRollback(_ db: Database) {}

    func databaseDidCommit(_ db: Database) {
        let total = db.totalChangesCount
        state.withLock { state in
            state.commits.append(total - state.before)
            state.before = total
        }
    }
}

@Suite struct `Long webhook writes in batches` {
    private static let count = 3000
    /// The maximum of rows per commit. A delivery changes its own row and up to two others, and the job's position is
    /// one more.
    private static let maximumRows = 3 * WebhookDispatcher.batch + 1

    /// Calls `body` with a ledger that contains 3000 events with pending deliveries to one endpoint, and checks the
    /// size of each commit.
    private func expectBatches(atLeast minimum: Int, _ body: (SQLiteStorage) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let storage = try await TestLedger(in: folder).sqlite
            try await Self.fill(storage)
            let counter = RowCounter()
            storage.pool.add(transactionObserver: counter, extent: .observerLifetime)
            // The first commit sets the counter's total.
            try await storage.write { try $0.execute(sql: "UPDATE scopes SET id = id") }
            let initialCount = counter.commits.count
            try await body(storage)
            let batches = counter.commits.dropFirst(initialCount)
            #expect(batches.count >= minimum)
            #expect(batches.allSatisfy { $0 <= Self.maximumRows }, "\(batches.max() ?? 0)")
            try storage.close()
        }
    }

    /// Calls `start`, and runs webhook jobs until none remains.
    private func runJobs(after start: (SQLiteStorage) async throws -> Void) async throws {
        try await expectBatches(atLeast: Self.count / WebhookDispatcher.batch) { storage in
            try await start(storage)
            while try await storage.runWebhookJob(limit: WebhookDispatcher.batch, at: 5) {}
            let remaining = try await storage.nextDelivery(to: [1], after: 5)
            #expect(remaining == nil)
        }
    }

    private static func fill(_ storage: SQLiteStorage) async throws {
        try await storage.registerWebhooks(["full"], at: 0)
        try await storage.pool.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
                    INSERT INTO events (seq, id, scope, type, original_id, customer, notification, occurred_at, created_at)
                    SELECT n, 'evt_' || n, 1, 'subscription.renewed', n % (? / 10 + 1), 'customer ' || (n % (? / 10 + 1)), n,
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

    @Test func `Removing an endpoint changes rows in batches`() async throws {
        try await runJobs { try await $0.removeWebhook(1) }
    }

    @Test func `Discarding an endpoint's backlog changes rows in batches`() async throws {
        try await runJobs { try await $0.switchWebhook(1, nil, discardingBacklog: true, changingTo: nil, at: 5) }
    }

    @Test func `Enabling an endpoint again changes rows in batches`() async throws {
        try await runJobs { try await $0.switchWebhook(1, nil, discardingBacklog: false, changingTo: nil, at: 5) }
    }

    @Test func `The last step of a webhook job returns true, and a step without a job returns false`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let storage = try await TestLedger(in: folder).sqlite
            try await storage.registerWebhooks(["a"], at: 0)
            let id = try #require(try await storage.webhookEndpoints().first?.id)
            try await storage.switchWebhook(id, nil, discardingBacklog: false, changingTo: nil, at: 1)
            #expect(try await storage.runWebhookJob(limit: WebhookDispatcher.batch, at: 1))
            #expect(try await !storage.runWebhookJob(limit: WebhookDispatcher.batch, at: 1))
            try storage.close()
        }
    }

    @Test func `A replay changes rows in batches`() async throws {
        try await expectBatches(atLeast: Self.count / WebhookDispatcher.batch) { storage in
            let all = ReplayRange(from: 0, to: .max, after: 0, through: .max, limit: 10_000)
            let outcome = try await storage.replay(all, to: FanOutTarget(endpoint: 1) { _, _ in 1 }, at: 5)
            #expect(outcome.deliveries == Self.count)
        }
    }

    @Test func `A replay skips an event with a future time and includes later ones, in batches`() async throws {
        try await expectBatches(atLeast: Self.count / WebhookDispatcher.batch) { storage in
            try await storage.write { db in
                try db.execute(sql: "UPDATE events SET created_at = 9000000000000 WHERE seq = 5")
            }
            let first = ReplayRange(from: 0, to: 1_000_000, after: 0, through: .max, limit: 10_000)
            let outcome = try await storage.replay(first, to: FanOutTarget(endpoint: 1) { _, _ in 1 }, at: 5)
            #expect(outcome == ReplayOutcome(deliveries: Self.count - 1))
        }
    }

    @Test func `Fan-out to many endpoints changes rows in batches`() async throws {
        let endpoints = Array<Int64>(2...20)
        try await expectBatches(atLeast: 20 * endpoints.count) { storage in
            try await storage.registerWebhooks(endpoints.map { "endpoint-\($0)" }, at: 0)
            try await storage.write { try $0.execute(sql: "UPDATE webhook_endpoints SET cursor = 0 WHERE id > 1") }
            for _ in 0..<20 {
                _ = try await storage.fanOut(
                    to: endpoints, by: { FanOutTarget(endpoint: $0.id) { _, _ in 3 } }, within: .none,
                    limit: WebhookDispatcher.batch, at: 5)
            }
            while try await storage.releaseDeliveries(to: endpoints, limit: WebhookDispatcher.batch, at: 5) {}
            let due = try await storage.dueDeliveries(of: 20, at: 5, limit: 9)
            #expect(due.count == 9)
        }
    }
}
