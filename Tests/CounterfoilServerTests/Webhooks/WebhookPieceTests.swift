import Foundation
import GRDB
import TestSupport
import Testing

@testable import CounterfoilServer

@Suite struct `What takes long is written in pieces` {
    private static let count = 3000
    /// A delivery changes its own row, and at most two others become due.
    private static let mostRows = 3 * WebhookDispatcher.batch + 1

    /// Does something with a ledger that has many events, waiting for one endpoint, then what is left to do of it.
    private func carryOut(_ begin: (SQLiteStorage) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { folder in
            let storage = try await TestLedger(in: folder).storage
            try await Self.fill(storage)
            try await begin(storage)
            var pieces = 0
            var changes = try await Self.changes(storage)
            while try await storage.carryOutWebhookChore(limit: WebhookDispatcher.batch, at: 5) {
                let now = try await Self.changes(storage)
                #expect(now - changes <= Self.mostRows)
                (pieces, changes) = (pieces + 1, now)
            }
            #expect(pieces >= Self.count / WebhookDispatcher.batch)
            let left = try await storage.nextDelivery(to: [1], after: 5)
            #expect(left == nil)
            try storage.close()
        }
    }

    /// How many rows were ever changed.
    private static func changes(_ storage: SQLiteStorage) async throws -> Int {
        try await storage.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT total_changes()") ?? 0 }
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

    @Test func `when an endpoint is removed`() async throws {
        try await carryOut { try await $0.removeWebhook(1) }
    }

    @Test func `when what waits is given up`() async throws {
        try await carryOut { try await $0.switchWebhook(1, nil, discardingBacklog: true, at: 5) }
    }

    @Test func `when an endpoint is switched on again`() async throws {
        try await carryOut { try await $0.switchWebhook(1, nil, discardingBacklog: false, at: 5) }
    }
}
