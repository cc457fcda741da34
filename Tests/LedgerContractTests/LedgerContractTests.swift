import AppStoreModels
import Entitlements
import Foundation
import Ledger
import TestSupport
import Testing

@Suite struct `The contract of every database` {
    /// Whatever is done, in whatever order: every engine answers what memory answers.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `all engines answer the same after the same steps`(_ seed: UInt64) async throws {
        try await Tool.inTemporaryFolder { folder in
            let steps = try Step.walk(seed: seed, count: 120)
            var walks: [Walk] = []
            for engine in Engine.allCases { walks.append(try await Walk(try engine.open(in: folder))) }
            for (index, step) in steps.enumerated() {
                var answers: [String] = []
                for engine in walks.indices { answers.append(try await step.carryOut(&walks[engine])) }
                try #require(Set(answers).count == 1, "step \(index), \(step.name): \(answers)")
                guard index % 12 == 11 || index == steps.count - 1 else { continue }
                let now = RandomFacts.start.milliseconds + 5 * 86_400_000
                let expected = try await LedgerView.lines(of: walks[0].ledger, in: walks[0].scopes, at: now)
                for walk in walks.dropFirst() {
                    let lines = try await LedgerView.lines(of: walk.ledger, in: walk.scopes, at: now)
                    let difference = zip(expected, lines).first { $0 != $1 }
                    // Not the lists themselves: a failure would print all of both.
                    let isSame = lines == expected
                    try #require(
                        isSame,
                        "after step \(index), \(step.name): \(difference.map { "\($0)\n\($1)" } ?? "\(expected.count) \(lines.count)")"
                    )
                }
            }
        }
    }

    /// The same facts in other orders, other batches and several times.
    @Test(arguments: Engine.allCases, 0..<12 as Range<UInt64>)
    func `any order and any number of deliveries end in the same ledger`(_ engine: Engine, _ seed: UInt64) async throws
    {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: seed)
            var ledger = try await Walk(try engine.open(in: folder))
            let scope = ledger.scopes[0]
            let notifications = (0..<20).map { _ in facts.notification(in: scope, at: 0) }
            let statements = try (0..<12).map { _ in try facts.statement(in: scope, at: 0) }
            try await Self.take(notifications, statements, &ledger, &facts.random)
            let digest = try await ledger.ledger.digest()
            let last = try await ledger.ledger.lastEvent()
            #expect(last > 5)
            for _ in 0..<4 {
                var other = try await Walk(try engine.open(in: folder))
                let again = notifications.filter { _ in Bool.random(using: &facts.random) }
                try await Self.take(
                    (notifications + again).shuffled(using: &facts.random),
                    (statements + statements.prefix(4)).shuffled(using: &facts.random), &other, &facts.random)
                #expect(try await other.ledger.digest() == digest)
                #expect(try await other.ledger.lastEvent() == last)
            }
        }
    }

    private static func take(
        _ notifications: [(received: ReceivedNotification, folded: FoldedNotification)], _ statements: [Statement],
        _ walk: inout Walk, _ random: inout SeededGenerator
    ) async throws {
        var (notifications, statements) = (notifications[...], statements[...])
        while !notifications.isEmpty || !statements.isEmpty {
            let batch = notifications.prefix(Int.random(in: 0...5, using: &random))
            notifications = notifications.dropFirst(batch.count)
            _ = try await walk.commit(Array(batch), folding: Int.random(in: 0...walk.waiting.count, using: &random))
            let few = statements.prefix(Int.random(in: 0...3, using: &random))
            statements = statements.dropFirst(few.count)
            _ = try await walk.ledger.commit(Array(few))
        }
        _ = try await walk.commit([], folding: walk.waiting.count)
        #expect(try await walk.ledger.backlog().count == 0)
    }

    @Test(arguments: Engine.allCases)
    func `a notification is kept once, folded once and told once`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: 1)
            let walk = try await Walk(try engine.open(in: folder))
            var one = facts.notification(in: walk.scopes[0], at: 0)
            one.folded.transaction = facts.transaction("1")
            let ledger = walk.ledger
            let first = try await ledger.commit(receiving: [one.received, one.received], folding: [])
            #expect(first.map(\.id) == [first[0].id, first[0].id])
            #expect(first == [.kept(first[0].id), .duplicate(first[0].id)])
            #expect(try await ledger.backlog().count == 1)
            one.folded.id = first[0].id
            for _ in 0..<2 { _ = try await ledger.commit(receiving: [one.received], folding: [one.folded]) }
            #expect(try await ledger.backlog().count == 0)
            #expect(try await ledger.lastEvent() == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a text that came later under a known identifier waits, and counts, like the first`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: 2)
            let walk = try await Walk(try engine.open(in: folder))
            let one = facts.notification(in: walk.scopes[0], at: 0).received
            var other = one
            other.text = facts.text()
            let receptions = try await walk.ledger.commit(receiving: [one, other, other], folding: [])
            try #require(receptions.count == 3)
            #expect(receptions[0].id > 0 && receptions[1].id < 0)
            #expect(receptions[2] == .duplicate(receptions[0].id))
            let pending = try await walk.ledger.pending(after: .min, limit: 10)
            #expect(pending.map(\.text) == [other.text])
            let rest = try await walk.ledger.pending(after: receptions[1].id, limit: 10)
            #expect(rest.map(\.text) == [one.text])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a request with a key is carried out once`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try engine.open(in: folder)
            func begin(_ asked: UInt8, at now: Milliseconds) async throws -> IdempotencyDecision {
                try await ledger.beginRequest("k", of: "c", about: nil, fingerprint: Data([asked]), at: now)
            }
            #expect(try await begin(1, at: 0) == .proceed)
            #expect(try await begin(1, at: 1) == .isUnderWay)
            #expect(try await begin(2, at: 1) == .isAnother)
            let answer = RememberedRequest.Answer(status: 201, type: "application/json", body: Data([7]))
            try await ledger.endRequest("k", of: "c", with: answer)
            // What was answered is not forgotten because the same request failed elsewhere.
            try await ledger.endRequest("k", of: "c", with: nil)
            #expect(try await begin(1, at: 2) == .repeats(answer))
            #expect(try await begin(1, at: IdempotencyDecision.keeping) == .proceed)
        }
    }

    @Test(arguments: Engine.allCases)
    func `of what was refused, who has more than others loses the oldest`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try engine.open(in: folder)
            try await ledger.commit(
                ["a", "a", "b", "a", "a"].enumerated().map { index, sender in
                    Refusal(
                        receivedAt: Int64(index), code: "no", message: "no", sender: sender, body: Data([1, 2, 3]))
                })
            try await ledger.dropRefusals(beyond: RefusalStorageLimit(count: 3, bytes: 1 << 20))
            let left = try await ledger.refusals(before: .max, limit: 9)
            #expect(left.map(\.refusal.receivedAt) == [4, 3, 2])
            try await ledger.dropRefusals(beyond: RefusalStorageLimit(count: 9, bytes: 2 * (Refusal.overhead + 5)))
            #expect(try await ledger.refusals(before: .max, limit: 9).map(\.refusal.receivedAt) == [4, 2])
        }
    }
}
