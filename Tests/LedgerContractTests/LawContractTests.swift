import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

/// The laws of the ledger, as far as one engine alone can keep them. `docs/testing.md` lists all tests of each law.
@Suite struct `The contract of the laws of the ledger` {
    /// What is acknowledged is in the database. Detects engines that answer from their memory (headers, counters,
    /// caches), which the next server does not have.
    @Test(arguments: Engine.allCases, 0..<4 as Range<UInt64>)
    func `A ledger that was closed and opened again returns the same, and continues like one that was not`(
        _ engine: Engine, _ seed: UInt64
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let now = RandomFacts.start.milliseconds + 5 * 86_400_000
            var walk = try await Walk(try engine.open(in: folder))
            var other = try await Walk(try engine.open(in: folder))
            for (index, step) in try Step.walk(seed: seed, count: 100).enumerated() {
                if index % 25 == 24 {
                    let before = try await LedgerView.lines(of: walk.ledger, in: walk.scopes, at: now)
                    let digest = try await walk.ledger.digest()
                    walk.ledger = try await engine.reopen(walk.ledger)
                    let after = try await LedgerView.lines(of: walk.ledger, in: walk.scopes, at: now)
                    // Not the lists themselves: a failed expectation would print both completely.
                    let isSame = after == before
                    try #require(isSame, "after step \(index)")
                    #expect(try await walk.ledger.digest() == digest)
                }
                let answer = try await step.run(&walk)
                let expected = try await step.run(&other)
                try #require(answer == expected, "step \(index), \(step.name)")
            }
            let lines = try await LedgerView.lines(of: walk.ledger, in: walk.scopes, at: now)
            let expected = try await LedgerView.lines(of: other.ledger, in: other.scopes, at: now)
            let isSame = lines == expected
            #expect(isSame)
        }
    }

    /// A purchase with a period of 30 days.
    private static func transaction(_ id: String, signedAt second: Double = 0) -> TransactionFact {
        TransactionFact(
            transactionID: id, originalTransactionID: "1", productID: "gold", type: .autoRenewableSubscription,
            purchaseDate: RandomFacts.start, expiresDate: RandomFacts.start + 30 * 86_400,
            signedDate: RandomFacts.start + second)
    }

    private static func signedFact(_ fact: SignedFact.Fact, _ text: String, in scope: Int64) -> SignedFact {
        SignedFact(scope: scope, fact: fact, origin: .app, receivedAt: 0, text: text)
    }

    private static let renewal = RenewalFact(
        originalTransactionID: "1", productID: "gold", autoRenewProductID: "gold", willRenew: false,
        signedDate: RandomFacts.start)

    /// Expiry is not an event. Detects engines that store what is true now, or compare with the clock of the database.
    @Test(arguments: Engine.allCases)
    func `Time passing changes segments and granted entitlements without a write`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let (scope, start, day) = (appEnvironment.id, RandomFacts.start.milliseconds, 86_400_000 as Milliseconds)
            _ = try await ledger.commit([
                Self.signedFact(.transaction(Self.transaction("1")), "one", in: scope),
                Self.signedFact(.renewal(Self.renewal), "two", in: scope),
            ])
            let content = GrantEvent.Content(
                customer: "anna", entitlement: "pro", until: start + 10 * day, reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: scope, at: start)
            let (commits, digest) = (ledger.commits, try await ledger.digest())
            // The clock may be set back.
            let cases: [(days: Int64, members: Int, entitlements: [String])] = [
                (1, 1, ["pro"]), (10, 1, []), (29, 1, []), (30, 0, []), (9, 1, ["pro"]),
            ]
            for expected in cases {
                let now = start + expected.days * day
                let members = try await ledger.count(of: .willNotRenew, in: scope, at: now, limit: 9)
                #expect(members == expected.members, "day \(expected.days)")
                let entitlements = try await ledger.grantedEntitlements(in: scope, at: now)
                #expect(entitlements == expected.entitlements, "day \(expected.days)")
            }
            #expect(ledger.commits == commits)
            #expect(try await ledger.digest() == digest)
        }
    }

    /// Every answer can be explained. Detects engines that drop the text of a fact together with another one.
    @Test(arguments: Engine.allCases)
    func `The text of each fact of a purchase is stored, and that of a replaced version is not among them`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            let received = ReceivedNotification(
                scope: scope, uuid: notificationUUID(1), type: "SUBSCRIBED",
                signedDate: RandomFacts.start.milliseconds, receivedAt: 0, origin: .delivered, text: "notification")
            let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
            let processed = ProcessedNotification(
                id: id, scope: scope, uuid: received.uuid, type: .subscribed, signedDate: received.signedDate,
                transaction: Self.transaction("1"), processedAt: 0)
            _ = try await ledger.commit(received: [], processed: [processed])
            for (text, fact) in [
                ("first", .transaction(Self.transaction("2"))), ("renewal", .renewal(Self.renewal)),
                ("second", .transaction(Self.transaction("2", signedAt: 1))),
            ] as [(String, SignedFact.Fact)] {
                #expect(try await ledger.commit([Self.signedFact(fact, text, in: scope)]) == 1)
            }
            for (notifications, expected) in [
                (true, ["notification", "renewal", "second"]), (false, ["renewal", "second"]),
            ] as [(Bool, [String])] {
                let found = try await ledger.sources(
                    of: [FactSelection("1")], notifications: notifications, in: scope)
                #expect(found.map { Self.text($0.source) }.sorted() == expected)
            }
        }
    }

    private static func text(_ source: StoredSource) -> String {
        switch source {
        case .notification(let stored, _): stored.text
        case .signedFact(let stored): stored.text
        }
    }
}
