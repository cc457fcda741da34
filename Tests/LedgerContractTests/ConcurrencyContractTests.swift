import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

@Suite struct `The contract of concurrent calls` {
    static let writers = 12
    static let now: Milliseconds = 1_800_000_000_000

    /// Runs `body` concurrently once per writer and returns the results.
    static func concurrently<Answer: Sendable>(
        _ body: @escaping @Sendable (Int) async throws -> Answer
    ) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for number in 0..<writers { group.addTask { try await body(number) } }
            var answers: [Answer] = []
            for try await answer in group { answers.append(answer) }
            return answers
        }
    }

    /// Notifications with unique identifiers.
    static func notifications(_ numbers: Range<Int>, in appEnvironment: AppEnvironment)
        -> [ReceivedNotification]
    {
        numbers.map { number in
            ReceivedNotification(
                scope: appEnvironment.id, uuid: uuid(number), type: "TEST", signedDate: now, receivedAt: now,
                origin: .delivered, text: "text \(1000 + number)")
        }
    }

    private static func uuid(_ number: Int) -> String { "00000000-0000-4000-8000-00000000\(1000 + number)" }

    @Test(arguments: Engine.allCases)
    func `Notifications that concurrent commits receive in different orders are stored, processed and emitted once`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let all = Self.notifications(0..<10, in: appEnvironment)
            let insertions = try await Self.concurrently { number in
                let first = number % all.count
                return try await ledger.commit(received: Array(all[first...] + all[..<first]), processed: [])
            }.flatMap { $0 }
            let stored = insertions.filter { $0 == .stored($0.id) }.map(\.id)
            #expect(stored.count == all.count && Set(stored) == Set(insertions.map(\.id)))
            #expect(try await ledger.backlog().count == all.count)
            var facts = RandomFacts(seed: 1)
            let fact = facts.transaction("1")
            let processed = try await ledger.pending(after: 0, limit: 99).map { waiting in
                ProcessedNotification(
                    id: waiting.id, scope: appEnvironment.id, uuid: waiting.uuid, type: .didRenew, signedDate: Self.now,
                    transaction: fact, processedAt: Self.now)
            }
            try #require(Set(processed.map(\.uuid)) == Set(all.map(\.uuid)))
            _ = try await Self.concurrently { number in
                let first = number % processed.count
                return try await ledger.commit(
                    received: [], processed: Array(processed[first...] + processed[..<first]))
            }
            #expect(try await ledger.backlog().count == 0)
            let page = try await ledger.events(
                FeedQuery(after: 0, scopes: [appEnvironment.id], limit: 99), within: .none)
            #expect(page.items.map(\.event.id).sorted() == all.map { LedgerEvent.prefix + $0.uuid })
        }
    }

    @Test(arguments: Engine.allCases)
    func `Concurrently processed facts about one purchase are all stored`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: 2)
            let ledgers = [try await Walk(try engine.open(in: folder)), try await Walk(try engine.open(in: folder))]
            let (ledger, other, appEnvironment) = (ledgers[0].ledger, ledgers[1].ledger, ledgers[0].scopes[0])
            let received = Self.notifications(0..<Self.writers, in: appEnvironment)
            let ids = try await ledger.commit(received: received, processed: []).map(\.id)
            #expect(try await other.commit(received: received, processed: []).map(\.id) == ids)
            let processed = ids.enumerated().map { index, id in
                var fact = facts.transaction("1")
                fact.transactionID = "1\(index)"
                return ProcessedNotification(
                    id: id, scope: appEnvironment.id, uuid: Self.uuid(index), type: .didRenew, signedDate: Self.now,
                    transaction: fact, processedAt: Self.now)
            }
            _ = try await Self.concurrently { try await ledger.commit(received: [], processed: [processed[$0]]) }
            for one in processed { _ = try await other.commit(received: [], processed: [one]) }
            let lineage = try await ledger.lineage("1", in: appEnvironment.id)
            #expect(lineage?.transactions.count == Self.writers)
            let expected = try await other.lineage("1", in: appEnvironment.id)
            #expect(lineage == expected)
            let digest = try await other.digest()
            #expect(try await ledger.digest() == digest)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A commit is visible completely or not at all, even if its task is cancelled`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let counts = try await Self.concurrently { number in
                let batch = Self.notifications(5 * number..<5 * number + 5, in: appEnvironment)
                if number.isMultiple(of: 2) { _ = try await ledger.commit(received: batch, processed: []) }
                return try await ledger.backlog().count
            }
            #expect(counts.allSatisfy { $0.isMultiple(of: 5) }, "\(counts)")
            for round in Self.writers..<Self.writers + 20 {
                let batch = Self.notifications(5 * round..<5 * round + 5, in: appEnvironment)
                let before = try await ledger.backlog().count
                let task = Task { try await ledger.commit(received: batch, processed: []) }
                task.cancel()
                let result = await task.result
                let new = try await ledger.backlog().count - before
                switch result {
                case .success: #expect(new == 5)
                case .failure: #expect([0, 5].contains(new))
                }
            }
        }
    }

    /// Calls `body` with a ledger whose purchases have no owner.
    private static func withPurchases(
        _ engine: Engine, _ originals: [String], _ body: (any LedgerEngine, Int64) async throws -> Void
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            _ = try await ledger.commit(
                originals.map { original in
                    SignedFact(
                        scope: appEnvironment.id,
                        fact: .transaction(
                            TransactionFact(
                                transactionID: original, originalTransactionID: original, productID: "gold",
                                type: .nonConsumable, purchaseDate: RandomFacts.start, signedDate: RandomFacts.start)),
                        origin: .app, receivedAt: 0, text: "text \(original)")
                })
            try await body(ledger, appEnvironment.id)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Of concurrent claims of a purchase under the keepOriginal policy, exactly one is granted`(_ engine: Engine)
        async throws
    {
        try await Self.withPurchases(engine, ["1"]) { ledger, scope in
            let outcomes = try await Self.concurrently { number in
                let claim = Claim(
                    customer: "c\(number)", scope: scope, originalTransactionIDs: ["1"], policy: .keepOriginal,
                    claimedAt: Self.now)
                return try await ledger.claim(claim) { _ in true }
            }
            #expect(outcomes.count { $0 == .granted(["1"]) } == 1)
            #expect(outcomes.count { $0 == .inUse(.policy) } == Self.writers - 1)
            #expect(try await ledger.owners(of: "1", in: scope).count == 1)
            #expect(try await ledger.eventCount() == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Concurrent readers see a claim or merge completely or not at all, and it happens once`(_ engine: Engine)
        async throws
    {
        let originals = (10..<18).map { "\($0)" }
        try await Self.withPurchases(engine, originals) { ledger, scope in
            let claim = Claim(
                customer: "anna", scope: scope, originalTransactionIDs: originals, policy: .transfer,
                claimedAt: Self.now)
            let claimed = try await Self.concurrently { number in
                if number.isMultiple(of: 4) { _ = try await ledger.claim(claim) { _ in true } }
                return try await ledger.lineages(of: "anna", in: scope).count
            }
            #expect(Set(claimed).isSubset(of: [0, 8]) && claimed.contains(8), "\(claimed)")
            #expect(try await ledger.eventCount() == 8)
            let merged = try await Self.concurrently { number -> (moved: Int, seen: Int) in
                var moved = 0
                if number.isMultiple(of: 4) {
                    moved = try await ledger.merge("anna", into: "ben", in: scope, at: Self.now + 1).count
                }
                let seen = try await ledger.lineages(of: "ben", in: scope).count
                return (moved: moved, seen: seen)
            }
            #expect(merged.map(\.moved).reduce(0, +) == 8)
            #expect(Set(merged.map(\.seen)).isSubset(of: [0, 8]), "\(merged)")
            #expect(try await ledger.eventCount() == 16)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Concurrent requests create one endpoint, grant, expiry event and inquiry lease, and one idempotent request`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let decisions = try await Self.concurrently { _ in
                try await ledger.beginRequest(
                    "k", of: "c", about: nil, fingerprint: Data([1]), at: Self.now, lockTimeout: 9)
            }
            #expect(decisions.count { $0 == .proceed } == 1)
            let endpoints = try await Self.concurrently { number in
                let definition = WebhookDefinition(name: "crm", url: "https://example.com/\(number)", secrets: [])
                return try await ledger.addWebhook(definition, at: 0)?.id
            }
            #expect(endpoints.count { $0 != nil } == 1)
            let content = GrantEvent.Content(
                customer: "anna", entitlement: "pro", until: Self.now + 5, reason: "sorry", actor: "team")
            let grants = try await Self.concurrently { _ in
                try await ledger.createGrant("g", content, in: appEnvironment.id, at: Self.now)
            }
            #expect(Set(grants).count == 1)
            #expect(try await ledger.eventCount() == 1)
            let ended = try await Self.concurrently { _ in
                try await ledger.emitExpiredGrants(at: Self.now + 9, limit: 9).count
            }
            #expect(ended.reduce(0, +) == 1)
            #expect(try await ledger.eventCount() == 2)
            var facts = RandomFacts(seed: 1)
            let received = Self.notifications(0..<1, in: appEnvironment)
            let id = try #require(try await ledger.commit(received: received, processed: []).first?.id)
            let request = ProcessedNotification(
                id: id, scope: appEnvironment.id, uuid: Self.uuid(0), type: .consumptionRequest, signedDate: Self.now,
                transaction: facts.transaction("1"), processedAt: Self.now)
            _ = try await ledger.commit(received: [], processed: [request])
            let taken = try await Self.concurrently { _ in
                try await ledger.leaseInquiries(at: Self.now, leaseEnds: Self.now + 1000, limit: 9)
            }
            #expect(taken.map(\.count).reduce(0, +) == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Concurrently sent deliveries end once, and in order for each customer`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try await ledger.addEndpoint().id
            for number in 0..<12 {
                let content = GrantEvent.Content(
                    customer: "c\(number % 3)", entitlement: "pro", reason: "sorry", actor: "team")
                _ = try await ledger.createGrant("g\(number)", content, in: appEnvironment.id, at: Self.now)
            }
            // Not by their row identifiers, which may have any gaps.
            var customers: [Int64: String] = [:]
            for (number, event) in try await ledger.firstEvents() { customers[number] = event.customer }
            try #require(customers.count == 12 && Set(customers.values).count == 3)
            let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
            #expect(try await ledger.fanOut(to: [target], within: .none, limit: 99, at: Self.now) == .done)
            let sent = try await Self.concurrently { _ -> [Int64] in
                var events: [Int64] = []
                while true {
                    let due = try await ledger.dueDeliveries(of: endpoint, at: Self.now, limit: 2)
                    guard !due.isEmpty else { return events }
                    let outcomes = due.map {
                        DeliveryOutcome(delivery: $0.id, endpoint: endpoint, result: .delivered)
                    }
                    _ = try await ledger.record(outcomes, disableAfter: .max, at: Self.now)
                    events += due.map(\.event)
                }
            }
            #expect(Set(sent.flatMap { $0 }).count == 12)
            for events in sent {
                for own in Dictionary(grouping: events, by: { customers[$0] }).values {
                    #expect(own == own.sorted(), "\(events)")
                }
            }
            let ended = try await ledger.deliveries(of: endpoint, in: .delivered, limit: 99)
            #expect(ended.count == 12 && ended.allSatisfy { $0.attempts == 1 })
        }
    }

    /// Event numbers must become visible in ascending order, or a reader skips those that appear later.
    @Test(arguments: Engine.allCases)
    func `Every event is delivered once and listed once in the feed while other events are added`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try await ledger.addEndpoint().id
            let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
            @Sendable func feed(after cursor: Int64) async throws -> FeedPage {
                try await ledger.events(FeedQuery(after: cursor, scopes: [appEnvironment.id], limit: 3), within: .none)
            }
            let read = try await Self.concurrently { number -> (ids: [String], cursor: Int64) in
                var (ids, cursor): ([String], Int64) = ([], 0)
                for round in 0..<10 {
                    switch number {
                    case 0:
                        let page = try await feed(after: cursor)
                        (ids, cursor) = (ids + page.items.map(\.event.id), page.cursor)
                    case 1, 2: _ = try await ledger.fanOut(to: [target], within: .none, limit: 4, at: Self.now)
                    default:
                        let content = GrantEvent.Content(
                            customer: "c\(number)", entitlement: "pro", reason: "sorry", actor: "team")
                        _ = try await ledger.createGrant(
                            "g\(number)_\(round)", content, in: appEnvironment.id, at: Self.now)
                    }
                }
                return (ids: ids, cursor: cursor)
            }
            var (ids, cursor) = (read.flatMap(\.ids), read.map(\.cursor).max() ?? 0)
            var hasMore = true
            while hasMore {
                let page = try await feed(after: cursor)
                (ids, cursor, hasMore) = (ids + page.items.map(\.event.id), page.cursor, page.hasMore)
            }
            while try await ledger.fanOut(to: [target], within: .none, limit: 4, at: Self.now) != .done {}
            let sent = try await ledger.deliveries(of: endpoint, limit: 999).map(\.eventID)
            let count = 10 * (Self.writers - 3)
            #expect(sent.count == count && Set(sent).count == count)
            #expect(ids.count == count && Set(ids) == Set(sent))
        }
    }
}
