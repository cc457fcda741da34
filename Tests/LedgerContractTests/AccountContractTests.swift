import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import Testing

@Suite struct `The contract of notifications about an Apple account` {
    private static let token = RandomFacts.tokens[0]
    private static let now = RandomFacts.start.milliseconds

    /// Stores a purchase of the Apple account x.
    private static func buy(
        _ original: String, named token: String? = nil, _ ledger: any LedgerEngine, _ appEnvironment: AppEnvironment
    ) async throws {
        let fact = TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: RandomFacts.start, signedDate: RandomFacts.start,
            appAccountToken: token.flatMap { UUID(uuidString: $0) }, appTransactionID: "x")
        let signedFact = SignedFact(
            scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "text \(original)")
        _ = try await ledger.commit([signedFact])
    }

    private static func claim(
        _ customer: String, _ originals: [String] = [], account: String? = nil, at instant: Milliseconds,
        _ ledger: any LedgerEngine, _ appEnvironment: AppEnvironment
    ) async throws {
        let claim = Claim(
            customer: customer, scope: appEnvironment.id, originalTransactionIDs: originals, appTransactionID: account,
            policy: .transfer, claimedAt: instant)
        _ = try await ledger.claim(claim) { _ in false }
    }

    private static func uuid(_ number: Int) -> String { "00000000-0000-4000-8000-00000000001\(number)" }

    /// Receives and processes a notification about an Apple account.
    private static func rescind(
        _ number: Int, about account: String = "x", after delay: Milliseconds = 0, _ ledger: any LedgerEngine,
        _ appEnvironment: AppEnvironment
    ) async throws {
        let received = ReceivedNotification(
            scope: appEnvironment.id, uuid: uuid(number), type: "RESCIND_CONSENT", signedDate: now + delay,
            receivedAt: now,
            origin: .delivered, text: "notification \(number)")
        let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
        let processed = ProcessedNotification(
            id: id, scope: appEnvironment.id, uuid: uuid(number), type: .rescindConsent, signedDate: now + delay,
            appTransactionID: account, processedAt: now)
        _ = try await ledger.commit(received: [], processed: [processed])
    }

    /// Returns the customer that the event of a notification names.
    private static func customer(
        ofEvent number: Int, _ ledger: any LedgerEngine, _ appEnvironment: AppEnvironment
    ) async throws -> String? {
        let page = try await ledger.events(FeedQuery(after: 0, scopes: [appEnvironment.id], limit: 50), within: .none)
        return try #require(page.items.map(\.event).first { $0.id == "evt_\(uuid(number))" }).customer
    }

    /// Returns the UUIDs of the notifications in a customer's timeline.
    private static func timeline(
        of customer: String, _ ledger: any LedgerEngine, _ appEnvironment: AppEnvironment
    ) async throws -> [String] {
        let items = try await ledger.timeline(
            of: customer, in: appEnvironment.id, after: TimelinePosition(date: .max), limit: 50)
        var found: [String] = []
        for case .notification(let stored) in items.map(\.kind) {
            #expect(try await ledger.isNotification(stored.id, inTimelineOf: customer, in: appEnvironment.id))
            let isOfOther = try await ledger.isNotification(stored.id, inTimelineOf: "nobody", in: appEnvironment.id)
            #expect(!isOfOther)
            found.append(stored.uuid)
        }
        return found
    }

    @Test(arguments: Engine.allCases)
    func `An event names the customer of the account's claim, or else the owner of all its purchases`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            func expect(_ customer: String?, _ number: Int, _ account: String = "x") async throws {
                try await Self.rescind(number, about: account, ledger, appEnvironment)
                let named = try await Self.customer(ofEvent: number, ledger, appEnvironment)
                #expect(named == customer, "\(number)")
                let present = try await ledger.customer(ofAccount: account, in: appEnvironment.id)
                #expect(present == customer, "\(number)")
            }
            try await expect(nil, 0)
            try await Self.buy("1", ledger, appEnvironment)
            try await expect(nil, 1)
            try await Self.buy("2", named: Self.token, ledger, appEnvironment)
            // Nobody owns purchase 1.
            try await expect(Self.token, 2)
            try await Self.claim("ben", ["1"], at: Self.now, ledger, appEnvironment)
            try await expect(nil, 3)
            try await Self.claim("cleo", account: "x", at: Self.now + 1, ledger, appEnvironment)
            try await expect("cleo", 4)
            _ = try await ledger.merge("cleo", into: "dora", in: appEnvironment.id, at: Self.now + 2)
            try await expect("dora", 5)
            try await expect(nil, 6, "X")
            // Earlier events keep the customer of their time.
            #expect(try await Self.customer(ofEvent: 4, ledger, appEnvironment) == "cleo")
        }
    }

    @Test(arguments: Engine.allCases)
    func `An event names the owner of a purchase whose record is damaged`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            try await Self.buy("1", named: Self.token, ledger, appEnvironment)
            try await engine.damaging(record: "1", in: appEnvironment.id, of: ledger) {
                try await Self.rescind(1, ledger, appEnvironment)
                let named = try await Self.customer(ofEvent: 1, ledger, appEnvironment)
                #expect(named == Self.token)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `An erasure removes the customer's name from events about the Apple account`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            try await Self.claim("anna", account: "x", at: Self.now, ledger, appEnvironment)
            try await Self.claim("ben", account: "y", at: Self.now, ledger, appEnvironment)
            try await Self.rescind(1, ledger, appEnvironment)
            try await Self.rescind(2, about: "y", ledger, appEnvironment)
            // The account may have another customer by then.
            try await Self.claim("cleo", account: "x", at: Self.now + 1, ledger, appEnvironment)
            _ = try await ledger.erase("anna", in: appEnvironment, at: Self.now + 2)
            let renamed = try #require(try await Self.customer(ofEvent: 1, ledger, appEnvironment))
            #expect(Erasure.isStandIn(renamed))
            #expect(try await Self.customer(ofEvent: 2, ledger, appEnvironment) == "ben")
            #expect(try await ledger.customer(ofAccount: "x", in: appEnvironment.id) == "cleo")
        }
    }

    @Test(arguments: Engine.allCases)
    func `A timeline contains the notifications that were signed while the Apple account was the customer's`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            try await Self.rescind(1, ledger, appEnvironment)
            #expect(try await Self.timeline(of: "anna", ledger, appEnvironment).isEmpty)
            // The first customer had the account before the claim.
            try await Self.claim("anna", account: "x", at: Self.now + 5, ledger, appEnvironment)
            #expect(try await Self.timeline(of: "anna", ledger, appEnvironment) == [Self.uuid(1)])
            _ = try await ledger.merge("anna", into: "ben", in: appEnvironment.id, at: Self.now + 10)
            try await Self.rescind(2, after: 20, ledger, appEnvironment)
            #expect(try await Self.timeline(of: "anna", ledger, appEnvironment) == [Self.uuid(1)])
            #expect(try await Self.timeline(of: "ben", ledger, appEnvironment) == [Self.uuid(2)])
            _ = try await ledger.erase("anna", in: appEnvironment, at: Self.now + 30)
            #expect(try await Self.timeline(of: "anna", ledger, appEnvironment).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A timeline contains notifications about an Apple account without a claim if the customer owns its purchases`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            try await Self.rescind(1, ledger, appEnvironment)
            try await Self.buy("1", named: Self.token, ledger, appEnvironment)
            #expect(try await Self.timeline(of: Self.token, ledger, appEnvironment) == [Self.uuid(1)])
            try await Self.buy("2", ledger, appEnvironment)
            try await Self.claim("ben", ["2"], at: Self.now, ledger, appEnvironment)
            #expect(try await Self.timeline(of: Self.token, ledger, appEnvironment).isEmpty)
            #expect(try await Self.timeline(of: "ben", ledger, appEnvironment).isEmpty)
        }
    }
}
