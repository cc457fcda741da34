import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `The contract of damaged records` {
    /// A refunded purchase with an Apple account of its own.
    private static func purchase(_ original: String, in appEnvironment: AppEnvironment) -> SignedFact {
        let fact = TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: RandomFacts.start, signedDate: RandomFacts.start, revocationDate: RandomFacts.start,
            appTransactionID: "account \(original)", previousOriginalTransactionID: original == "2" ? "1" : nil)
        return SignedFact(
            scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "text \(original)")
    }

    /// Calls `body` with a ledger that has three purchases without an owner.
    private static func withLedger(
        _ engine: Engine, _ body: (any LedgerEngine, AppEnvironment) async throws -> Void
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let signedFacts = ["1", "2", "3"].map { purchase($0, in: appEnvironment) }
            #expect(try await ledger.commit(signedFacts) == 3)
            try await body(ledger, appEnvironment)
        }
    }

    private static func isRefusedAsDamaged(_ body: () async throws -> Void) async -> Bool {
        do { try await body() } catch { return (error as? StorageError)?.code == .damaged }
        return false
    }

    @Test(arguments: Engine.allCases)
    func `A query for a damaged purchase throws, and lists skip it`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            let id = appEnvironment.id
            try await engine.damaging(record: "2", in: id, of: ledger) {
                #expect(await Self.isRefusedAsDamaged { _ = try await ledger.lineage("2", in: id) })
                #expect(
                    await Self.isRefusedAsDamaged { _ = try await ledger.notifications(about: "2", in: id, limit: 9) })
                #expect(await Self.isRefusedAsDamaged { _ = try await ledger.sameAccountPurchases(of: ["2"], in: id) })
                #expect(
                    await Self.isRefusedAsDamaged { _ = try await ledger.lineages(ofAccounts: ["account 2"], in: id) })
                #expect(try await ledger.originalTransactionID(of: "2", in: id) == "2")
                #expect(try await ledger.identifiersOfSameAccountPurchases(of: ["2"], in: id) == ["2"])
                #expect(try await ledger.owners(of: "2", in: id).isEmpty)
                #expect(try await ledger.lineage("1", in: id) != nil)
                #expect(try await ledger.successors(of: "1", in: id).isEmpty)
                let summaries = try await ledger.summaries(after: "", in: id, limit: 9)
                #expect(summaries.map(\.originalTransactionID) == ["1", "2", "3"])
                #expect(summaries.map(\.isDamaged) == [false, true, false])
                for limit in [1, 2, 9] {
                    var (found, after): ([String], String?) = ([], "")
                    while let place = after, found.count < 9 {
                        let page = try await ledger.unclaimedPurchases(in: id, after: place, limit: limit)
                        (found, after) = (found + page.items.map(\.originalTransactionID), page.next)
                    }
                    #expect(found == ["1", "3"], "\(limit)")
                }
            }
            #expect(try await ledger.successors(of: "1", in: id).count == 1)
            let repaired = try await ledger.summaries(after: "", in: id, limit: 9)
            #expect(repaired.map(\.isDamaged) == [false, false, false])
        }
    }

    /// Detects engines that return the readable rest of a customer's purchases.
    @Test(arguments: Engine.allCases)
    func `A query for all purchases of a customer throws if one is damaged, but not for other customers`(
        _ engine: Engine
    ) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            let id = appEnvironment.id
            for (customer, originals) in [("anna", ["1", "2"]), ("ben", ["3"])] {
                let claim = Claim(
                    customer: customer, scope: id, originalTransactionIDs: originals, policy: .transfer, claimedAt: 5)
                _ = try await ledger.claim(claim) { _ in true }
            }
            try await engine.damaging(record: "2", in: id, of: ledger) {
                let end = TimelinePosition(date: .max)
                #expect(await Self.isRefusedAsDamaged { _ = try await ledger.lineages(of: "anna", in: id) })
                #expect(await Self.isRefusedAsDamaged { _ = try await ledger.snapshot(of: "anna", in: appEnvironment) })
                #expect(await Self.isRefusedAsDamaged { _ = try await ledger.purchases(ownedBy: "anna", in: id) })
                #expect(
                    await Self.isRefusedAsDamaged {
                        _ = try await ledger.timeline(of: "anna", in: id, after: end, limit: 9)
                    })
                let owners = try await ledger.owners(of: "2", in: id)
                #expect(owners == ["anna"])
                #expect(try await ledger.lineages(of: "ben", in: id).map(\.originalTransactionID) == ["3"])
                #expect(try await ledger.purchases(ownedBy: "ben", in: id).count == 1)
            }
            #expect(try await ledger.lineages(of: "anna", in: id).count == 2)
        }
    }

    /// Detects engines that keep the changes made before the damaged record.
    @Test(arguments: Engine.allCases)
    func `A commit, claim or merge that involves a damaged purchase changes nothing`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            let (id, digest) = (appEnvironment.id, try await ledger.digest())
            let claim = Claim(
                customer: "anna", scope: id, originalTransactionIDs: ["1", "2"], policy: .transfer, claimedAt: 5)
            try await engine.damaging(record: "2", in: id, of: ledger) {
                let signedFacts = ["4", "2", "5"].map { Self.purchase($0, in: appEnvironment) }
                #expect(await Self.isRefusedAsDamaged { _ = try await ledger.commit(signedFacts) })
                for original in ["4", "5"] { #expect(try await ledger.lineage(original, in: id) == nil) }
                #expect(await Self.isRefusedAsDamaged { _ = try await ledger.claim(claim) { _ in true } })
                let owners = try await ledger.owners(of: "1", in: id)
                #expect(owners.isEmpty)
            }
            #expect(try await ledger.lastEvent() == 0)
            let unchanged = try await ledger.digest()
            #expect(unchanged == digest)

            _ = try await ledger.claim(claim) { _ in true }
            let claimed = try await ledger.digest()
            try await engine.damaging(record: "2", in: id, of: ledger) {
                #expect(
                    await Self.isRefusedAsDamaged { _ = try await ledger.merge("anna", into: "ben", in: id, at: 6) })
            }
            #expect(try await ledger.eventCount() == 2)
            let unmerged = try await ledger.digest()
            #expect(unmerged == claimed)
        }
    }
}
