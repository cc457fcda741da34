import CounterfoilServer
import Foundation
import GRDB
import Ledger
import LedgerSQLite
internal import LedgerServices
import Synchronization

/// Measures how long a commit waits during large webhook operations: removal of an endpoint, discarding or resuming its
/// backlog, replay, and fan-out of events to deliveries. The App Store waits for commits, so these must not delay one
/// for long.
enum OutboxBenchmarks {
    /// The maximum time for each operation.
    private static let timeLimit = Duration.seconds(40)
    /// The batch size, as in the server.
    private static let batch = WebhookDispatcher.batch

    /// `outbox EVENTS`: creates a ledger with this many events, all pending for one endpoint.
    static func run(_ arguments: [String]) async throws {
        guard arguments.count <= 1, let events = Int(arguments.first ?? "100000"), events >= 1000 else {
            throw StorageError(.failed, "usage: outbox EVENTS, with at least 1000 events")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-outbox-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = SQLiteStorage.Options()
        // Do not wait for the disk: its stalls of a second or two would hide the effect of the operations.
        options.isSynchronous = false
        let storage = try SQLiteStorage(path: folder.appending(path: "ledger.db").path, options: options)
        try await fill(storage, events)
        // Truncate the write-ahead log, which filling has grown to gigabytes, so that no measured commit has to do it.
        try await storage.pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try await measure(storage, events)
        try storage.close()
    }

    private static func measure(_ storage: SQLiteStorage, _ events: Int) async throws {
        try await measureCommits("nothing", storage) { ends in
            // Measure commits without another operation, for half the time limit.
            while ends.timeIntervalSinceNow > timeLimit / .seconds(2) { try await Task.sleep(for: .milliseconds(100)) }
        }
        try await measureCommits("replay", storage) { try await replay(1, storage, until: $0) }
        try await measureCommits("replay.unwanted", storage) { try await replay(0, storage, until: $0) }
        try await storage.registerWebhooks((2...20).map { "endpoint-\($0)" }, at: 0)
        try await storage.pool.write { try $0.execute(sql: "UPDATE webhook_endpoints SET cursor = 0 WHERE id > 1") }
        // Read the endpoints' numbers, which are not consecutive: the concurrent commits have used some.
        let endpoints = try await storage.webhookEndpoints().map(\.id).filter { $0 > 1 }
        try await measureCommits("fan-out", storage) { ends in
            while ends > Date(),
                try await storage.fanOut(
                    to: endpoints, by: { FanOutTarget(endpoint: $0.id) { _, _ in 1 } }, within: .none, limit: batch,
                    at: 5) == .more
            {}
        }
        try await storage.switchWebhook(1, nil, discardingBacklog: false, changingTo: nil, at: 5)
        try await measureCommits("resume", storage) { try await jobs(storage, until: $0) }
        try await storage.switchWebhook(1, nil, discardingBacklog: true, changingTo: nil, at: 5)
        try await measureCommits("discard", storage) { try await jobs(storage, until: $0) }
        try await storage.removeWebhook(1)
        try await measureCommits("remove", storage) { try await jobs(storage, until: $0) }
    }

    /// Replays all events, with this many deliveries for each.
    private static func replay(_ deliveries: Int, _ storage: SQLiteStorage, until end: Date) async throws {
        var range = ReplayRange(from: 0, to: .max, after: 0, through: .max, limit: 10_000)
        let target = FanOutTarget(endpoint: 1) { _, _ in deliveries }
        while end > Date(), let last = try await storage.replay(range, to: target, at: 5).last { range.after = last }
    }

    private static func jobs(_ storage: SQLiteStorage, until end: Date) async throws {
        while end > Date(), try await storage.runWebhookJob(limit: batch, at: 5) {}
    }

    /// The measured times of commits.
    private final class Waits: Sendable {
        let all = Mutex([(wait: Duration, at: Duration)]())
    }

    /// Runs an operation, at most for ``timeLimit``, and reports the times of small concurrent commits.
    private static func measureCommits(
        _ name: String, _ storage: SQLiteStorage, _ work: @escaping @Sendable (_ until: Date) async throws -> Void
    ) async throws {
        let waits = Waits()
        let start = ContinuousClock.now
        let end = Date(timeIntervalSinceNow: timeLimit / .seconds(1))
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
            // Wait for the running commit. Its cancellation is not a failure.
            do { try await group.waitForAll() } catch is CancellationError {}
        }
        let sorted = waits.all.withLock { $0.sorted { $0.wait < $1.wait } }
        guard let longest = sorted.last else { return }
        report("outbox.\(name).longest-wait", longest.wait / .milliseconds(1), "ms")
        report("outbox.\(name).longest-wait-at", longest.at / .seconds(1), "s")
        report("outbox.\(name).p99-wait", sorted[sorted.count * 99 / 100].wait / .milliseconds(1), "ms")
    }

    /// Inserts events, ten for each customer, all pending for the first endpoint.
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
