internal import LedgerServices
import CounterfoilServer
import Foundation
import GRDB
import Synchronization
import Ledger
import LedgerSQLite

/// How long a commit has to wait while much is done about webhooks: an endpoint is removed, its backlog given up or sent at
/// once, events are sent again or made into deliveries. The App Store waits for commits, so none of it may hold one up long.
enum OutboxBenchmarks {
    /// How long one kind of work is watched, in seconds.
    private static let watched = Duration.seconds(40)
    /// How much is written in one piece, as the server does.
    private static let piece = WebhookDispatcher.batch

    /// `outbox EVENTS`: makes a ledger with so many events and one endpoint that waits for all of them.
    static func run(_ arguments: [String]) async throws {
        guard arguments.count <= 1, let events = Int(arguments.first ?? "100000"), events >= 1000 else {
            throw StorageError(.failed, "outbox EVENTS, at least 1000 of them")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-outbox-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = SQLiteStorage.Options()
        // Commits do not wait for the disk here: when that stands still, for a second or two, no measure is left of the work.
        options.isSynchronous = false
        let storage = try SQLiteStorage(path: folder.appending(path: "ledger.db").path, options: options)
        try await fill(storage, events)
        // Filling leaves a log of gigabytes, as no server ever has: the commit that cuts it is not one of those measured.
        try await storage.pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try await measure(storage, events)
        try storage.close()
    }

    private static func measure(_ storage: SQLiteStorage, _ events: Int) async throws {
        try await watch("nothing", storage) { ends in
            // What a commit takes by itself.
            while ends.timeIntervalSinceNow > watched / .seconds(2) { try await Task.sleep(for: .milliseconds(100)) }
        }
        try await watch("replay", storage) { try await replay(1, storage, until: $0) }
        try await watch("replay.unwanted", storage) { try await replay(0, storage, until: $0) }
        try await storage.registerWebhooks((2...20).map { "endpoint-\($0)" }, at: 0)
        try await storage.pool.write { try $0.execute(sql: "UPDATE webhook_endpoints SET cursor = 0 WHERE id > 1") }
        // Their numbers do not follow each other: the small commits beside it have used some up.
        let endpoints = try await storage.webhookEndpoints().map(\.id).filter { $0 > 1 }
        try await watch("fan-out", storage) { ends in
            let targets = endpoints.map { FanOutTarget(endpoint: $0) { _, _ in 1 } }
            while ends > Date(),
                try await storage.fanOut(to: targets, within: .none, limit: piece, at: 5) == .more
            {}
        }
        try await storage.switchWebhook(1, nil, discardingBacklog: false, at: 5)
        try await watch("resume", storage) { try await jobs(storage, until: $0) }
        try await storage.switchWebhook(1, nil, discardingBacklog: true, at: 5)
        try await watch("discard", storage) { try await jobs(storage, until: $0) }
        try await storage.removeWebhook(1)
        try await watch("remove", storage) { try await jobs(storage, until: $0) }
    }

    /// Sends everything again, in so many deliveries each.
    private static func replay(_ deliveries: Int, _ storage: SQLiteStorage, until end: Date) async throws {
        var range = ReplayRange(from: 0, to: .max, after: 0, through: .max, limit: 10_000)
        let target = FanOutTarget(endpoint: 1) { _, _ in deliveries }
        while end > Date(), let last = try await storage.replay(range, to: target, at: 5).last { range.after = last }
    }

    private static func jobs(_ storage: SQLiteStorage, until end: Date) async throws {
        while end > Date(), try await storage.runWebhookJob(limit: piece, at: 5) {}
    }

    /// How long commits took.
    private final class Waits: Sendable {
        let all = Mutex([(wait: Duration, at: Duration)]())
    }

    /// Does something, at most for ``watched``, and reports the longest that a small commit beside it took.
    private static func watch(
        _ name: String, _ storage: SQLiteStorage, _ work: @escaping @Sendable (_ until: Date) async throws -> Void
    ) async throws {
        let waits = Waits()
        let start = ContinuousClock.now
        let end = Date(timeIntervalSinceNow: watched / .seconds(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    let begin = ContinuousClock.now
                    try await storage.registerWebhooks(["full"], at: 0)
                    waits.all.withLock { $0.append((begin.duration(to: .now), start.duration(to: begin))) }
                }
            }
            try await work(end)
            group.cancelAll()
            // The one under way is counted; that it was cancelled is no failure.
            do { try await group.waitForAll() } catch is CancellationError {}
        }
        let sorted = waits.all.withLock { $0.sorted { $0.wait < $1.wait } }
        guard let longest = sorted.last else { return }
        report("outbox.\(name).longest-wait", longest.wait / .milliseconds(1), "ms")
        report("outbox.\(name).longest-wait-at", longest.at / .seconds(1), "s")
        report("outbox.\(name).p99-wait", sorted[sorted.count * 99 / 100].wait / .milliseconds(1), "ms")
    }

    /// Events of ten a customer, each waiting for the first endpoint.
    private static func fill(_ storage: SQLiteStorage, _ count: Int) async throws {
        try await storage.registerWebhooks(["full"], at: 0)
        let begin = ContinuousClock.now
        for start in stride(from: 1, through: count, by: 100_000) {
            try await storage.pool.write { db in
                try db.execute(
                    sql: """
                        WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
                        INSERT INTO events
                            (seq, id, scope, type, original_id, customer, notification, occurred_at, created_at)
                        SELECT n, 'evt_' || n, 1, 'subscription.renewed', n % ?3, 'customer ' || (n % ?3), n, n, n
                        FROM numbers
                        """, arguments: [start, min(count, start + 99_999), count / 10 + 1])
                try db.execute(
                    sql: """
                        INSERT INTO deliveries
                            (endpoint, event, variant, lane, purchase, happened_at, state, attempts, due, created_at)
                        SELECT 1, seq, 0, '1 customer ' || customer, '1 purchase ' || original_id, occurred_at, 0, 0,
                            CASE WHEN seq < ?3 THEN 9e15 END, 1 FROM events WHERE seq BETWEEN ?1 AND ?2
                        """, arguments: [start, min(count, start + 99_999), count / 10 + 1])
            }
        }
        report("outbox.fill", begin.duration(to: .now) / .seconds(1), "s")
    }
}
