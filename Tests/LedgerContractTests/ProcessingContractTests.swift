import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

@Suite struct `The contract of the results of processing` {
    private static let now = RandomFacts.start.milliseconds

    private static func received(_ numbers: ClosedRange<Int>, in appEnvironment: AppEnvironment)
        -> [ReceivedNotification]
    {
        numbers.map { number in
            ReceivedNotification(
                scope: appEnvironment.id, uuid: notificationUUID(number), type: "DID_RENEW", signedDate: now,
                receivedAt: now,
                origin: .delivered, text: "text \(number)")
        }
    }

    private static func transaction(_ original: String) -> TransactionFact {
        TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "product \(original)",
            type: .autoRenewableSubscription, purchaseDate: RandomFacts.start, subscriptionGroupIdentifier: "group",
            signedDate: RandomFacts.start)
    }

    private static func renewal(_ original: String) -> RenewalFact {
        RenewalFact(
            originalTransactionID: original, productID: "gold", autoRenewProductID: "gold", willRenew: true,
            signedDate: RandomFacts.start)
    }

    /// A notification with the transaction of one purchase and the renewal information of another one.
    private static func processed(
        _ number: Int, _ id: Int64, _ original: String, renewing other: String? = nil, in appEnvironment: AppEnvironment
    ) -> ProcessedNotification {
        ProcessedNotification(
            id: id, scope: appEnvironment.id, uuid: notificationUUID(number), type: .didRenew, signedDate: now,
            transaction: transaction(original), renewal: other.map { renewal($0) }, processedAt: now)
    }

    private static func events(_ ledger: any LedgerEngine, in appEnvironment: AppEnvironment) async throws -> [String] {
        try await ledger.events(FeedQuery(after: 0, scopes: [appEnvironment.id], limit: 9), within: .none).items.map(
            \.event.id)
    }

    @Test(arguments: Engine.allCases)
    func `A notification about two purchases whose identifiers are canonically equivalent updates both`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let id = try #require(
                try await ledger.commit(received: Self.received(1...1, in: appEnvironment), processed: []).first?.id)
            let processed = Self.processed(1, id, "\u{E9}", renewing: "e\u{301}", in: appEnvironment)
            _ = try await ledger.commit(received: [], processed: [processed])
            let one = try #require(try await ledger.lineage("\u{E9}", in: appEnvironment.id))
            let other = try #require(try await ledger.lineage("e\u{301}", in: appEnvironment.id))
            #expect(one.transactions.count == 1 && one.renewal == nil)
            #expect(other.transactions.isEmpty && other.renewal != nil)
            #expect(try await ledger.notifications(about: "\u{E9}", in: appEnvironment.id, limit: 9).count == 1)
            #expect(try await ledger.notifications(about: "e\u{301}", in: appEnvironment.id, limit: 9).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A transaction signed for several purchases is found under the first by bytes, in any order of arrival`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            for (original, expected) in [("a", "a"), ("B", "B"), ("\u{E9}", "B"), ("7", "7")] {
                var fact = Self.transaction(original)
                fact.transactionID = "7"
                let signedFact = SignedFact(
                    scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: Self.now,
                    text: "text \(original)")
                _ = try await ledger.commit([signedFact])
                let found = try await ledger.originalTransactionID(of: "7", in: appEnvironment.id)
                #expect(found == expected, "\(original)")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A notification that fails while it is processed changes nothing, and the rest of its commit succeeds`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walks = [try await Walk(try engine.open(in: folder)), try await Walk(try engine.open(in: folder))]
            let (ledger, undamaged, appEnvironment) = (walks[0].ledger, walks[1].ledger, walks[0].scopes[0])
            var ids: [Int64] = []
            for ledger in [ledger, undamaged] {
                let known = SignedFact(
                    scope: appEnvironment.id, fact: .transaction(Self.transaction("2")), origin: .app,
                    receivedAt: Self.now,
                    text: "known")
                #expect(try await ledger.commit([known]) == 1)
                ids = try await ledger.commit(received: Self.received(1...3, in: appEnvironment), processed: []).map(
                    \.id)
            }
            try #require(ids.count == 3)
            let half = Self.processed(1, ids[0], "1", renewing: "2", in: appEnvironment)
            let others = [
                Self.processed(2, ids[1], "3", in: appEnvironment), Self.processed(3, ids[2], "4", in: appEnvironment),
            ]
            try await engine.damaging(record: "2", in: appEnvironment.id, of: ledger) {
                _ = try await ledger.commit(
                    received: Self.received(4...4, in: appEnvironment), processed: [others[0], half, others[1]])
                #expect(
                    try await ledger.failedNotifications(code: "storage_damaged", in: [appEnvironment.id], limit: 9)
                        == [half.id]
                )
                #expect(try await ledger.backlog().count == 1)
                #expect(try await ledger.lineage("1", in: appEnvironment.id) == nil)
                #expect(try await ledger.notifications(about: "1", in: appEnvironment.id, limit: 9).isEmpty)
                for original in ["3", "4"] {
                    let lineage = try await ledger.lineage(original, in: appEnvironment.id)
                    #expect(lineage?.transactions == [Self.transaction(original)])
                }
                #expect(
                    try await Self.events(ledger, in: appEnvironment) == others.map { LedgerEvent.prefix + $0.uuid })
            }
            try await ledger.reprocess([half.id], at: Self.now)
            _ = try await ledger.commit(received: [], processed: [half])
            let all = (others + [half]).map { LedgerEvent.prefix + $0.uuid }
            #expect(try await Self.events(ledger, in: appEnvironment) == all)
            #expect(try await ledger.lineage("2", in: appEnvironment.id)?.renewal == Self.renewal("2"))
            _ = try await undamaged.commit(
                received: Self.received(4...4, in: appEnvironment), processed: [half] + others)
            let digest = try await undamaged.digest()
            #expect(try await ledger.digest() == digest)
        }
    }

    /// Detects engines that take the lowest number for the oldest: a notification that is processed again arrives anew.
    @Test(arguments: Engine.allCases)
    func `The oldest pending notification is the one that has waited longest`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let ids = try await ledger.commit(received: Self.received(1...2, in: appEnvironment), processed: []).map(
                \.id)
            try #require(ids.count == 2 && ids[0] < ids[1])
            let oldest = try await ledger.backlog().oldest
            let processed = Self.processed(1, ids[0], "1", in: appEnvironment)
            _ = try await ledger.commit(received: [], processed: [processed])
            try await ledger.reprocess([ids[0]], at: Self.now + 86_400_000)
            let backlog = try await ledger.backlog()
            #expect(backlog.count == 2 && backlog.oldest == oldest && backlog.oldestCode == ids[1])
            #expect(try await ledger.pending(after: ids[1] - 1, limit: 1).map(\.id) == [ids[1]])
        }
    }

    /// Detects engines that emit an event for every notification that leaves the inbox.
    @Test(arguments: Engine.allCases)
    func `A notification that is processed again changes nothing and emits no second event`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            // Without a purchase, about a purchase, a consumption request, and the decision on it.
            let types: [NotificationTypeV2] = [.test, .didRenew, .consumptionRequest, .refund]
            let ids = try await ledger.commit(received: Self.received(1...4, in: appEnvironment), processed: []).map(
                \.id)
            try #require(ids.count == types.count)
            let processed = types.indices.map { index in
                var processed = Self.processed(index + 1, ids[index], "1", renewing: "2", in: appEnvironment)
                processed.type = types[index]
                if processed.type == .test { (processed.transaction, processed.renewal) = (nil, nil) }
                return processed
            }
            _ = try await ledger.commit(received: [], processed: processed)
            let (digest, events) = (try await ledger.digest(), try await ledger.lastEvent())
            let inquiries = try await ledger.inquiries(in: appEnvironment.id, before: .max, limit: 9)
            try #require(inquiries.map(\.decision) == [.refunded] && events > 0)
            for _ in 0..<2 {
                try await ledger.reprocess(ids + ids, at: Self.now + 1)
                #expect(try await ledger.backlog().count == ids.count)
                #expect(try await ledger.pending(after: .min, limit: 9).map(\.id) == ids)
                _ = try await ledger.commit(received: [], processed: processed)
                #expect(try await ledger.backlog().count == 0)
                let again = try await ledger.digest()
                #expect(again == digest)
                #expect(try await ledger.lastEvent() == events)
                #expect(try await ledger.inquiries(in: appEnvironment.id, before: .max, limit: 9) == inquiries)
            }
        }
    }

    /// Several servers may read the same notification. Detects engines that store a failure without checking that the
    /// notification is pending.
    @Test(arguments: Engine.allCases)
    func `A notification that another server has processed or marked as failed does not fail again`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            let ids = try await ledger.commit(received: Self.received(1...2, in: appEnvironment), processed: []).map(
                \.id)
            try #require(ids.count == 2)
            let processed = Self.processed(1, ids[0], "1", in: appEnvironment)
            _ = try await ledger.commit(received: [], processed: [processed])
            try await ledger.fail(ids[0], code: "no", message: "it cannot be believed", at: Self.now)
            #expect(try await ledger.notification(notificationUUID(1))?.state == .processed)
            try await engine.damage(text: ids[0], of: ledger)
            #expect(try await ledger.failDamaged(ids[0], message: "its text is damaged", at: Self.now))
            #expect(try await ledger.notification(notificationUUID(1))?.state == .processed)
            for code in ["no", "other"] {
                try await ledger.fail(ids[1], code: code, message: "it cannot be believed", at: Self.now)
            }
            #expect(try await ledger.notification(notificationUUID(2))?.failure == "no")
            #expect(try await ledger.missingCounts(in: scope).failedNotifications == 1)
        }
    }

    /// Detects engines that leave the failure, or emit an event only for a notification in the inbox.
    @Test(arguments: Engine.allCases)
    func `A notification that another server has marked as failed has not failed once it is processed`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let id = try #require(
                try await ledger.commit(received: Self.received(1...1, in: appEnvironment), processed: []).first?.id)
            let processed = Self.processed(1, id, "1", in: appEnvironment)
            try await ledger.fail(id, code: "no", message: "it cannot be believed", at: Self.now)
            for _ in 0..<2 {
                _ = try await ledger.commit(received: [], processed: [processed])
                #expect(try await ledger.notification(notificationUUID(1))?.state == .processed)
                #expect(
                    try await Self.events(ledger, in: appEnvironment) == [LedgerEvent.prefix + notificationUUID(1)])
            }
        }
    }
}
