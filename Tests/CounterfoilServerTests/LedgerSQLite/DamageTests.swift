import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import Logging
import MemoryLedger
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite
@testable import LedgerServices

/// An unreadable row of the ledger is reported as one failure and blocks no other work.
@Suite(.timeLimit(.minutes(10))) struct `Damaged ledger rows` {
    private static let monthly = "com.example.premium.monthly"

    /// Damages the record of a purchase.
    static func damage(_ original: String, _ storage: SQLiteStorage) async throws {
        try await storage.pool.write { db in
            try db.execute(sql: "UPDATE lineages SET facts = x'01FF' WHERE original_id = ?", arguments: [original])
        }
    }

    static func damage(text id: Int64, _ storage: SQLiteStorage) async throws {
        try await storage.pool.write { db in
            try db.execute(sql: "UPDATE notifications SET text = x'01' WHERE id = ?", arguments: [id])
        }
    }

    /// Makes a customer buy a product. Returns the original transaction.
    static func buy(_ world: World, _ customer: String, _ product: String = monthly) async throws -> String {
        let outcome = try await world.simulator.perform(
            .purchase(customer: customer, product: product, appAccountToken: AppAccountToken(UUID())))
        return try #require(outcome.originalTransactionID)
    }

    static func rebuild(_ world: World) async throws {
        let report = try await LedgerRebuild(world.sqlite, verifier: world.server.core.historical)
            .run(replacing: true)
        try #require(report.isReplaced)
    }

    @Test func `A damaged notification fails alone and is repaired by recovery`() async throws {
        try await World.run { world in
            for customer in ["anna", "ben"] { _ = try await Self.buy(world, customer) }
            try await world.waitUntilIdle()
            let (core, storage, appEnvironment) = (
                try world.server.core, try world.sqlite, try world.appEnvironment()
            )
            var filter = InboxFilter(scopes: [appEnvironment.id])
            let stored = try await storage.notifications(filter, before: .max, limit: 10).items
            try #require(stored.count == 2)
            let first = try #require(stored.last)
            try await Self.damage(text: first.id, storage)
            try await storage.reprocess(stored.map(\.id), at: 0)
            core.processor.rescan()
            try await world.waitUntilIdle()
            filter.state = .failed
            let failed = try await storage.notifications(filter, before: .max, limit: 10).items
            #expect(failed.map(\.id) == [first.id])
            #expect(failed.first?.failure == "storage_damaged" && failed.first?.isDamaged == true)
            let missing = try await world.completeness().missing
            #expect(missing.failedNotifications == 1 && missing.backlog == 0)
            // The damaged notification is listed with all others.
            let all = try await storage.notifications(InboxFilter(scopes: [appEnvironment.id]), before: .max, limit: 10)
                .items
            #expect(all.map(\.id) == stored.map(\.id))
            // Recovery fetches the notification again.
            try await core.recovery.runNow()
            try await world.waitUntilIdle()
            #expect(try await world.completeness().missing.failedNotifications == 0)
            let healed = try await storage.notification(first.uuid)
            #expect(healed?.text == first.text && healed?.state == .processed)
            #expect(try await storage.otherTexts(of: first.id, limit: 1).isEmpty)
        }
    }

    /// Simulates an unreadable disk sector: a trigger makes the commit fail.
    @Test func `A notification whose commit fails does not block the other pending ones`() async throws {
        let log = LogCapture()
        var settings = ServerConfiguration.Log()
        settings.level = .debug
        try await World.run(logger: log.logger(settings)) { world in
            for customer in ["anna", "ben"] { _ = try await Self.buy(world, customer) }
            try await world.waitUntilIdle()
            let (core, storage, appEnvironment) = (
                try world.server.core, try world.sqlite, try world.appEnvironment()
            )
            let filter = InboxFilter(scopes: [appEnvironment.id])
            let stored = try await storage.notifications(filter, before: .max, limit: 10).items
            try #require(stored.count == 2)
            let first = try #require(stored.last).id
            try await world.withFailing(.processing(first)) {
                try await storage.reprocess(stored.map(\.id), at: 0)
                core.processor.rescan()
                // The second failure is logged when the processor reads the inbox again, at the level `debug`.
                try await waitUntil("the commit has failed twice") {
                    log.count(of: "notifications could not be processed") >= 2
                }
                #expect(try await storage.pending(after: .min, limit: 9).map(\.id) == [first])
            }
            try await world.waitUntilIdle()
            #expect(try await storage.pending(after: .min, limit: 9).isEmpty)
        }
        #expect(log.count(of: "error notifications could not be processed") == 1)
        #expect(log.count(of: "the waiting notifications are processed now") == 1)
    }

    @Test func `The event feed omits the contents of a damaged notification only`() async throws {
        try await World.withAPI { world in
            for customer in ["anna", "ben"] { _ = try await world.subscribe(customer) }
            let storage = try world.sqlite
            let filter = InboxFilter(scopes: [try world.appEnvironment().id])
            let first = try #require(try await storage.notifications(filter, before: .max, limit: 10).items.last)
            try await Self.damage(text: first.id, storage)
            let items = try await world.api.get("/v1/events").items
            let data = items.map { $0["data"] as? [String: Any] ?? [:] }
            #expect(data.map { $0["id"] as? String == "evt_\(first.uuid)" } == [true, false])
            #expect(data.map { $0["transaction"] == nil } == [true, false])
        }
    }

    @Test func `A damaged notification is shown as damaged, not as failing verification`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let storage = try world.sqlite
            let filter = InboxFilter(scopes: [try world.appEnvironment().id])
            let first = try #require(try await storage.notifications(filter, before: .max, limit: 1).items.last)
            try await Self.damage(text: first.id, storage)
            let shown = try await world.api.get("/v1/notifications/\(first.uuid)?include=signed_data")
            #expect(shown.status == 200 && shown["signed_data"] == nil)
            let problems = try #require(shown["problems"] as? [[String: Any]])
            #expect(problems.map { $0["part"] as? String } == ["notification"])
            #expect(problems.map { $0["code"] as? String } == ["storage_damaged"])
            let decoded = try await world.api.send("POST", "/v1/decode", body: Data(first.text.utf8))
            let known = try #require(decoded["known"] as? [String: Any])
            #expect(
                known["note"] as? String
                    == "It was received, and is processed. The received text is damaged on disk.")
            #expect((known["differences"] as? [Any] ?? []).isEmpty)
            let entries = try await world.api.get("/v1/customers/\(anna)/timeline").items
            let damaged = entries.filter { $0["sentence"] as? String == "Received, but its text is damaged on disk." }
            #expect(damaged.map { $0["verification_failure"] as? String } == ["storage_damaged"], "\(entries)")
            try await world.simulator.advance(by: 3600)
            let past = world.simulator.core.now.milliseconds - 1
            for path in ["?at=\(past)", "/entitlements/premium/explain?at=\(past)"] {
                let answer = try await world.api.get("/v1/customers/\(anna)\(path)")
                let unverified = try #require(answer["unverified"] as? [[String: Any]], "\(answer.text)")
                #expect(unverified.map { $0["code"] as? String } == ["storage_damaged"])
            }
        }
    }

    @Test func `A damaged signed fact is listed as unverified, and its facts stay`() async throws {
        try await World.withAPI { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: Self.monthly, appAccountToken: .absent))
            let id = try #require(outcome.transactionID)
            let texts = try await world.signedTransactions(of: id)
            let path = "/v1/customers/person-anna"
            #expect(try await world.api.post(path + "/purchases", ["signed_transactions": texts]).status == 200)
            try await world.sqlite.pool.write { db in
                try db.execute(sql: "UPDATE statements SET text = x'01'")
            }
            let why = try await world.api.get(path + "/entitlements/premium/explain")
            #expect(why.status == 200 && (why["facts"] as? [Any])?.isEmpty == false, "\(why.text)")
            let unverified = try #require(why["unverified"] as? [[String: Any]])
            #expect(Set(unverified.compactMap { $0["original_transaction_id"] as? String }) == [id])
            #expect(unverified.allSatisfy { $0["code"] as? String == "storage_damaged" }, "\(unverified)")
        }
    }
}
