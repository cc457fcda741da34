@testable import LedgerServices
import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import StoreSimulator
import TestSupport
import Testing
internal import NIOHTTP1

@testable import LedgerSQLite
@testable import Ledger

/// A row of the ledger that cannot be read is one failure, which is told, and holds up nobody else.
@Suite(.timeLimit(.minutes(5))) struct `What is damaged on disk` {
    private static let monthly = "com.example.premium.monthly"

    private static func storage(_ world: World) throws -> SQLiteStorage {
        try #require(try world.server.core.storage as? SQLiteStorage)
    }

    /// Damages the record of a purchase.
    private static func damage(_ original: String, _ storage: SQLiteStorage) async throws {
        try await storage.pool.write { db in
            try db.execute(sql: "UPDATE lineages SET facts = x'01FF' WHERE original_id = ?", arguments: [original])
        }
    }

    private static func damage(text id: Int64, _ storage: SQLiteStorage) async throws {
        try await storage.pool.write { db in
            try db.execute(sql: "UPDATE notifications SET text = x'01' WHERE id = ?", arguments: [id])
        }
    }

    /// Buys something; gives the original transaction.
    private static func buy(_ world: World, _ customer: String, _ product: String = monthly) async throws -> String {
        let outcome = try await world.simulator.perform(
            .purchase(customer: customer, product: product, appAccountToken: AppAccountToken(UUID())))
        return try #require(outcome.originalTransactionID)
    }

    private static func rebuild(_ world: World) async throws {
        let report = try await LedgerRebuild(storage(world), verifier: world.server.core.historical)
            .run(replacing: true)
        try #require(report.isReplaced)
    }

    @Test func `a notification is a failure, and those that wait with it are processed`() async throws {
        try await World.run { world in
            for customer in ["anna", "ben"] { _ = try await Self.buy(world, customer) }
            try await world.settle()
            let (core, storage, scope) = (try world.server.core, try Self.storage(world), try world.scope())
            var filter = InboxFilter(scopes: [scope.id])
            let kept = try await storage.notifications(filter, before: .max, limit: 10).items
            try #require(kept.count == 2)
            let first = try #require(kept.last)
            try await Self.damage(text: first.id, storage)
            try await storage.reprocess(kept.map(\.id), at: 0)
            core.processor.lookAgain()
            try await world.settle()
            filter.state = .failed
            let failed = try await storage.notifications(filter, before: .max, limit: 10).items
            #expect(failed.map(\.id) == [first.id])
            #expect(failed.first?.failure == "storage_damaged" && failed.first?.isDamaged == true)
            let missing = try await world.completeness().missing
            #expect(missing.failedNotifications == 1 && missing.backlog == 0)
            // It is listed with all others.
            let all = try await storage.notifications(InboxFilter(scopes: [scope.id]), before: .max, limit: 10).items
            #expect(all.map(\.id) == kept.map(\.id))
            // The App Store tells it again.
            try await core.recovery.runNow()
            try await world.settle()
            #expect(try await world.completeness().missing.failedNotifications == 0)
            let healed = try await storage.notification(first.uuid)
            #expect(healed?.text == first.text && healed?.state == .folded)
            #expect(try await storage.otherTexts(of: first.id, limit: 1).isEmpty)
        }
    }

    @Test func `a notification that was told says nothing any more in the feed, and all others do`() async throws {
        try await World.withAPI { world in
            for customer in ["anna", "ben"] { _ = try await world.subscriber(customer) }
            let storage = try Self.storage(world)
            let filter = InboxFilter(scopes: [try world.scope().id])
            let first = try #require(try await storage.notifications(filter, before: .max, limit: 10).items.last)
            try await Self.damage(text: first.id, storage)
            let items = try await world.api.get("/v1/events").items
            let data = items.map { $0["data"] as? [String: Any] ?? [:] }
            #expect(data.map { $0["id"] as? String == "evt_\(first.uuid)" } == [true, false])
            #expect(data.map { $0["transaction"] == nil } == [true, false])
        }
    }

    @Test func `a notification is shown as damaged, not as another text or as one that fails verification`()
        async throws
    {
        try await World.withAPI { world in
            let anna = try await world.subscriber("anna")
            let storage = try Self.storage(world)
            let filter = InboxFilter(scopes: [try world.scope().id])
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
                    == "It was received, and is folded. The text that was received is damaged on disk.")
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

    @Test func `a text that came without a notification is listed as unverified, and what it said stays`() async throws
    {
        try await World.withAPI { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: Self.monthly, appAccountToken: .absent))
            let id = try #require(outcome.transactionID)
            let texts = try await world.signedTransactions(of: id)
            let path = "/v1/customers/person-anna"
            #expect(try await world.api.post(path + "/purchases", ["signed_transactions": texts]).status == 200)
            try await Self.storage(world).pool.write { db in
                try db.execute(sql: "UPDATE statements SET text = x'01'")
            }
            let why = try await world.api.get(path + "/entitlements/premium/explain")
            #expect(why.status == 200 && (why["facts"] as? [Any])?.isEmpty == false, "\(why.text)")
            let unverified = try #require(why["unverified"] as? [[String: Any]])
            #expect(Set(unverified.compactMap { $0["original_transaction_id"] as? String }) == [id])
        }
    }

    @Test func `a text that is received takes the place of a damaged one, though a worker still has that`() async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let (storage, scope) = (ledger.storage, ledger.scope.id)
            func receive(_ text: String, signed: Milliseconds) async throws -> Reception? {
                let notification = ReceivedNotification(
                    scope: scope, uuid: "00000000-0000-4000-8000-000000000001", type: "TEST", signedDate: signed,
                    receivedAt: 9, origin: .delivered, text: text)
                return try await storage.commit(receiving: [notification], folding: []).first
            }
            let id = try #require(try await receive("one", signed: 1)?.id)
            // It was processed, and is damaged since.
            try await storage.pool.write { db in try db.execute(sql: "DELETE FROM inbox") }
            try await Self.damage(text: id, storage)
            // What comes may say something else, so it is processed.
            #expect(try await receive("another", signed: 2) == .kept(id))
            let pending = try await storage.pending(after: .min, limit: 9)
            #expect(pending.map(\.text) == ["another"] && pending.map(\.signedDate) == [2])
            #expect(try await storage.failDamaged(id, message: "its text is damaged", at: 9) == false)
            #expect(try await storage.pending(after: .min, limit: 9) == pending)
            #expect(try await receive("another", signed: 2) == .duplicate(id))
            // Nor does it come in the place of one that can be read.
            #expect(try await receive("one", signed: 1)?.id != id)
            try await Self.damage(text: id, storage)
            #expect(try await storage.failDamaged(id, message: "its text is damaged", at: 9))
            let failed = try await storage.failedNotifications(code: "storage_damaged", in: [scope], limit: 9)
            #expect(failed == [id])
            try storage.close()
        }
    }

    @Test func `a record keeps no question before a refund from being answered but its own`() async throws {
        try await World.run(server: { $0.apps[0].consumption = ConsumptionPolicy(defaultConsent: true) }) { world in
            let (simulator, storage) = (world.simulator, try Self.storage(world))
            simulator.configure { $0.refunds = .byCommand }
            let fault = try simulator.add(Fault("route:send-consumption", .status(code: 403)))
            var originals: [String] = []
            for customer in ["anna", "ben"] {
                originals.append(try await Self.buy(world, customer, "com.example.coins.100"))
                try await world.settle()
                try await simulator.perform(.requestRefund(customer: customer))
                try await world.settle()
                // Each has another deadline.
                try await simulator.advance(by: 1)
            }
            for original in originals { _ = try await Self.inquiry(world, original) { $0.attempts > 0 } }
            try await Self.damage(originals[0], storage)
            try simulator.removeFault(fault)
            try await simulator.advance(by: 3600)
            let bens = try await Self.inquiry(world, originals[1]) { $0.state != .pending }
            #expect(bens.state == .sent)
            let annas = try await Self.inquiry(world, originals[0]) { $0.answer == "storage_damaged" }
            #expect(annas.state == .pending)
            try await Self.rebuild(world)
            try await simulator.advance(by: 3600)
            let answered = try await Self.inquiry(world, originals[0]) { $0.state != .pending }
            #expect(answered.state == .sent)
        }
    }

    @Test func `a question that could never be read is missed, and says why`() async throws {
        try await World.run(server: { $0.apps[0].consumption = ConsumptionPolicy() }) { world in
            let simulator = world.simulator
            simulator.configure { $0.refunds = .byCommand }
            let original = try await Self.buy(world, "anna", "com.example.coins.100")
            try await world.settle()
            try await simulator.perform(.requestRefund(customer: "anna"))
            try await world.settle()
            _ = try await Self.inquiry(world, original) { $0.answer == "no_consent" }
            try await Self.damage(original, Self.storage(world))
            try await simulator.advance(by: 12 * 3600 + 1)
            let missed = try await Self.inquiry(world, original) { $0.state != .pending }
            #expect(missed.state == .missed && missed.answer == "storage_damaged")
        }
    }

    /// The question about a purchase, as soon as something holds of it. The server's own service may be the one that answers.
    private static func inquiry(
        _ world: World, _ original: String, when holds: (ConsumptionInquiry) -> Bool
    ) async throws -> ConsumptionInquiry {
        let (core, scope) = (try world.server.core, try world.scope())
        let deadline = ContinuousClock.now + .seconds(60)
        var last: ConsumptionInquiry?
        repeat {
            try await core.consumption.answerDue()
            last = try await core.storage.inquiries(about: [original], in: scope.id, limit: 1).first
            if let last, holds(last) { return last }
            // The server's service needs the processors that this would take.
            try await Task.sleep(for: .milliseconds(5))
        } while ContinuousClock.now < deadline
        Issue.record("it did not come to that: \(last.map { "\($0)" } ?? "there is no question")")
        return try #require(last)
    }

    @Test func `a record keeps no history from being asked for but its own`() async throws {
        try await World.run { world in
            let originals = [try await Self.buy(world, "anna"), try await Self.buy(world, "ben")]
            try await world.settle()
            let (core, storage, scope) = (try world.server.core, try Self.storage(world), try world.scope())
            try await Self.damage(originals[0], storage)
            try await storage.add(requests: originals, in: scope.id, because: .restore, at: 0)
            try await core.recovery.runHistoryRequests()
            let left = try await storage.takeHistoryRequests(at: .max, limit: 10)
            #expect(left.map(\.transactionID) == [originals[0]])
            let named = try await world.completeness().names.histories
            #expect(named.map(\.failure) == ["storage_damaged"] && named.allSatisfy { !$0.isGivenUp })
            try await Self.rebuild(world)
            try await world.simulator.advance(by: 86_400)
            try await core.recovery.runHistoryRequests()
            let counts = try await storage.historyRequestCounts(in: scope.id)
            #expect(counts.waiting == 0 && counts.failed == 0)
        }
    }

    @Test func `a record keeps nobody after it from being looked at`() async throws {
        try await World.run { world in
            var originals: [String] = []
            for customer in ["anna", "ben", "carl"] { originals.append(try await Self.buy(world, customer)) }
            try await world.settle()
            let (core, storage, scope) = (try world.server.core, try Self.storage(world), try world.scope())
            try await core.recovery.runNow()
            try world.simulator.add(Fault("notification:*", .drop))
            // Longer than the App Store keeps its history: only the customers' transactions tell what happened.
            try await world.simulator.advance(by: 220 * 86_400)
            let first = try #require(originals.min())
            try await Self.damage(first, storage)
            try await core.recovery.runNow()
            #expect(try await storage.historyPass(in: scope.id)?.finishedAt != nil)
            for original in originals where original != first {
                #expect(try await storage.lineage(original, in: scope.id)?.transactions.count == 8)
            }
            let completeness = try await world.completeness()
            #expect(completeness.missing.putAside == 1)
            #expect(completeness.names.histories.map(\.transactionID) == [first])
        }
    }

    @Test func `a record keeps no other customer of a file from being brought in`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            let anna = try await Self.buy(world, "anna")
            try await world.settle()
            try simulator.add(Fault("notification:*", .drop))
            let ben = try await Self.buy(world, "ben")
            try await Self.damage(anna, Self.storage(world))
            let file = world.folder.appending(path: "customers.txt")
            try Data("\(anna)\n\(ben)\n".utf8).write(to: file)
            try await world.stopServer()
            let progress = try await OfflineServer.run(
                try world.configuration(), clock: .showing { simulator.core.now }
            ) { core in
                let production = core.recovery.recoverable.filter { $0.environment == .production }
                return try await FileImport(core.importer(production), file: file).run { _ in }
            }
            #expect(progress.lines == 2 && progress.failed == 0 && progress.putAside == 1)
            try await world.startServer()
            #expect(try await world.server.core.storage.lineage(ben, in: world.scope().id) != nil)
            #expect(try await world.completeness().names.histories.map(\.transactionID) == [anna])
        }
    }

    @Test func `a grant keeps no end of another from being told, and is told when it can be read`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let (storage, scope) = (ledger.storage, ledger.scope.id)
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
            // Two were made, one has ended.
            #expect(try await storage.lastEvent() == 3)
            // Nobody is told of it every second.
            #expect(try await storage.emitExpiredGrants(at: 2000, limit: 10) == ExpiredGrants(count: 0))
            try await storage.pool.write { db in
                try db.execute(sql: "\(set) (SELECT content FROM temp.good) WHERE grant_id = 'a'")
            }
            #expect(try await storage.emitExpiredGrants(at: 4_000_000, limit: 10) == ExpiredGrants(count: 1))
            #expect(try await storage.lastEvent() == 4)
            try storage.close()
        }
    }

    @Test func `a subscription that goes on with one that is damaged is kept`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let storage = ledger.storage
            func statement(_ original: String, after former: String?) -> Ledger.Statement {
                var fact = TransactionFact(
                    transactionID: original, originalTransactionID: original, productID: "gold",
                    type: .autoRenewableSubscription, purchaseDate: World.start, expiresDate: World.start + 86_400,
                    signedDate: World.start)
                fact.previousOriginalTransactionID = former
                return Ledger.Statement(
                    scope: ledger.scope.id, fact: .transaction(fact), origin: .app, receivedAt: 0,
                    text: "text \(original)")
            }
            _ = try await storage.commit([statement("1", after: nil)])
            try await Self.damage("1", storage)
            #expect(try await storage.commit([statement("2", after: "1")]) == 1)
            #expect(try await storage.lineage("2", in: ledger.scope.id)?.transactions.count == 1)
            try storage.close()
        }
    }

    @Test func `an endpoint keeps no other from being told, and has what waited when it can be read`() async throws {
        try await World.runTelling { world, receiver in
            let (webhooks, storage) = (try world.server.core.webhooks, try Self.storage(world))
            _ = try await webhooks.add(World.webhook("broken", receiver.url + "/broken"))
            let condition = "WHERE name = 'broken'"
            try await storage.pool.write { db in
                try db.execute(sql: "UPDATE webhook_endpoints SET definition = '{' || definition \(condition)")
            }
            webhooks.reload()
            _ = try await world.buy("anna")
            try await world.tell()
            #expect(receiver.take().map(\.path) == ["/backend"])
            #expect(try await webhooks.managed().map(\.definition.name) == ["backend"])
            try await storage.pool.write { db in
                try db.execute(sql: "UPDATE webhook_endpoints SET definition = substr(definition, 2) \(condition)")
            }
            webhooks.reload()
            try await world.tell()
            #expect(receiver.take().map(\.path) == ["/broken"])
        }
    }

    @Test func `an endpoint can be removed, by a key for all apps`() async throws {
        let sandbox = "key-of-the-sandbox-with-enough-letters"
        try await World.runTelling({ configuration, _ in
            configuration.keys.append(
                .init(
                    name: "sandbox", hash: APIKeyText.hash(of: sandbox), scopes: [.webhooksWrite],
                    environments: [.sandbox]))
        }) { world, receiver in
            let (webhooks, storage) = (try world.server.core.webhooks, try Self.storage(world))
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
            // One of the configuration needs no definition here.
            #expect(try await world.send(.DELETE, "/v1/webhooks/backend").status == 409)
        }
    }
}
