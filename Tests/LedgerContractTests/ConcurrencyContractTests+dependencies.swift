import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

// Calls that decide by rows which another call adds or changes meanwhile, and that write other rows themselves. Detects
// engines that lock only the rows that they write: then neither call sees the other's, and both decide wrongly.
extension `The contract of concurrent calls` {
    @Test(arguments: Engine.allCases)
    func `Two texts with one UUID that arrive concurrently are stored once each`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let first = try #require(Self.notifications(0..<1, in: appEnvironment).first)
            let insertions = try await Self.concurrently { number in
                var received = first
                received.text = "text \(number % 2)"
                return try await ledger.commit(received: [received], processed: [])
            }.flatMap { $0 }
            #expect(insertions.count { $0 == .stored($0.id) } == 2)
            #expect(try await ledger.backlog().count == 2)
            let stored = try #require(try await ledger.notification(first.uuid))
            let others = try await ledger.otherTexts(of: stored.id, limit: 9)
            #expect(others.count == 1)
            #expect(Set(([stored] + others).map(\.text)) == ["text 0", "text 1"])
        }
    }

    /// The erasure does not see a purchase that is being stored, and processing does not see the erasure.
    @Test(arguments: Engine.allCases)
    func `Purchases that are processed while the customer whom they name is erased have no owner`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let (scope, customer) = (appEnvironment.id, RandomFacts.tokens[0])
            let received = Self.notifications(0..<Self.writers, in: appEnvironment)
            let ids = try await ledger.commit(received: received, processed: []).map(\.id)
            try #require(ids.count == Self.writers)
            _ = try await Self.concurrently { number in
                if number == 5 {
                    _ = try await ledger.erase(customer, in: appEnvironment, at: Self.now + 1)
                } else {
                    let fact = TransactionFact(
                        transactionID: "\(number)", originalTransactionID: "\(number)", productID: "gold",
                        type: .nonConsumable, purchaseDate: RandomFacts.start, signedDate: RandomFacts.start,
                        appAccountToken: UUID(uuidString: customer))
                    let processed = ProcessedNotification(
                        id: ids[number], scope: scope, uuid: received[number].uuid, type: .didRenew,
                        signedDate: Self.now, transaction: fact, processedAt: Self.now)
                    _ = try await ledger.commit(received: [], processed: [processed])
                }
            }
            for number in 0..<Self.writers where number != 5 {
                #expect(try await ledger.lineage("\(number)", in: scope) != nil)
                let owners = try await ledger.owners(of: "\(number)", in: scope)
                #expect(owners.isEmpty, "\(number): \(owners)")
            }
            #expect(try await ledger.lineages(of: customer, in: scope).isEmpty)
            let page = try await ledger.events(FeedQuery(after: 0, scopes: [scope], limit: 99), within: .none)
            #expect(page.items.count { $0.event.notification != nil } == Self.writers - 1)
            let isNamed = page.items.contains { $0.event.customer == customer }
            #expect(!isNamed)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Grants that are created concurrently do not exceed the customer's limit`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            for number in 1..<GrantDecision.maximumRunning {
                _ = try await ledger.createGrant("g\(number)", content, in: scope, at: Self.now)
            }
            let created = try await Self.concurrently { number in
                try await ledger.createGrant("last \(number)", content, in: scope, at: Self.now)
            }
            #expect(created.count { $0 != .refused } == 1)
            #expect(try await ledger.grants(of: "anna", in: scope).count == GrantDecision.maximumRunning)
        }
    }

    /// A grant with the instant of the erasure, or before it, would be removed by the next import.
    @Test(arguments: Engine.allCases)
    func `A grant that is created while its customer is erased is deleted, or later than the erasure`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await Self.concurrently { number in
                if number == 5 {
                    _ = try await ledger.erase("anna", in: appEnvironment, at: Self.now)
                } else {
                    _ = try await ledger.createGrant("g\(number)", content, in: scope, at: Self.now)
                }
            }
            let erased = try #require(try await ledger.lastErasure(of: "anna", in: appEnvironment))
            let grants = try await ledger.grants(of: "anna", in: scope)
            #expect(grants.allSatisfy { $0.createdAt > erased }, "\(grants)")
            let page = try await ledger.events(FeedQuery(after: 0, scopes: [scope], limit: 99), within: .none)
            try #require(page.items.count == Self.writers - 1)
            #expect(page.items.count { $0.event.customer == "anna" } == grants.count)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Purchases that are stored while their customer is merged into another one belong to that one`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            let claim = Claim(
                customer: "anna", scope: scope, originalTransactionIDs: [], appTransactionID: "x", policy: .transfer,
                claimedAt: Self.now)
            _ = try await ledger.claim(claim) { _ in false }
            _ = try await Self.concurrently { number in
                if number == 5 {
                    _ = try await ledger.merge("anna", into: "ben", in: scope, at: Self.now + 1)
                } else {
                    _ = try await ledger.commit([Self.purchase("\(number)", in: appEnvironment)])
                }
            }
            #expect(try await ledger.accounts(of: "ben", in: scope) == ["x"])
            for number in 0..<Self.writers where number != 5 {
                #expect(try await ledger.owners(of: "\(number)", in: scope) == ["ben"], "\(number)")
            }
        }
    }

    /// A subscription that will not renew or, with `previous`, one that continues it.
    private static func subscription(
        _ original: String, continuing previous: String? = nil, in scope: Int64
    ) -> [SignedFact] {
        let purchased = RandomFacts.start + (previous == nil ? 0 : 60)
        let period = TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold",
            type: .autoRenewableSubscription, purchaseDate: purchased, expiresDate: RandomFacts.start + 30 * 86_400,
            signedDate: purchased, previousOriginalTransactionID: previous)
        let renewal = RenewalFact(
            originalTransactionID: original, productID: "gold", autoRenewProductID: "gold", willRenew: false,
            signedDate: purchased)
        let facts: [SignedFact.Fact] =
            previous == nil ? [.transaction(period), .renewal(renewal)] : [.transaction(period)]
        return facts.enumerated().map { index, fact in
            SignedFact(scope: scope, fact: fact, origin: .app, receivedAt: 0, text: "text \(original) \(index)")
        }
    }

    /// The segments of a subscription depend on another one, which has a record of its own.
    @Test(arguments: Engine.allCases)
    func `A subscription is in no segment if one that continues it is stored concurrently`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            _ = try await ledger.commit(Self.subscription("alone", in: scope))
            _ = try await Self.concurrently { number in
                let old = "old \(number / 2)"
                let facts =
                    number.isMultiple(of: 2)
                    ? Self.subscription(old, in: scope)
                    : Self.subscription("new \(number / 2)", continuing: old, in: scope)
                return try await ledger.commit(facts)
            }
            let now = Self.now + 86_400_000
            for segment in Segment.allCases {
                let expected: [String] = segment == .willNotRenew ? ["alone"] : []
                let found = try await ledger.members(SegmentQuery(segment, in: scope, at: now, limit: 99)).items
                #expect(found.map(\.lineage.originalTransactionID) == expected, "\(segment)")
                let count = try await ledger.count(of: segment, in: scope, at: now, limit: 99)
                #expect(count == expected.count, "\(segment)")
            }
        }
    }

    /// Each of the two notifications looks for what the other one stores.
    @Test(arguments: Engine.allCases)
    func `A refund decision that is processed together with its consumption request belongs to it`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            let received = Self.notifications(0..<Self.writers, in: appEnvironment)
            let ids = try await ledger.commit(received: received, processed: []).map(\.id)
            try #require(ids.count == Self.writers)
            _ = try await Self.concurrently { number in
                let original = "\(number / 2)"
                let fact = TransactionFact(
                    transactionID: original, originalTransactionID: original, productID: "coins", type: .consumable,
                    purchaseDate: RandomFacts.start, signedDate: RandomFacts.start)
                let processed = ProcessedNotification(
                    id: ids[number], scope: scope, uuid: received[number].uuid,
                    type: number.isMultiple(of: 2) ? .consumptionRequest : .refund,
                    signedDate: Self.now + Int64(number % 2), transaction: fact, processedAt: Self.now)
                return try await ledger.commit(received: [], processed: [processed])
            }
            let inquiries = try await ledger.inquiries(in: scope, before: .max, limit: 99)
            #expect(inquiries.count == Self.writers / 2)
            #expect(inquiries.allSatisfy { $0.decision == .refunded && $0.state == .overtaken }, "\(inquiries)")
        }
    }
}
