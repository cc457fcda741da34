import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

@Suite struct `The contract of every database` {
    /// The number of random walks; set `COUNTERFOIL_WALKS` for more.
    private static let walks = ProcessInfo.processInfo.environment["COUNTERFOIL_WALKS"].flatMap(UInt64.init) ?? 40

    /// After any steps in any order, every engine returns the same as the in-memory ledger.
    @Test(arguments: 0..<walks)
    func `All engines return the same results after the same steps`(_ seed: UInt64) async throws {
        try await Tool.inTemporaryFolder { folder in
            let steps = try Step.walk(seed: seed, count: 120)
            var walks: [Walk] = []
            for engine in Engine.allCases { walks.append(try await Walk(try engine.open(in: folder))) }
            for (index, step) in steps.enumerated() {
                var answers: [String] = []
                for engine in walks.indices { answers.append(try await step.run(&walks[engine])) }
                try #require(Set(answers).count == 1, "step \(index), \(step.name): \(answers)")
                guard index % 12 == 11 || index == steps.count - 1 else { continue }
                let now = RandomFacts.start.milliseconds + 5 * 86_400_000
                let expected = try await LedgerView.lines(of: walks[0].ledger, in: walks[0].scopes, at: now)
                for walk in walks.dropFirst() {
                    let lines = try await LedgerView.lines(of: walk.ledger, in: walk.scopes, at: now)
                    let difference = zip(expected, lines).first { $0 != $1 }
                    // Not the lists themselves: a failed expectation would print both completely.
                    let isSame = lines == expected
                    try #require(
                        isSame,
                        "after step \(index), \(step.name): \(difference.map { "\($0)\n\($1)" } ?? "\(expected.count) \(lines.count)")"
                    )
                }
            }
        }
    }

    /// Observers of a ledger read it again only if the number of commits has changed.
    @Test(arguments: Engine.allCases)
    func `The commit counter increases with every commit, and not without one`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: 1)
            var ledger = try await Walk(try engine.open(in: folder))
            let before = ledger.ledger.commits
            try await ledger.ledger.checkWritable()
            _ = try await ledger.ledger.digest()
            #expect(ledger.ledger.commits == before)
            let appEnvironment = ledger.scopes[0]
            try await Self.commitInBatches([facts.notification(in: appEnvironment, at: 0)], [], &ledger, &facts.random)
            let received = ledger.ledger.commits
            #expect(received > before)
            try await Self.commitInBatches(
                [], [try facts.signedFact(in: appEnvironment, at: 0)], &ledger, &facts.random)
            #expect(ledger.ledger.commits > received)
        }
    }

    /// The same facts in other orders, other batches and repeated.
    @Test(arguments: Engine.allCases, 0..<12 as Range<UInt64>)
    func `Facts in any order and with any number of repeats result in the same ledger`(_ engine: Engine, _ seed: UInt64)
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: seed)
            var ledger = try await Walk(try engine.open(in: folder))
            let appEnvironment = ledger.scopes[0]
            let notifications = (0..<20).map { _ in facts.notification(in: appEnvironment, at: 0) }
            let signedFacts = try (0..<12).map { _ in try facts.signedFact(in: appEnvironment, at: 0) }
            try await Self.commitInBatches(notifications, signedFacts, &ledger, &facts.random)
            let digest = try await ledger.ledger.digest()
            // Which changes of owner have an event depends on the order.
            let events = try await ledger.ledger.notificationEventCount()
            #expect(events > 5)
            for _ in 0..<4 {
                var other = try await Walk(try engine.open(in: folder))
                let again = notifications.filter { _ in Bool.random(using: &facts.random) }
                try await Self.commitInBatches(
                    (notifications + again).shuffled(using: &facts.random),
                    (signedFacts + signedFacts.prefix(4)).shuffled(using: &facts.random), &other, &facts.random)
                #expect(try await other.ledger.digest() == digest)
                #expect(try await other.ledger.notificationEventCount() == events)
            }
        }
    }

    /// The Sandbox has purchases, Apple accounts and customers of the same names. Detects engines that read one of them
    /// without its environment.
    @Test(arguments: Engine.allCases, 0..<4 as Range<UInt64>)
    func `Test data never grants production access`(_ engine: Engine, _ seed: UInt64) async throws {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: seed)
            var walk = try await Walk(try engine.open(in: folder))
            try #require(walk.scopes.map(\.environment) == [.production, .sandbox])
            let (production, ledger) = (walk.scopes[0], walk.ledger)
            var known: [String] = []
            for appEnvironment in walk.scopes {
                let notifications = (0..<12).map { _ in facts.notification(in: appEnvironment, at: 0) }
                let signedFacts = try (0..<8).map { _ in try facts.signedFact(in: appEnvironment, at: 0) }
                try await Self.commitInBatches(notifications, signedFacts, &walk, &facts.random)
                for customer in RandomFacts.customers {
                    let claim = Claim(
                        customer: customer, scope: appEnvironment.id, originalTransactionIDs: [facts.original()],
                        appTransactionID: facts.pick(RandomFacts.accounts, or: "x"), policy: .share, claimedAt: 5)
                    _ = try await ledger.claim(claim) { _ in false }
                    let content = GrantEvent.Content(
                        customer: customer, entitlement: "premium", reason: "sorry", actor: "team")
                    _ = try await ledger.createGrant(
                        "\(appEnvironment.id) \(customer)", content, in: appEnvironment.id, at: 6)
                }
                if appEnvironment == production {
                    known = try await Self.lines(of: production, ledger)
                    try #require(!known.isEmpty)
                } else {
                    _ = try await ledger.merge("anna", into: "bob", in: appEnvironment.id, at: 7)
                    _ = try await ledger.erase("bob", in: appEnvironment, at: 8)
                }
            }
            let lines = try await Self.lines(of: production, ledger)
            #expect(lines == known)
        }
    }

    /// What the ledger knows about all customers in an environment.
    private static func lines(of appEnvironment: AppEnvironment, _ ledger: any LedgerEngine) async throws -> [String] {
        var lines: [String] = []
        for customer in RandomFacts.customers {
            lines += try await LedgerView.lines(of: customer, in: appEnvironment, ledger)
        }
        return lines
    }

    private static func commitInBatches(
        _ notifications: [(received: ReceivedNotification, processed: ProcessedNotification)],
        _ signedFacts: [SignedFact],
        _ walk: inout Walk, _ random: inout SeededGenerator
    ) async throws {
        var (notifications, signedFacts) = (notifications[...], signedFacts[...])
        while !notifications.isEmpty || !signedFacts.isEmpty {
            let batch = notifications.prefix(Int.random(in: 0...5, using: &random))
            notifications = notifications.dropFirst(batch.count)
            _ = try await walk.commit(Array(batch), processed: Int.random(in: 0...walk.waiting.count, using: &random))
            let factBatch = signedFacts.prefix(Int.random(in: 0...3, using: &random))
            signedFacts = signedFacts.dropFirst(factBatch.count)
            _ = try await walk.ledger.commit(Array(factBatch))
        }
        _ = try await walk.commit([], processed: walk.waiting.count)
        #expect(try await walk.ledger.backlog().count == 0)
    }

    @Test(arguments: Engine.allCases)
    func `A request with an idempotency key is executed once until its retention ends`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try engine.open(in: folder)
            func begin(_ fingerprint: UInt8, at now: Milliseconds) async throws -> IdempotencyDecision {
                try await ledger.beginRequest(
                    "k", of: "c", about: nil, fingerprint: Data([fingerprint]), at: now, lockTimeout: 10)
            }
            #expect(try await begin(1, at: 0) == .proceed)
            #expect(try await begin(1, at: 9) == .isInProgress)
            #expect(try await begin(1, at: 10) == .proceed)
            #expect(try await begin(1, at: 11) == .isInProgress)
            #expect(try await begin(2, at: 11) == .isDifferentRequest)
            let answer = IdempotentRequest.StoredResponse(
                status: 201, type: "text/plain", location: "/v1/x", body: Data([7]))
            // The first attempt, which was overtaken, neither removes nor answers the second one.
            let late = IdempotentRequest.StoredResponse(status: 409, type: nil, body: Data([8]))
            for end in [nil, late] {
                try await ledger.endRequest("k", of: "c", begunAt: 0, with: end)
                #expect(try await begin(1, at: 11) == .isInProgress)
            }
            try await ledger.endRequest("k", of: "c", begunAt: 10, with: answer)
            try await ledger.endRequest("k", of: "c", begunAt: 10, with: nil)
            try await ledger.endRequest("k", of: "c", begunAt: 0, with: late)
            #expect(try await begin(1, at: 12) == .repeats(answer))
            // After the retention period it is a new request, and nothing is left of the first.
            let next = 10 + IdempotencyDecision.retention
            #expect(try await begin(1, at: next) == .proceed)
            #expect(try await begin(1, at: next + 1) == .isInProgress)
            let other = IdempotentRequest.StoredResponse(status: 204, type: nil, body: Data())
            try await ledger.endRequest("k", of: "c", begunAt: next, with: other)
            #expect(try await begin(1, at: next + 1) == .repeats(other))
            let last = next + IdempotencyDecision.retention
            #expect(try await begin(2, at: last - 1) == .isDifferentRequest)
            #expect(try await begin(2, at: last) == .proceed)
            #expect(try await begin(1, at: last) == .isDifferentRequest)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A stored response is deleted after a day, and not before`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try engine.open(in: folder)
            func begin(at now: Milliseconds) async throws -> IdempotencyDecision {
                try await ledger.beginRequest(
                    "k", of: "c", about: nil, fingerprint: Data([1]), at: now, lockTimeout: 10)
            }
            #expect(try await begin(at: 10) == .proceed)
            let answer = IdempotentRequest.StoredResponse(status: 204, type: nil, body: Data())
            try await ledger.endRequest("k", of: "c", begunAt: 10, with: answer)
            let day = IdempotencyDecision.retention
            #expect(try await ledger.removeExpired(at: 10 + day, limit: 9) == 0)
            // A clock that was set back shows whether the response is stored.
            #expect(try await begin(at: 11) == .repeats(answer))
            #expect(try await ledger.removeExpired(at: 11 + day, limit: 9) == 1)
            #expect(try await begin(at: 11) == .proceed)
        }
    }

    @Test(arguments: Engine.allCases)
    func `The last customer events are listed per app and environment, within the given depth`(_ engine: Engine)
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: 7)
            var walk = try await Walk(try engine.open(in: folder))
            let scopes = walk.scopes
            let notifications = (0..<40).map { number in facts.notification(in: scopes[number % 2], at: Int64(number)) }
            _ = try await walk.commit(notifications, processed: 0)
            _ = try await walk.commit([], processed: walk.waiting.count)
            for appEnvironment in scopes.prefix(2) {
                let found = try await walk.ledger.lastEventsOfCustomers(in: appEnvironment.id, limit: 5, amongLast: 99)
                #expect(found.count <= 5 && found.allSatisfy { $0.scope == appEnvironment.id && $0.customer != nil })
                let all = try await walk.ledger.lastEventsOfCustomers(in: appEnvironment.id, limit: 100, amongLast: 99)
                #expect(Array(all.prefix(5)) == found)
                #expect(!all.isEmpty)
                let every = try await walk.ledger.firstEvents().map { $0.event }
                for depth in [0, 1, 7, every.count] {
                    let found = try await walk.ledger.lastEventsOfCustomers(
                        in: appEnvironment.id, limit: 100, amongLast: Int64(depth))
                    let events = Array(every.suffix(depth).reversed())
                    #expect(events.count == depth)
                    #expect(found == events.filter { $0.scope == appEnvironment.id && $0.customer != nil })
                }
            }
        }
    }
}
