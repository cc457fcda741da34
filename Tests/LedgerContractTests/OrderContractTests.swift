import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

/// Detects engines that rely on the order of an index, on the clock or on the order of a list in the arguments.
@Suite struct `The contract of orders and row identifiers` {
    private static let now = RandomFacts.start.milliseconds

    private static func received(
        _ number: Int, _ type: String = "TEST", text: String, in scope: Int64
    ) -> ReceivedNotification {
        ReceivedNotification(
            scope: scope, uuid: notificationUUID(number), type: type, signedDate: now,
            receivedAt: now, origin: .delivered, text: text)
    }

    private static func purchase(_ original: String, account: String? = nil) -> TransactionFact {
        TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: RandomFacts.start, signedDate: RandomFacts.start, appTransactionID: account)
    }

    @Test(arguments: Engine.allCases)
    func `Attempts are listed in the order in which they were recorded, even if the clock was set back`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try await ledger.addEndpoint().id
            let test = LedgerEvent(
                id: "evt_t", scope: appEnvironment.id, type: .webhookTest, occurredAt: 1, createdAt: 1)
            let delivery = try #require(try await ledger.addWebhookTest(test, to: endpoint)).id
            for instant: Milliseconds in [9, 5, 7] {
                var outcome = DeliveryOutcome(
                    delivery: delivery, endpoint: endpoint, result: .retry(at: 9, body: nil))
                outcome.attempt = DeliveryAttempt(at: instant, milliseconds: 1)
                _ = try await ledger.record([outcome], disableAfter: .max, at: instant)
            }
            #expect(try await ledger.attempts(of: delivery, limit: 9).map(\.at) == [9, 5, 7])
            #expect(try await ledger.attempts(of: delivery, limit: 2).map(\.at) == [9, 5])
            let found = try #require(try await ledger.deliveries(ofEvent: "evt_t", limit: 9, attempts: 2))
            #expect(found.map { $0.attempts.map(\.at) } == [[9, 5]])
        }
    }

    @Test(arguments: Engine.allCases)
    func `Failed notifications with exactly this code are listed by row identifier, different texts first`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            let received = [
                Self.received(1, text: "first", in: scope), Self.received(2, text: "second", in: scope),
                Self.received(1, text: "different", in: scope), Self.received(3, text: "third", in: scope),
            ]
            let ids = try await ledger.commit(received: received, processed: []).map(\.id)
            try #require(ids.count == 4 && ids[2] < 0)
            for (id, code) in zip(ids.reversed(), ["No", "no", "no", "no"]) {
                try await ledger.fail(id, code: code, message: "no", at: Self.now)
            }
            func failed(_ code: String, in scope: Int64, limit: Int) async throws -> [Int64] {
                try await ledger.failedNotifications(code: code, in: [scope], limit: limit)
            }
            #expect(try await failed("no", in: scope, limit: 9) == [ids[2], ids[0], ids[1]])
            #expect(try await failed("no", in: scope, limit: 2) == [ids[2], ids[0]])
            #expect(try await failed("No", in: scope, limit: 9) == [ids[3]])
            #expect(try await failed("no", in: scope + 1, limit: 9).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Consumption requests with the same deadline are answered in the order in which they were processed`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            for number in 1...3 {
                let received = Self.received(number, "CONSUMPTION_REQUEST", text: "text \(number)", in: scope)
                let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
                let processed = ProcessedNotification(
                    id: id, scope: scope, uuid: received.uuid, type: .consumptionRequest, signedDate: Self.now,
                    transaction: Self.purchase("\(4 - number)"), processedAt: Self.now)
                _ = try await ledger.commit(received: [], processed: [processed])
            }
            let waiting = try await ledger.pendingInquiries(in: scope, after: nil, limit: 9)
            #expect(waiting.map(\.transactionID) == ["3", "2", "1"])
            let first = try #require(waiting.first)
            let position = InquiryPosition(deadline: first.deadline, id: first.id)
            let rest = try await ledger.pendingInquiries(in: scope, after: position, limit: 9)
            #expect(rest.map(\.transactionID) == ["2", "1"])
            let none = try await ledger.inquiryBacklogs(in: [scope], dueBefore: first.deadline, without: [])
            #expect(none.isEmpty)
            let all = try await ledger.inquiryBacklogs(in: [scope], dueBefore: first.deadline + 1, without: [])
            let backlog = InquiryBacklog(count: 3, oldest: Self.now, firstDeadline: first.deadline)
            #expect(all == [scope: backlog] && InquiryBacklog(all.values) == backlog)
            let newest = try await ledger.inquiries(
                about: ["1", "2", "3"], transactionID: nil, in: scope, limit: 2)
            #expect(newest.map(\.transactionID) == ["1", "2"])
            let leased = try await ledger.leaseInquiries(at: Self.now, leaseEnds: Self.now + 9, limit: 2)
            #expect(leased.map(\.transactionID) == ["3", "2"])
        }
    }

    /// Detects an engine that applies the limit before it leaves the scopes out.
    @Test(arguments: Engine.allCases)
    func `Consumption requests of some apps and environments are left out before the limit`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scopes = [appEnvironment.id, appEnvironment.id + 1]
            for (number, scope) in [scopes[0], scopes[0], scopes[1]].enumerated() {
                let received = Self.received(number, "CONSUMPTION_REQUEST", text: "text \(number)", in: scope)
                let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
                let processed = ProcessedNotification(
                    id: id, scope: scope, uuid: received.uuid, type: .consumptionRequest, signedDate: Self.now,
                    transaction: Self.purchase("\(number)"), processedAt: Self.now)
                _ = try await ledger.commit(received: [], processed: [processed])
            }
            let backlogs = try await ledger.inquiryBacklogs(in: scopes, dueBefore: .max, without: [])
            #expect(backlogs.mapValues(\.count) == [scopes[0]: 2, scopes[1]: 1])
            #expect(InquiryBacklog(backlogs.values).count == 3)
            func leased(except left: Int64...) async throws -> [String] {
                try await ledger.leaseInquiries(
                    at: Self.now, leaseEnds: Self.now + 9, limit: 2, except: Set(left)
                ).map(\.transactionID)
            }
            #expect(try await leased(except: scopes[0], scopes[1]) == [])
            // That of the sandbox has the earliest deadline.
            #expect(try await leased(except: scopes[1]) == ["0", "1"])
            #expect(try await leased(except: scopes[0]) == ["2"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `Purchases of several Apple accounts are sorted by account, then by identifier`(_ engine: Engine) async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            for (original, account) in [("3", "a"), ("1", "b"), ("2", "a"), ("4", nil)] as [(String, String?)] {
                let fact = SignedFact(
                    scope: appEnvironment.id, fact: .transaction(Self.purchase(original, account: account)),
                    origin: .app, receivedAt: 0, text: "text \(original)")
                _ = try await ledger.commit([fact])
            }
            let found = try await ledger.lineages(ofAccounts: ["b", "a", "c", "b"], in: appEnvironment.id)
            #expect(found.map(\.originalTransactionID) == ["2", "3", "1"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `Recoveries of several apps and environments are listed by row identifier, even if the clock was set back`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scopes = [appEnvironment.id, appEnvironment.id + 1]
            var ids: [Int64] = []
            for (index, instant) in ([9, 5, 7, 6] as [Milliseconds]).enumerated() {
                let plan = RecoveryPlan.requested(
                    scopes[index % 2], from: 0, until: 9, filters: [], RecoverySettings())
                ids.append(try await ledger.begin(plan, at: instant))
            }
            #expect(try await ledger.openRecoveries(in: scopes.reversed()).map(\.id) == ids)
            let newest = try await ledger.recoveries(in: scopes, before: nil, limit: 3).map(\.id)
            #expect(newest == [ids[3], ids[2], ids[1]])
        }
    }

    /// A late attempt, or a job, for a removed endpoint would change the new one.
    @Test(arguments: Engine.allCases)
    func `The row identifier of a removed endpoint is not used again`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            var ids: [Int64] = []
            for _ in 0..<3 {
                let endpoint = try await ledger.addEndpoint().id
                ids.append(endpoint)
                try await ledger.removeWebhook(endpoint)
                while try await ledger.runWebhookJob(limit: 9, at: 5) {}
            }
            #expect(Set(ids).count == 3)
        }
    }

    /// PostgreSQL refuses an index entry of more than a third of a page, and with it all notifications of the commit.
    @Test(arguments: Engine.allCases)
    func `Identifiers in signed data may be long, and differ in their last byte`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            var random = SeededGenerator(seed: 1)
            let digits = (0..<9000).map { _ in String(UInt8.random(in: 0...9, using: &random)) }.joined()
            for name in [digits + "1", digits + "2"] {
                var received = Self.received(1, text: "text \(name)", in: scope)
                received.uuid = name
                let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
                let fact = TransactionFact(
                    transactionID: "t" + name, originalTransactionID: name, productID: "p" + name,
                    type: .autoRenewableSubscription, purchaseDate: RandomFacts.start,
                    subscriptionGroupIdentifier: "g" + name, signedDate: RandomFacts.start, appTransactionID: name)
                let processed = ProcessedNotification(
                    id: id, scope: scope, uuid: name, type: .didRenew, signedDate: Self.now, transaction: fact,
                    processedAt: Self.now)
                _ = try await ledger.commit(received: [], processed: [processed])
                #expect(try await ledger.notification(name)?.state == .processed)
                #expect(try await ledger.lineage(name, in: scope)?.transactions == [fact])
                #expect(try await ledger.originalTransactionID(of: "t" + name, in: scope) == name)
                #expect(try await ledger.productGroups(in: scope)["p" + name] == "g" + name)
                let bought = try await ledger.lineages(ofAccounts: [name], in: scope)
                #expect(bought.map(\.originalTransactionID) == [name])
            }
        }
    }
}
