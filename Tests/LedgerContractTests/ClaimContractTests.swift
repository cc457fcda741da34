import AppStoreModels
import Entitlements
import Foundation
import Ledger
import TestSupport
import Testing

@Suite struct `The contract of claims and erasures` {
    static let token = RandomFacts.tokens[0]

    private static func purchase(
        _ original: String, named token: String? = nil, continuing previous: String? = nil,
        in appEnvironment: AppEnvironment
    ) -> SignedFact {
        let fact = TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: RandomFacts.start, signedDate: RandomFacts.start,
            appAccountToken: token.flatMap { UUID(uuidString: $0) }, appTransactionID: "x",
            previousOriginalTransactionID: previous)
        return SignedFact(
            scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "text \(original)")
    }

    /// Calls `body` with a ledger that has purchase 1 of the Apple account x.
    static func withLedger(
        _ engine: Engine, named token: String? = nil, _ body: (any LedgerEngine, AppEnvironment) async throws -> Void
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            _ = try await ledger.commit([purchase("1", named: token, in: appEnvironment)])
            try await body(ledger, appEnvironment)
        }
    }

    static func claim(
        _ customer: String, _ originals: [String], account: String? = nil, _ policy: RestorePolicy = .transfer,
        at instant: Milliseconds, in appEnvironment: AppEnvironment
    ) -> Claim {
        Claim(
            customer: customer, scope: appEnvironment.id, originalTransactionIDs: originals, appTransactionID: account,
            policy: policy, claimedAt: instant)
    }

    /// Detects engines that sort the claims of a purchase by their instants as requested.
    @Test(arguments: Engine.allCases, [["anna", "ben"], ["ben", "anna"]])
    func `The last claim applies, also within a millisecond and after the clock was set back`(
        _ engine: Engine, _ customers: [String]
    ) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            for (index, instant) in [(0, 5), (1, 5), (0, 2)] as [(Int, Milliseconds)] {
                let claim = Self.claim(customers[index], ["1"], at: instant, in: appEnvironment)
                _ = try await ledger.claim(claim) { _ in false }
                #expect(try await ledger.owners(of: "1", in: appEnvironment.id) == [customers[index]])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A purchase has its owner at each past instant`(_ engine: Engine) async throws {
        try await Self.withLedger(engine, named: Self.token) { ledger, appEnvironment in
            _ = try await ledger.commit([Self.purchase("2", in: appEnvironment)])
            for var claim in [
                Self.claim("anna", [], account: "x", at: 5, in: appEnvironment),
                Self.claim("ben", ["1"], at: 7, in: appEnvironment),
                Self.claim("cleo", ["1", "2"], at: 9, in: appEnvironment),
            ] {
                claim.overridesNamedAccount = true
                _ = try await ledger.claim(claim) { _ in false }
            }
            func owners(_ original: String, at instant: Milliseconds) async throws -> [String] {
                var owners: [String] = []
                for customer in [Self.token, "anna", "ben", "cleo"] {
                    let held = try await ledger.purchases(ownedBy: customer, in: appEnvironment.id)
                    let purchase = held.first { $0.lineage.originalTransactionID == original }
                    if purchase?.ownership.owners(at: instant).contains(customer) == true { owners.append(customer) }
                }
                return owners
            }
            for (original, instant, owner) in [
                ("1", 6, Self.token), ("1", 7, "ben"), ("1", 9, "cleo"),
                // No earlier owner is known.
                ("2", 0, "anna"), ("2", 8, "anna"), ("2", 9, "cleo"),
            ] as [(String, Milliseconds, String)] {
                #expect(try await owners(original, at: instant) == [owner], "\(original) at \(instant)")
            }
            for original in ["1", "2"] {
                #expect(try await ledger.owners(of: original, in: appEnvironment.id) == ["cleo"])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A claim whose purchases all belong to another customer changes nothing`(_ engine: Engine) async throws {
        try await Self.withLedger(engine, named: Self.token) { ledger, appEnvironment in
            let own = Self.claim(Self.token, ["1"], account: "x", at: 5, in: appEnvironment)
            _ = try await ledger.claim(own) { _ in false }
            var other = Self.claim("ben", ["1"], account: "x", at: 6, in: appEnvironment)
            (other.skipsRefused, other.needsPurchase) = (true, true)
            let digest = try await ledger.digest()
            #expect(try await ledger.claim(other) { _ in false } == .inUse(.signedForAnotherCustomer))
            #expect(try await ledger.digest() == digest)
            #expect(try await ledger.accounts(of: Self.token, in: appEnvironment.id) == ["x"])
            #expect(try await ledger.accounts(of: "ben", in: appEnvironment.id).isEmpty)
            // A claim that names no purchase cannot be refused for one.
            other.originalTransactionIDs = []
            #expect(try await ledger.claim(other) { _ in false } == .granted([]))
            #expect(try await ledger.accounts(of: "ben", in: appEnvironment.id) == ["x"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `A claim does not grant purchases of another Apple account than that of the session`(_ engine: Engine)
        async throws
    {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            var claim = Self.claim("ben", ["1", "2"], at: 5, in: appEnvironment)
            (claim.sessionAccount, claim.skipsRefused) = ("y", true)
            // Purchase 2 is unknown.
            let known = try await ledger.claim(claim) { _ in false }
            #expect(known == .granted(["2"]))
            #expect(try await ledger.owners(of: "1", in: appEnvironment.id).isEmpty)
            claim.skipsRefused = false
            #expect(try await ledger.claim(claim) { _ in false } == .inUse(.boughtByAnotherAccount))
            claim.sessionAccount = "x"
            #expect(try await ledger.claim(claim) { _ in false } == .granted(["1", "2"]))
        }
    }

    @Test(arguments: Engine.allCases)
    func `An Apple account stays with a customer while a purchase claimed with it gives access`(_ engine: Engine)
        async throws
    {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            let own = Self.claim("anna", ["1"], account: "x", .transferIfInactive, at: 5, in: appEnvironment)
            _ = try await ledger.claim(own) { _ in true }
            let other = Self.claim("ben", [], account: "x", .transferIfInactive, at: 6, in: appEnvironment)
            #expect(try await ledger.claim(other) { _ in true } == .inUse(.policy))
            #expect(try await ledger.accounts(of: "anna", in: appEnvironment.id) == ["x"])
            // A purchase that now gives another customer access does not count.
            _ = try await ledger.claim(Self.claim("cleo", ["1"], at: 7, in: appEnvironment)) { _ in true }
            #expect(try await ledger.claim(other) { _ in true } == .granted([]))
            #expect(try await ledger.accounts(of: "ben", in: appEnvironment.id) == ["x"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `The claim of an Apple account that changed its owner too often is refused for that reason`(_ engine: Engine)
        async throws
    {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            for number in 1...100 {
                let claim = Self.claim(
                    number.isMultiple(of: 2) ? "anna" : "ben", [], account: "x", .transferIfInactive,
                    at: Milliseconds(number), in: appEnvironment)
                _ = try await ledger.claim(claim) { _ in false }
            }
            let next = Self.claim("cleo", [], account: "x", .transferIfInactive, at: 101, in: appEnvironment)
            #expect(try await ledger.claim(next) { _ in false } == .inUse(.ownerChangeLimit))
            #expect(try await ledger.accounts(of: "anna", in: appEnvironment.id) == ["x"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `An Apple account stays with a customer while its original purchase of the app gives access`(
        _ engine: Engine
    ) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            let fact = OriginalPurchaseFact(
                applicationVersion: "1.4", appTransactionID: "x", signedDate: RandomFacts.start)
            try await ledger.store([
                OriginalPurchase(
                    scope: appEnvironment.id, subject: "x", kind: .appTransaction, fact: fact, origin: .app,
                    receivedAt: 0,
                    text: "text 2")
            ])
            let own = Self.claim("anna", [], account: "x", .transferIfInactive, at: 5, in: appEnvironment)
            _ = try await ledger.claim(own) { _ in false }
            let other = Self.claim("ben", [], account: "x", .transferIfInactive, at: 6, in: appEnvironment)
            let early: @Sendable (OriginalPurchaseFact) -> Bool = { $0 == fact }
            #expect(
                try await ledger.claim(other, givesAccess: { _ in false }, originalGivesAccess: early)
                    == .inUse(.policy))
            #expect(try await ledger.accounts(of: "anna", in: appEnvironment.id) == ["x"])
            #expect(try await ledger.claim(other) { _ in false } == .granted(["1"]))
            #expect(try await ledger.accounts(of: "ben", in: appEnvironment.id) == ["x"])
        }
    }

    /// Detects engines that pass the purchase alone: it would count as active until its old end.
    @Test(arguments: Engine.allCases)
    func `A purchase that another one continues does not protect itself from a claim`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            let first = Self.claim("anna", ["1"], account: "x", .transferIfInactive, at: 5, in: appEnvironment)
            _ = try await ledger.claim(first) { _ in true }
            let second = Self.claim("ben", ["1"], .transferIfInactive, at: 6, in: appEnvironment)
            let third = Self.claim("ben", [], account: "x", .transferIfInactive, at: 7, in: appEnvironment)
            for claim in [second, third] {
                #expect(try await ledger.claim(claim) { $0.successors.isEmpty } == .inUse(.policy))
            }
            _ = try await ledger.commit([Self.purchase("2", continuing: "1", in: appEnvironment)])
            #expect(try await ledger.claim(second) { $0.successors.map(\.transactionID) != ["2"] } == .granted(["1"]))
            #expect(try await ledger.owners(of: "1", in: appEnvironment.id) == ["ben"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `A claim fails if its customer was erased after the request arrived`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            var claim = Self.claim("anna", ["1"], account: "x", at: 5, in: appEnvironment)
            claim.erasuresKnownUntil = try await ledger.lastErasure(of: "anna", in: appEnvironment) ?? .min
            _ = try await ledger.erase("anna", in: appEnvironment, at: 5)
            #expect(try await ledger.claim(claim) { _ in false } == .overtaken)
            #expect(try await ledger.owners(of: "1", in: appEnvironment.id).isEmpty)
            #expect(try await ledger.accounts(of: "anna", in: appEnvironment.id).isEmpty)
            // A request after the erasure succeeds, even within the same millisecond.
            claim.erasuresKnownUntil = try #require(try await ledger.lastErasure(of: "anna", in: appEnvironment))
            #expect(try await ledger.claim(claim) { _ in false } == .granted(["1"]))
            // The customer can be erased again.
            _ = try await ledger.erase("anna", in: appEnvironment, at: 5)
            #expect(try await ledger.claim(claim) { _ in false } == .overtaken)
        }
    }

    /// Detects engines that move a purchase, an account or a grant without asking the decision.
    @Test(arguments: Engine.allCases)
    func `Merges back and forth move purchases, accounts and grants at most 100 times a day`(
        _ engine: Engine
    ) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            let scope = appEnvironment.id
            let claim = Self.claim("anna", ["1"], account: "y", at: 8, in: appEnvironment)
            _ = try await ledger.claim(claim) { _ in false }
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: scope, at: 9)
            var moved = 0
            for round: Milliseconds in 10..<130 {
                let (one, other) = round.isMultiple(of: 2) ? ("anna", "ben") : ("ben", "anna")
                moved += try await ledger.merge(one, into: other, in: scope, at: round).count
            }
            // The claim was the first change.
            #expect(moved == 99)
            func held(by customer: String) async throws -> [Int] {
                let purchases = try await ledger.lineages(of: customer, in: scope)
                let accounts = try await ledger.accounts(of: customer, in: scope)
                let grants = try await ledger.grants(of: customer, in: scope)
                return [purchases.count, accounts.count, grants.count]
            }
            let (anna, ben) = (try await held(by: "anna"), try await held(by: "ben"))
            #expect(anna == [0, 0, 0] && ben == [1, 1, 1])
            let movedLater = try await ledger.merge("ben", into: "anna", in: scope, at: 86_400_000 + 130)
            #expect(movedLater == ["1"])
            let later = try await held(by: "anna")
            #expect(later == [1, 1, 1])
        }
    }

    /// Detects engines that read a customer's purchases and grants in two queries, from two states.
    @Test(arguments: Engine.allCases)
    func `A customer snapshot reads purchases and grants from one consistent state`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, appEnvironment in
            _ = try await ledger.claim(Self.claim("anna", ["1"], at: 5, in: appEnvironment)) { _ in false }
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: appEnvironment.id, at: 6)
            // Merges move the purchase and the grant back and forth.
            let (first, second) = ("anna", "ben")
            let differences = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<12 {
                    let (one, other) = number.isMultiple(of: 2) ? (first, second) : (second, first)
                    group.addTask {
                        var differences = 0
                        for round: Milliseconds in 10..<20 {
                            if number < 4 {
                                _ = try await ledger.merge(one, into: other, in: appEnvironment.id, at: round)
                            }
                            let found = try await ledger.snapshot(of: one, in: appEnvironment)
                            if found.lineages.count != found.context.grants.count { differences += 1 }
                        }
                        return differences
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(differences == 0)
        }
    }
}
