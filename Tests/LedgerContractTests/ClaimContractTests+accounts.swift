import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

// Owners that change without a claim, because the App Store signs another account.
extension `The contract of claims and erasures` {
    /// A way in which a fact arrives.
    enum Arrival: CaseIterable { case signedFact, notification }

    /// A purchase as it is signed at a second, with one of the tokens of `RandomFacts` or without any.
    private static func fact(_ token: Int?, of original: String = "1", signedAt second: Double) -> TransactionFact {
        TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: RandomFacts.start, signedDate: RandomFacts.start + second,
            appAccountToken: token.flatMap { UUID(uuidString: RandomFacts.tokens[$0]) }, appTransactionID: "x")
    }

    /// Stores the purchase as signed with an account token.
    private static func add(
        _ token: Int?, signedAt second: Int, by arrival: Arrival = .signedFact, at now: Milliseconds = 9,
        to ledger: any LedgerEngine, in scope: Int64
    ) async throws {
        let fact = fact(token, signedAt: Double(second))
        guard arrival == .notification else {
            let signedFact = SignedFact(
                scope: scope, fact: .transaction(fact), origin: .asked, receivedAt: now, text: "text \(second)")
            _ = try await ledger.commit([signedFact])
            return
        }
        let uuid = "00000000-0000-4000-8000-0000000000\(10 + second)"
        let signedDate = fact.signedDate.milliseconds
        let received = ReceivedNotification(
            scope: scope, uuid: uuid, type: "REFUND_DECLINED", signedDate: signedDate, receivedAt: now,
            origin: .delivered, text: "text \(second)")
        let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
        let processed = ProcessedNotification(
            id: id, scope: scope, uuid: uuid, type: .refundDeclined, signedDate: signedDate, transaction: fact,
            processedAt: now)
        _ = try await ledger.commit(received: [], processed: [processed])
    }

    /// The events of changes of owner.
    private static func changes(in ledger: any LedgerEngine) async throws -> [LedgerEvent] {
        try await ledger.firstEvents().map { $0.event }.filter { $0.notification == nil }
    }

    @Test(arguments: Engine.allCases, Arrival.allCases)
    func `Another account token for a purchase that nobody claimed transfers it, once`(
        _ engine: Engine, _ arrival: Arrival
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            try await Self.add(nil, signedAt: 1, by: arrival, to: ledger, in: scope)
            // The first owner.
            try await Self.add(0, signedAt: 2, by: arrival, to: ledger, in: scope)
            #expect(try await Self.changes(in: ledger).isEmpty)
            for now in [20, 21] as [Milliseconds] {
                try await Self.add(1, signedAt: 3, by: arrival, at: now, to: ledger, in: scope)
            }
            // An older version changes nothing.
            try await Self.add(0, signedAt: 2, by: arrival, at: 22, to: ledger, in: scope)
            #expect(try await ledger.owners(of: "1", in: scope) == [RandomFacts.tokens[1]])
            let changes = try await Self.changes(in: ledger)
            let change = try #require(changes.first)
            #expect(changes.count == 1 && change.type == .purchaseTransferred && change.scope == scope)
            #expect(change.originalTransactionID == "1" && change.customer == RandomFacts.tokens[1])
            #expect(change.occurredAt == 20 && change.createdAt == 20 && !change.isLate)
            let (former, present) = (RandomFacts.tokens[0], RandomFacts.tokens[1])
            #expect(change.data == #"{"from":["\#(former)"],"to":["\#(present)"]}"#)
            // The event precedes that of the notification, which names the new owner.
            let last = try #require(try await ledger.firstEvents().map { $0.event }.last { $0.createdAt == 20 })
            #expect(last.customer == present && (last.notification != nil) == (arrival == .notification))
        }
    }

    /// Detects engines that order the purchases of a batch by their identifiers alone, or not at all.
    @Test(arguments: Engine.allCases)
    func `Changes of owner in one batch follow the order of the environments, then of the purchases`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let scopes = walk.scopes.map(\.id)
            try #require(scopes.count == 2 && scopes[0] < scopes[1])
            for token in [0, 1] {
                let facts = [(scopes[1], "1"), (scopes[0], "3"), (scopes[0], "2")].map { scope, original in
                    SignedFact(
                        scope: scope, fact: .transaction(Self.fact(token, of: original, signedAt: Double(token))),
                        origin: .asked, receivedAt: 9, text: "text \(scope) \(original) \(token)")
                }
                _ = try await walk.ledger.commit(facts)
            }
            let changes = try await Self.changes(in: walk.ledger)
            #expect(changes.map(\.originalTransactionID) == ["2", "3", "1"])
            #expect(changes.map(\.scope) == [scopes[0], scopes[0], scopes[1]])
        }
    }

    @Test(arguments: Engine.allCases)
    func `An account token replaces the customer of the Apple account with an event`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            let claim = Self.claim("anna", [], account: "x", at: 5, in: appEnvironment)
            try #require(try await ledger.claim(claim) { _ in false } == .granted(["1"]))
            try await Self.add(0, signedAt: 2, to: ledger, in: appEnvironment.id)
            let changes = try await Self.changes(in: ledger)
            #expect(changes.map(\.type) == [.purchaseLinked, .purchaseTransferred])
            #expect(changes.last?.data == #"{"from":["anna"],"to":["\#(Self.token)"]}"#)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Another account token for a claimed purchase, or for an erased customer, transfers nothing`(
        _ engine: Engine
    ) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            _ = try await ledger.claim(Self.claim("anna", ["1"], at: 5, in: appEnvironment)) { _ in false }
            for token in [0, 1] {
                try await Self.add(token, signedAt: token + 2, to: ledger, in: appEnvironment.id)
            }
            #expect(try await ledger.owners(of: "1", in: appEnvironment.id) == ["anna"])
            #expect(try await Self.changes(in: ledger).map(\.type) == [.purchaseLinked])
        }
        try await engine.withLedger { ledger, appEnvironment in
            let later = RandomFacts.start.milliseconds + 90_000
            _ = try await ledger.erase(RandomFacts.tokens[1], in: appEnvironment, at: later)
            for token in [0, 1] {
                try await Self.add(token, signedAt: token + 2, to: ledger, in: appEnvironment.id)
            }
            let owners = try await ledger.owners(of: "1", in: appEnvironment.id)
            #expect(owners.isEmpty, "\(owners)")
            #expect(try await Self.changes(in: ledger).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `An erasure removes the name of either owner from the event of another account token`(_ engine: Engine)
        async throws
    {
        for erased in [0, 1] {
            try await engine.withLedger { ledger, appEnvironment in
                for token in [0, 1] {
                    try await Self.add(token, signedAt: token + 2, to: ledger, in: appEnvironment.id)
                }
                let before = try await Self.changes(in: ledger)
                try #require(before.count == 1 && before[0].data != nil)
                let later = RandomFacts.start.milliseconds + 90_000
                _ = try await ledger.erase(RandomFacts.tokens[erased], in: appEnvironment, at: later)
                let after = try await Self.changes(in: ledger)
                #expect(after.count == 1 && after[0].data == nil)
                #expect(after.first?.namedCustomer == (erased == 0 ? RandomFacts.tokens[1] : nil))
            }
        }
    }
}
