@testable import LedgerServices
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import LedgerSQLite
@testable import Ledger
@testable import CounterfoilServer

/// Counts the rows that each commit has changed. It asks the connection, since what is written in SQLite's own terms is not
/// announced to observers.
private final class RowCounter: TransactionObserver, Sendable {
    private let state = Mutex((before: 0, commits: [Int]()))

    /// The rows of each commit.
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

@Suite struct `What takes long is written in pieces` {
    private static let count = 3000
    /// A delivery changes its own row, and at most two others become due or are named; then the place is noted.
    private static let mostRows = 3 * WebhookDispatcher.batch + 1

    /// Does something with a ledger that has many events, waiting for one endpoint, and looks at each commit.
    private func inPieces(atLeast least: Int, _ body: (SQLiteStorage) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let storage = try await TestLedger(in: folder).storage
            try await Self.fill(storage)
            let counter = RowCounter()
            storage.pool.add(transactionObserver: counter, extent: .observerLifetime)
            // The first commit brings the count up to date.
            try await storage.write { try $0.execute(sql: "UPDATE scopes SET id = id") }
            let begun = counter.commits.count
            try await body(storage)
            let pieces = counter.commits.dropFirst(begun)
            #expect(pieces.count >= least)
            #expect(pieces.allSatisfy { $0 <= Self.mostRows }, "\(pieces.max() ?? 0)")
            try storage.close()
        }
    }

    /// Begins something, then does what is left of it.
    private func carryOut(_ begin: (SQLiteStorage) async throws -> Void) async throws {
        try await inPieces(atLeast: Self.count / WebhookDispatcher.batch) { storage in
            try await begin(storage)
            while try await storage.runWebhookJob(limit: WebhookDispatcher.batch, at: 5) {}
            let left = try await storage.nextDelivery(to: [1], after: 5)
            #expect(left == nil)
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

    @Test func `when an endpoint is removed`() async throws {
        try await carryOut { try await $0.removeWebhook(1) }
    }

    @Test func `when what waits is given up`() async throws {
        try await carryOut { try await $0.switchWebhook(1, nil, discardingBacklog: true, at: 5) }
    }

    @Test func `when an endpoint is switched on again`() async throws {
        try await carryOut { try await $0.switchWebhook(1, nil, discardingBacklog: false, at: 5) }
    }

    @Test func `of which the last too says that something was done, which may now be sent`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let storage = try await TestLedger(in: folder).storage
            try await storage.registerWebhooks(["a"], at: 0)
            let id = try #require(try await storage.webhookEndpoints().first?.id)
            try await storage.switchWebhook(id, nil, discardingBacklog: false, at: 1)
            #expect(try await storage.runWebhookJob(limit: WebhookDispatcher.batch, at: 1))
            #expect(try await !storage.runWebhookJob(limit: WebhookDispatcher.batch, at: 1))
            try storage.close()
        }
    }

    @Test func `when much is sent again`() async throws {
        try await inPieces(atLeast: Self.count / WebhookDispatcher.batch) { storage in
            let all = ReplayRange(from: 0, to: .max, after: 0, through: .max, limit: 10_000)
            let outcome = try await storage.replay(all, to: FanOutTarget(endpoint: 1) { _, _ in 1 }, at: 5)
            #expect(outcome.deliveries == Self.count)
        }
    }

    @Test func `when much is sent again, also what follows an event of a clock that was ahead`() async throws {
        try await inPieces(atLeast: Self.count / WebhookDispatcher.batch) { storage in
            try await storage.write { db in
                try db.execute(sql: "UPDATE events SET created_at = 9000000000000 WHERE seq = 5")
            }
            let first = ReplayRange(from: 0, to: 1_000_000, after: 0, through: .max, limit: 10_000)
            let outcome = try await storage.replay(first, to: FanOutTarget(endpoint: 1) { _, _ in 1 }, at: 5)
            #expect(outcome == ReplayOutcome(deliveries: Self.count - 1))
        }
    }

    @Test func `when deliveries are made, however many endpoints there are`() async throws {
        let endpoints = Array<Int64>(2...20)
        try await inPieces(atLeast: 20 * endpoints.count) { storage in
            try await storage.registerWebhooks(endpoints.map { "endpoint-\($0)" }, at: 0)
            try await storage.write { try $0.execute(sql: "UPDATE webhook_endpoints SET cursor = 0 WHERE id > 1") }
            let targets = endpoints.map { FanOutTarget(endpoint: $0) { _, _ in 3 } }
            for _ in 0..<20 {
                _ = try await storage.fanOut(to: targets, within: .none, limit: WebhookDispatcher.batch, at: 5)
            }
            while try await storage.letGo(to: endpoints, limit: WebhookDispatcher.batch, at: 5) {}
            let due = try await storage.dueDeliveries(of: 20, at: 5, limit: 9)
            #expect(due.count == 9)
        }
    }
}
