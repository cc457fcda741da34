import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite
@testable import LedgerServices

/// Tests of disk errors, file permissions and clock changes.
@Suite struct `Storage failures` {
    /// Makes a purchase in the simulator without notifying the server. Returns the notification's signed payload.
    static func unsentNotification(_ world: World, _ customer: String) async throws -> String {
        world.simulator.configure { $0.notificationURL = nil }
        try await world.simulator.perform(.purchase(customer: customer, product: "com.example.unlock"))
        return try #require(try RandomStoreHistory.payloads(of: world.simulator).last)
    }

    static func post(_ payload: String, to world: World) async throws -> APIResponse {
        try await world.call(.POST, "/apple/notifications", ["signedPayload": payload], key: nil)
    }

    @Test func `A commit waits for the disk unless the configuration disables it`() async throws {
        try await Tool.inTemporaryFolder { folder in
            for (isSynchronous, level) in [(true, 2), (false, 1)] {
                var options = SQLiteStorage.Options()
                options.isSynchronous = isSynchronous
                let path = folder.appending(path: "\(level).sqlite").path
                let storage = try SQLiteStorage(path: path, options: options)
                // 2 is FULL. At lower levels, SQLite does not sync the write-ahead log on commit.
                #expect(try await storage.pool.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == level)
                try storage.close()
            }
        }
    }

    @Test func `A full disk answers 503, and notifications are accepted again when there is space`() async throws {
        try await World.run { world in
            let pool = try world.sqlite.pool
            var payload = try await Self.unsentNotification(world, "anna")
            // A test cannot fill the disk of a running server in another way.
            let pages = try #require(try await pool.read { try Int.fetchOne($0, sql: "PRAGMA page_count") })
            try await pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
            // The existing pages have some free space.
            var answer = try await Self.post(payload, to: world)
            for count in 0..<100 where answer.status == 200 {
                payload = try await Self.unsentNotification(world, "customer-\(count)")
                answer = try await Self.post(payload, to: world)
            }
            #expect(answer.status == 503 && answer.text("code") == "storage_full")
            #expect(answer.flag("retryable") == true && answer.number("backoff_ms") == 5000)
            try await pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
            #expect(try await Self.post(payload, to: world).status == 200)
            try await world.waitUntilIdle()
            let backlog = try await world.server.core.storage.backlog().count
            #expect(backlog == 0)
        }
    }

    @Test func `A damaged record fails its own notifications only, and a rebuild repairs it`() async throws {
        try await World.run { world in
            let (anna, ben) = (try await world.buy("anna"), try await world.buy("ben"))
            let (core, appEnvironment) = (try world.server.core, try world.appEnvironment())
            let original = try await core.storage.lineages(of: anna, in: appEnvironment.id).first?.originalTransactionID
            try await `Damaged ledger rows`.damage(try #require(original), world.sqlite)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.simulator.perform(.cancel(customer: "ben"))
            try await world.waitUntilIdle()
            let bens = try await core.customers.customer(ben, in: appEnvironment, at: nil)
            #expect(bens.states.subscriptions.first?.willRenew == false)
            var filter = InboxFilter(scopes: [appEnvironment.id])
            filter.state = .failed
            let failed = try await core.storage.notifications(filter, before: .max, limit: 10).items
            #expect(failed.map(\.failure) == ["storage_damaged"])
            let error = await #expect(throws: StorageError.self) {
                try await core.customers.customer(anna, in: appEnvironment, at: nil)
            }
            #expect(error?.code == .damaged)

            try await `Damaged ledger rows`.rebuild(world)
            try await core.storage.reprocess([try #require(failed.first?.id)], at: 0)
            core.processor.rescan()
            try await world.waitUntilIdle()
            let annas = try await core.customers.customer(anna, in: appEnvironment, at: nil)
            #expect(annas.states.subscriptions.first?.willRenew == false)
        }
    }

    /// Refusals of maximum size: much data to write with little work.
    static let longRefusals = [Refusal](
        repeating: Refusal(
            receivedAt: 0, code: "test", message: "", sender: nil, body: Data(count: Refusal.maximumBytes)), count: 20)

    @Test func `The write-ahead log is checkpointed while the writer continues`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let storage = try SQLiteStorage(path: path)
            let refusals = Self.longRefusals
            for _ in 0..<80 { try await storage.commit(refusals) }
            try await waitUntil("the checkpoint is done") { try Self.size(path) >= 60 << 20 }
            try storage.close()
        }
    }

    @Test func `The write-ahead log restarts while readers keep their snapshots`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let storage = try SQLiteStorage(path: path)
            let refusal = Refusal(
                receivedAt: 0, code: "test", message: "", sender: nil, body: Data(count: Refusal.maximumBytes))
            let refusals = [Refusal](repeating: refusal, count: 50)
            let limit = RefusalStorageLimit(count: 100, bytes: 1 << 30)
            try await storage.commit(refusals)
            let first = try Self.checkpointSequence(path)
            try await waitUntil("the log restarts") {
                try await storage.commit(refusals)
                try await storage.dropRefusals(beyond: limit)
                // The reader keeps its snapshot of the log.
                let lineages = try await storage.lineages(of: "anna", in: 1)
                #expect(lineages.isEmpty)
                try await Task.sleep(for: .milliseconds(20))
                return try Self.checkpointSequence(path) != first
            }
            try storage.close()
        }
    }

    @Test func `Another program can truncate the write-ahead log of an open ledger`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let storage = try SQLiteStorage(path: path)
            let refusal = Refusal(receivedAt: 0, code: "test", message: "", sender: nil, body: Data())
            try await storage.commit([refusal])
            #expect(try await storage.lineages(of: "anna", in: 1).isEmpty)
            var options = SQLiteStorage.Options()
            options.isOnlyWriter = false
            let reader = try SQLiteStorage(path: path, options: options)
            #expect(try await reader.lineages(of: "anna", in: 1).isEmpty)
            try reader.close()
            // Another program truncates the log, which waits for the readers to release their snapshots.
            let tool = try DatabaseQueue(path: path)
            let isBusy = try await tool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA busy_timeout = 600000")
                return try Bool.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            #expect(isBusy == false)
            try tool.close()
            try await storage.commit([refusal])
            try storage.close()
        }
    }

    @Test func `A read after a commit returns the committed data`() async throws {
        try await World.withAPI { world in
            for name in ["anna", "ben", "carla", "dora"] {
                #expect(try await world.api.get("/v1/customers/\(name)").status == 200)
                let customer = try await world.subscribe(name)
                let answer = try await world.api.get("/v1/customers/\(customer)")
                #expect((answer["subscriptions"] as? [Any])?.count == 1)
            }
        }
    }

    @Test func `A ledger that cannot be written answers 503 until it can`() async throws {
        try await World.run { world in
            let payload = try await Self.unsentNotification(world, "anna")
            try await world.withReadOnlyLedger {
                let refused = try await Self.post(payload, to: world)
                #expect(refused.status == 503 && refused.text("code") == "storage_read_only")
            }
            #expect(try await Self.post(payload, to: world).status == 200)
        }
    }

    @Test func `Damaged pages are reported as damaged, with the possible cause`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let path = folder.appending(path: "ledger.sqlite")
            let ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            var random = SeededGenerator(seed: 1)
            try await ledger.commit(try await ledger.arrivals(of: history), &random)
            try ledger.sqlite.close()
            let good = try Data(contentsOf: path)
            try #require(good.count > 20 * 4096)
            var codes: Set<StorageError.Code> = []
            var saysWhy = false
            // Damage each page except the first, which holds the database header.
            for page in 1..<good.count / 4096 {
                var bad = good
                bad.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xA5, count: 4096))
                try bad.write(to: path)
                do {
                    let storage = try SQLiteStorage(path: path.path)
                    do { _ = try await storage.digest() } catch let error as StorageError {
                        #expect(error.message.contains("damaged"))
                        saysWhy = saysWhy || error.message.contains("or its disk cannot be read (")
                        codes.insert(error.code)
                    }
                    try storage.close()
                } catch let error as StorageError { codes.insert(error.code) }
                for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path.path + suffix) }
            }
            #expect(codes == [.damaged] && saysWhy)
        }
    }

    @Test func `A clock that is set back changes no digest and leaves no notification pending`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            var digests: Set<String> = []
            for step in [60.0, -3600] {
                let ledger = try await TestLedger(in: folder)
                var random = SeededGenerator(seed: 1)
                var now = World.start
                var arrivals: [TestLedger.Arrival] = []
                for arrival in try await ledger.arrivals(of: history) {
                    now += step
                    if case .notification(var received, var processed) = arrival {
                        (received.receivedAt, processed.processedAt) = (now.milliseconds, now.milliseconds)
                        arrivals.append(.notification(received, processed))
                    }
                }
                try await ledger.commit(arrivals, &random)
                digests.insert(try await ledger.sqlite.digest())
                let pending = try await ledger.sqlite.backlog().count
                #expect(pending == 0)
            }
            #expect(digests.count == 1)
        }
    }
}
