import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import MemoryLedger
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite
@testable import LedgerServices

// Damaged records of purchases.
extension `Damaged ledger rows` {
    @Test func `A damaged record delays the consumption answer of its own purchase only`() async throws {
        try await World.run(server: { $0.apps[0].consumption = ConsumptionPolicy(defaultConsent: true) }) { world in
            let (simulator, storage) = (world.simulator, try world.sqlite)
            simulator.configure { $0.refundDecision = .byCommand }
            let fault = try simulator.add(Fault("route:send-consumption", .status(code: 403)))
            var originals: [String] = []
            for customer in ["anna", "ben"] {
                originals.append(try await Self.buy(world, customer, "com.example.coins.100"))
                try await world.waitUntilIdle()
                try await simulator.perform(.requestRefund(customer: customer))
                try await world.waitUntilIdle()
                // Each request has another deadline.
                try await simulator.advance(by: 1)
            }
            for original in originals { _ = try await world.inquiry(about: original) { $0.attempts > 0 } }
            try await Self.damage(originals[0], storage)
            try simulator.removeFault(fault)
            try await simulator.advance(by: 3600)
            let bens = try await world.inquiry(about: originals[1]) { $0.state != .pending }
            #expect(bens.state == .sent)
            let annas = try await world.inquiry(about: originals[0]) { $0.answer == "storage_damaged" }
            #expect(annas.state == .pending)
            try await Self.rebuild(world)
            try await simulator.advance(by: 3600)
            let answered = try await world.inquiry(about: originals[0]) { $0.state != .pending }
            #expect(answered.state == .sent)
        }
    }

    @Test func `A consumption request whose record stays damaged is missed with storage_damaged`() async throws {
        try await World.run(server: { $0.apps[0].consumption = ConsumptionPolicy() }) { world in
            let simulator = world.simulator
            simulator.configure { $0.refundDecision = .byCommand }
            let original = try await Self.buy(world, "anna", "com.example.coins.100")
            try await world.waitUntilIdle()
            try await simulator.perform(.requestRefund(customer: "anna"))
            try await world.waitUntilIdle()
            _ = try await world.inquiry(about: original) { $0.answer == "no_consent" }
            try await Self.damage(original, world.sqlite)
            try await simulator.advance(by: 12 * 3600 + 1)
            let missed = try await world.inquiry(about: original) { $0.state != .pending }
            #expect(missed.state == .missed && missed.answer == "storage_damaged")
        }
    }

    @Test func `A damaged record delays the history request of its own purchase only`() async throws {
        try await World.run { world in
            let originals = [try await Self.buy(world, "anna"), try await Self.buy(world, "ben")]
            try await world.waitUntilIdle()
            let (core, storage, appEnvironment) = (
                try world.server.core, try world.sqlite, try world.appEnvironment()
            )
            try await Self.damage(originals[0], storage)
            try await storage.add(requests: originals, in: appEnvironment.id, because: .restore, at: 0)
            try await core.recovery.runHistoryRequests()
            let left = try await storage.dueHistoryRequests(in: appEnvironment.id, at: .max, limit: 10)
            #expect(left.map(\.transactionID) == [originals[0]])
            let named = try await world.completeness().missingItems.historyRequests
            #expect(named.map(\.failure) == ["storage_damaged"] && named.allSatisfy { !$0.isGivenUp })
            try await Self.rebuild(world)
            try await world.simulator.advance(by: 86_400)
            try await core.recovery.runHistoryRequests()
            let missing = try await storage.missingCounts(in: appEnvironment.id)
            #expect(missing.historyRequests == 0 && missing.failedHistoryRequests == 0)
        }
    }

    @Test func `A damaged record does not stop the history pass over later purchases`() async throws {
        try await World.run { world in
            var originals: [String] = []
            for customer in ["anna", "ben", "carl"] { originals.append(try await Self.buy(world, customer)) }
            try await world.waitUntilIdle()
            let (core, storage, appEnvironment) = (
                try world.server.core, try world.sqlite, try world.appEnvironment()
            )
            try await core.recovery.runNow()
            try world.simulator.add(Fault("notification:*", .drop))
            // Longer than the App Store keeps its notification history: only transaction histories have the renewals.
            try await world.simulator.advance(by: 220 * 86_400)
            let first = try #require(originals.min())
            try await Self.damage(first, storage)
            try await core.recovery.runNow()
            #expect(try await storage.historyPass(in: appEnvironment.id)?.finishedAt != nil)
            for original in originals where original != first {
                #expect(try await storage.lineage(original, in: appEnvironment.id)?.transactions.count == 8)
            }
            let completeness = try await world.completeness()
            #expect(completeness.missing.retryingHistoryRequests == 1)
            #expect(completeness.missingItems.historyRequests.map(\.transactionID) == [first])
        }
    }

    @Test func `A damaged record does not stop a file import from importing other customers`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            let anna = try await Self.buy(world, "anna")
            try await world.waitUntilIdle()
            try simulator.add(Fault("notification:*", .drop))
            let ben = try await Self.buy(world, "ben")
            try await Self.damage(anna, world.sqlite)
            let file = world.folder.appending(path: "customers.txt")
            try Data("\(anna)\n\(ben)\n".utf8).write(to: file)
            try await world.stopServer()
            let progress = try await world.importCustomers(file, in: [.production])
            #expect(progress.lines == 2 && progress.failed == 0 && progress.deferred == 1)
            try await world.startServer()
            #expect(try await world.server.core.storage.lineage(ben, in: world.appEnvironment().id) != nil)
            #expect(try await world.completeness().missingItems.historyRequests.map(\.transactionID) == [anna])
        }
    }

    @Test func `A damaged record is left out of purchase lists, and others are listed`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let (storage, scope) = (ledger.sqlite, ledger.appEnvironment.id)
            for original in ["1", "2", "3"] {
                let fact = TransactionFact(
                    transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
                    purchaseDate: World.start, signedDate: World.start, revocationDate: World.start)
                let signedFact = SignedFact(
                    scope: scope, fact: .transaction(fact), origin: .app, receivedAt: 0,
                    text: "text \(original)")
                _ = try await storage.commit([signedFact])
            }
            func listed() async throws -> (refunded: [String], unclaimed: [String]) {
                let now = (World.start + 3600).milliseconds
                let members = try await storage.members(SegmentQuery(.refunded, in: scope, at: now, limit: 9))
                let purchases = try await storage.unclaimedPurchases(in: scope, after: "", limit: 9)
                let refunded = members.items.map(\.lineage.originalTransactionID)
                return (refunded, purchases.items.map(\.originalTransactionID))
            }
            let before = try await listed()
            #expect(before.refunded == ["1", "2", "3"] && before.unclaimed == ["1", "2", "3"])
            try await Self.damage("1", storage)
            let after = try await listed()
            #expect(after.refunded == ["2", "3"] && after.unclaimed == ["2", "3"])
            try storage.close()
        }
    }

    @Test func `A subscription that continues a damaged one is stored`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try await TestLedger(in: folder)
            let storage = ledger.sqlite
            func signedFact(_ original: String, after former: String?) -> SignedFact {
                var fact = TransactionFact(
                    transactionID: original, originalTransactionID: original, productID: "gold",
                    type: .autoRenewableSubscription, purchaseDate: World.start, expiresDate: World.start + 86_400,
                    signedDate: World.start)
                fact.previousOriginalTransactionID = former
                return SignedFact(
                    scope: ledger.appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0,
                    text: "text \(original)")
            }
            _ = try await storage.commit([signedFact("1", after: nil)])
            try await Self.damage("1", storage)
            #expect(try await storage.commit([signedFact("2", after: "1")]) == 1)
            #expect(try await storage.lineage("2", in: ledger.appEnvironment.id)?.transactions.count == 1)
            try storage.close()
        }
    }
}
