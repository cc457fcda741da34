import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

@Suite struct `The contract of other texts with the same identifier` {
    /// A notification and the given number of other texts under the same UUID.
    private static func notifications(_ number: Int, others: Int, in scope: Int64) -> [ReceivedNotification] {
        (0...others).map { other in
            ReceivedNotification(
                scope: scope, uuid: notificationUUID(number), type: "TEST", signedDate: Int64(number), receivedAt: 5,
                origin: .delivered, text: "text \(number * 1000 + other)")
        }
    }

    @Test(arguments: Engine.allCases)
    func `Another text that failed is pending again when it is received again`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, found in
            let scope = found.id
            let texts = Self.notifications(1, others: 1, in: scope)
            let ids = try await ledger.commit(received: texts, processed: []).map(\.id)
            try #require(ids.count == 2 && ids[1] < 0)
            try await ledger.fail(ids[1], code: "no", message: "it cannot be believed", at: 6)
            #expect(try await ledger.backlog().count == 1)
            #expect(try await ledger.commit(received: texts, processed: []) == [.duplicate(ids[0]), .stored(ids[1])])
            #expect(try await ledger.failedNotifications(code: "no", in: [scope], limit: 9).isEmpty)
            #expect(try await ledger.pending(after: .min, limit: 9).map(\.id) == [ids[1]])
            #expect(try await ledger.backlog().count == 2)
            let again = try await ledger.commit(received: texts, processed: [])
            #expect(again == [.duplicate(ids[0]), .duplicate(ids[0])])
        }
    }

    /// Processes both notifications as about purchase 1.
    private static func process(_ ids: [Int64], in scope: Int64, _ ledger: any LedgerEngine) async throws {
        var facts = RandomFacts(seed: 1)
        for (index, id) in ids.enumerated() {
            let number = index + 1
            let processed = ProcessedNotification(
                id: id, scope: scope, uuid: notificationUUID(number), type: .didRenew, signedDate: Int64(number),
                transaction: facts.transaction("1"), processedAt: 6)
            _ = try await ledger.commit(received: [], processed: [processed])
        }
    }

    @Test(arguments: Engine.allCases)
    func `Other texts are listed with their notifications, and at most as many as the limit`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, found in
            let scope = found.id
            let texts = Self.notifications(1, others: 3, in: scope) + Self.notifications(2, others: 2, in: scope)
            let ids = try await ledger.commit(received: texts, processed: []).map(\.id)
            try #require(ids.count == 7)
            try await Self.process([ids[0], ids[4]], in: scope, ledger)
            let expected: [Int: [Int]] = [
                0: [], 1: [1000, 1001], 2: [1000, 1001, 1002, 2000], 4: [1000, 1001, 1002, 1003, 2000, 2001],
                1 << 40: [1000, 1001, 1002, 1003, 2000, 2001, 2002],
            ]
            for (limit, numbers) in expected {
                let found = try await ledger.notifications(about: "1", in: scope, limit: limit)
                #expect(found.map(\.text) == numbers.map { "text \($0)" }, "\(limit)")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A list of sources contains at most a hundred other texts`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, found in
            let scope = found.id
            let most = FactSelection.maximumOtherTexts
            let texts = Self.notifications(1, others: most + 2, in: scope)
            let id = try #require(try await ledger.commit(received: texts, processed: []).first?.id)
            try await Self.process([id], in: scope, ledger)
            let found = try await ledger.sources(of: [FactSelection("1")], notifications: true, in: scope)
            let shown = found.compactMap { fact -> String? in
                if case .notification(let notification, _) = fact.source { notification.text } else { nil }
            }
            #expect(shown == texts.prefix(most + 1).map(\.text))
        }
    }

    /// Detects engines that keep UUIDs per app and environment.
    @Test(arguments: Engine.allCases)
    func `A UUID identifies one notification across apps and environments`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scopes) = (walk.ledger, walk.scopes.map(\.id))
            try #require(scopes.count == 2)
            let first = try #require(Self.notifications(1, others: 0, in: scopes[0]).first)
            let id = try #require(try await ledger.commit(received: [first], processed: []).first?.id)
            let again = Self.notifications(1, others: 1, in: scopes[1])
            let insertions = try await ledger.commit(received: again, processed: [])
            try #require(insertions.count == 2)
            #expect(insertions[0] == .duplicate(id) && insertions[1].id < 0)
            #expect(try await ledger.otherTexts(of: id, limit: 9).map(\.scope) == [scopes[0]])
            #expect(try await ledger.missingCounts(in: scopes[0]).backlog == 2)
            #expect(try await ledger.missingCounts(in: scopes[1]).backlog == 0)
        }
    }
}
