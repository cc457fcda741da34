import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
internal import NIOHTTP1
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite
@testable import LedgerServices

// Damaged headers, grants, claims and webhook endpoints, and damaged records during an import.
extension `Damaged ledger rows` {
    /// Nearly all texts have the same header, which is stored once.
    @Test func `A damaged header is replaced with the next notification, and all texts are readable again`()
        async throws
    {
        try await World.run { world in
            _ = try await Self.buy(world, "anna")
            try await world.waitUntilIdle()
            try await world.sqlite.pool.write { db in
                try db.execute(sql: "UPDATE headers SET text = 'x' || substr(text, 2)")
            }
            let filter = InboxFilter(scopes: [try world.appEnvironment().id])
            try await world.stopServer()
            try await world.startServer()
            let damaged = try await world.sqlite.notifications(filter, before: .max, limit: 10).items
            #expect(damaged.map(\.isDamaged) == [true])
            _ = try await Self.buy(world, "ben")
            try await world.waitUntilIdle()
            let signed = Set(try RandomStoreHistory.payloads(of: world.simulator))
            try #require(signed.count == 2)
            let stored = try await world.sqlite.notifications(filter, before: .max, limit: 10).items
            #expect(Set(stored.map(\.text)) == signed)
            try await world.stopServer()
            try await world.startServer()
            let later = try await world.sqlite.notifications(filter, before: .max, limit: 10).items
            #expect(Set(later.map(\.text)) == signed)
        }
    }

    @Test func `A damaged grant does not delay the expiry of others and expires once it is readable`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
            for (id, until) in [("a", Milliseconds(500)), ("b", 600)] {
                let content = GrantEvent.Content(
                    customer: "anna", entitlement: "premium", until: until, reason: "sorry", actor: "team")
                _ = try await storage.createGrant(id, content, in: scope, at: 100)
            }
            let set = "UPDATE grant_events SET content ="
            try await storage.pool.write { db in
                try db.execute(sql: "CREATE TEMP TABLE good AS SELECT content FROM grant_events WHERE grant_id = 'a'")
                try db.execute(sql: "\(set) 'no JSON' WHERE grant_id = 'a'")
            }
            let expired = try await storage.emitExpiredGrants(at: 1000, limit: 10)
            #expect(expired.count == 2 && expired.damaged == ["a"])
            // Two grants were created, one has expired.
            #expect(try await storage.lastEvent() == 3)
            // The damaged grant is not reported again at each run.
            #expect(try await storage.emitExpiredGrants(at: 2000, limit: 10) == ExpiredGrants(count: 0))
            try await storage.pool.write { db in
                try db.execute(sql: "\(set) (SELECT content FROM temp.good) WHERE grant_id = 'a'")
            }
            #expect(try await storage.emitExpiredGrants(at: 4_000_000, limit: 10) == ExpiredGrants(count: 1))
            #expect(try await storage.lastEvent() == 4)
            try storage.close()
        }
    }

    /// Creating a grant reads the events of the running ones only, because the customer may have had many others.
    @Test func `A damaged grant that has ended does not block new grants`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
            func create(_ id: String, until end: Milliseconds? = nil, at now: Milliseconds) async throws -> Bool {
                let content = GrantEvent.Content(
                    customer: "anna", entitlement: "premium", until: end, reason: "sorry", actor: "team")
                guard case .created = try await storage.createGrant(id, content, in: scope, at: now) else {
                    return false
                }
                return true
            }
            #expect(try await create("a", until: 500, at: 100))
            try await storage.pool.write { db in
                try db.execute(sql: "UPDATE grant_events SET content = 'no JSON' WHERE grant_id = 'a'")
            }
            let refusal = await #expect(throws: StorageError.self) { try await create("b", at: 499) }
            #expect(refusal?.code == .damaged)
            #expect(try await create("b", at: 500))
            try storage.close()
        }
    }

    @Test func `A damaged grant does not block other erasures, and export and rebuild name it`() async throws {
        let verifier = try await RandomStoreHistory.shared.value.verifier
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let (storage, appEnvironment) = (ledger.sqlite, ledger.appEnvironment)
            for (id, customer) in [("a", "anna"), ("b", "ben")] {
                let content = GrantEvent.Content(
                    customer: customer, entitlement: "premium", reason: "sorry", actor: "team")
                _ = try await storage.createGrant(id, content, in: appEnvironment.id, at: 100)
            }
            try await storage.pool.write { db in
                try db.execute(sql: "UPDATE grant_events SET content = 'no JSON' WHERE grant_id = 'a'")
            }
            let report = try await LedgerRebuild(storage, verifier: verifier).run(replacing: false)
            #expect(report.refused == ["grant a: storage_damaged"] && report.differences == 0)
            let refusal = await #expect(throws: StorageError.self) { try await LedgerExport.make(of: storage) { _ in } }
            #expect(refusal?.code == .damaged && refusal?.message.contains("grant a") == true)
            #expect(try await storage.erase("ben", in: appEnvironment, at: 200).grants == 1)
            try await storage.applyErasures(in: [appEnvironment.id])
            let other = await #expect(throws: StorageError.self) {
                try await storage.erase("anna", in: appEnvironment, at: 300)
            }
            #expect(other?.code == .damaged)
            try storage.close()
        }
    }

    @Test func `A rebuild names damaged claims and checks all others`() async throws {
        let verifier = try await RandomStoreHistory.shared.value.verifier
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
            for original in ["1", "2", "3"] {
                let claim = Claim(
                    customer: "anna", scope: scope, originalTransactionIDs: [original], policy: .transfer,
                    claimedAt: 5)
                _ = try await storage.claim(claim) { _ in false }
            }
            try await storage.pool.write { db in
                try db.execute(
                    sql: """
                        UPDATE claim_events SET kind = 9 WHERE subject = '1';
                        DELETE FROM claims WHERE original_id = '3';
                        """)
            }
            let report = try await LedgerRebuild(storage, verifier: verifier).run(replacing: true)
            #expect(report.refused == ["claims of 1: storage_damaged"] && !report.isReplaced)
            #expect(report.differences == 1 && report.facts == 3)
            try storage.close()
        }
    }

    @Test func `A damaged record ends an import, which succeeds after a rebuild`() async throws {
        let history = try await RandomStoreHistory.shared.value
        try await Tool.inTemporaryFolder { folder in
            let (ledger, other) = (try await TestLedger(in: folder), try await TestLedger(in: folder))
            var random = SeededGenerator(seed: 1)
            try await ledger.commit(try await ledger.arrivals(of: history), &random)
            let file = folder.appending(path: "export.jsonl")
            let digest = try await ledger.sqlite.export(to: file).digest
            let original = try #require(history.transactions.first?.payload.originalTransactionId)
            try await other.sqlite.pool.write { db in
                try db.execute(
                    sql: "INSERT INTO lineages (scope, original_id, facts) VALUES (?, ?, x'01FF')",
                    arguments: [other.appEnvironment.id, original])
            }
            let reading = LedgerImport(other.sqlite, verifier: history.verifier, scopes: other.scopes, at: .now)
            let error = await #expect(throws: StorageError.self) {
                try await reading.run(try FileHandle(forReadingFrom: file))
            }
            #expect(error?.code == .damaged && error?.message.contains("`counterfoil ledger rebuild`") == true)
            #expect(error?.message.contains("Import the file again after that") == true)
            let rebuild = LedgerRebuild(other.sqlite, verifier: history.verifier)
            #expect(try await rebuild.run(replacing: true).isReplaced)
            #expect(try await reading.run(try FileHandle(forReadingFrom: file)).refusals == 0)
            #expect(try await other.sqlite.digest() == digest)
            for storage in [ledger.sqlite, other.sqlite] { try storage.close() }
        }
    }

    @Test func `A damaged endpoint does not delay others and gets its events once it is readable`() async throws {
        try await World.runWithWebhooks { world, receiver in
            let (webhooks, storage) = (try world.server.core.webhooks, try world.sqlite)
            _ = try await webhooks.add(World.webhook("broken", receiver.url + "/broken"))
            let condition = "WHERE name = 'broken'"
            try await storage.pool.write { db in
                try db.execute(sql: "UPDATE webhook_endpoints SET definition = '{' || definition \(condition)")
            }
            webhooks.reload()
            _ = try await world.buy("anna")
            try await world.deliverWebhooks()
            #expect(receiver.take().map(\.path) == ["/backend"])
            #expect(try await webhooks.managedWebhooks().map(\.definition.name) == ["backend"])
            try await storage.pool.write { db in
                try db.execute(sql: "UPDATE webhook_endpoints SET definition = substr(definition, 2) \(condition)")
            }
            webhooks.reload()
            try await world.deliverWebhooks()
            #expect(receiver.take().map(\.path) == ["/broken"])
        }
    }

    @Test func `An unknown webhook job does not run forever and holds up no other job`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let storage = try await TestLedger(in: folder).sqlite
            try await storage.registerWebhooks(["a"], at: 0)
            let id = try #require(try await storage.webhookEndpoints().first?.id)
            try await storage.pool.write { db in
                try db.execute(sql: "INSERT INTO webhook_chores VALUES (0, 'unknown', 0, 0)")
            }
            try await storage.removeWebhook(id)
            var runs = 0
            while runs < 9, try await storage.runWebhookJob(limit: 10, at: 0) { runs += 1 }
            #expect(runs < 9)
            let left = try await storage.read { db in try db.all("SELECT kind FROM webhook_chores", []) { $0.text(0) } }
            #expect(left == ["unknown"])
            try storage.close()
        }
    }

    @Test func `A damaged endpoint can be removed with a key for all apps and environments`() async throws {
        let sandbox = "key-of-the-sandbox-with-enough-letters"
        try await World.runWithWebhooks({ configuration, _ in
            configuration.keys.append(
                .init(
                    name: "sandbox", hash: APIKeyText.hash(of: sandbox), scopes: [.webhooksWrite],
                    environments: [.sandbox]))
        }) { world, receiver in
            let (webhooks, storage) = (try world.server.core.webhooks, try world.sqlite)
            _ = try await webhooks.add(World.webhook("broken", receiver.url + "/broken"))
            try await storage.pool.write { db in
                try db.execute(sql: "UPDATE webhook_endpoints SET definition = '{' WHERE name = 'broken'")
            }
            webhooks.reload()
            #expect(try await world.send(.DELETE, "/v1/webhooks/broken", key: sandbox).status == 404)
            #expect(try await storage.webhookEndpoints().count == 2)
            #expect(try await world.send(.DELETE, "/v1/webhooks/broken").status == 204)
            #expect(try await storage.webhookEndpoints().map(\.name) == ["backend"])
            #expect(try await world.send(.DELETE, "/v1/webhooks/broken").status == 404)
            // An endpoint of the configuration cannot be removed.
            #expect(try await world.send(.DELETE, "/v1/webhooks/backend").status == 409)
        }
    }
}
