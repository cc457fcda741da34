import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

// Notifications whose text arrives again, or is damaged.
extension `The contract of every database` {
    @Test(arguments: Engine.allCases)
    func `A notification is stored once, processed once and emitted once`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: 1)
            let walk = try await Walk(try engine.open(in: folder))
            var one = facts.notification(in: walk.scopes[0], at: 0)
            one.processed.transaction = facts.transaction("1")
            let ledger = walk.ledger
            let first = try await ledger.commit(received: [one.received, one.received], processed: [])
            #expect(first.map(\.id) == [first[0].id, first[0].id])
            #expect(first == [.stored(first[0].id), .duplicate(first[0].id)])
            #expect(try await ledger.backlog().count == 1)
            one.processed.id = first[0].id
            for _ in 0..<2 { _ = try await ledger.commit(received: [one.received], processed: [one.processed]) }
            #expect(try await ledger.backlog().count == 0)
            #expect(try await ledger.eventCount() == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Another text under a known UUID is pending and counted like the first text`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: 2)
            let walk = try await Walk(try engine.open(in: folder))
            let one = facts.notification(in: walk.scopes[0], at: 0).received
            var other = one
            other.text = facts.text()
            let insertions = try await walk.ledger.commit(received: [one, other, other], processed: [])
            try #require(insertions.count == 3)
            #expect(insertions[0].id > 0 && insertions[1].id < 0)
            #expect(insertions[2] == .duplicate(insertions[0].id))
            let pending = try await walk.ledger.pending(after: .min, limit: 10)
            #expect(pending.map(\.text) == [other.text])
            let rest = try await walk.ledger.pending(after: insertions[1].id, limit: 10)
            #expect(rest.map(\.text) == [one.text])
            // A text that does not verify is counted and listed like any failed notification.
            try await walk.ledger.fail(insertions[1].id, code: "no", message: "it cannot be believed", at: 0)
            let missing = try await walk.ledger.missingCounts(in: walk.scopes[0].id)
            #expect(missing.failedNotifications == 1 && missing.backlog == 1)
            var filter = InboxFilter(scopes: walk.scopes.map(\.id))
            #expect(try await walk.ledger.notifications(filter, before: .max, limit: 9).items.map(\.text) == [one.text])
            filter.state = .failed
            let failed = try await walk.ledger.notifications(filter, before: .max, limit: 9).items
            #expect(failed.map(\.text) == [other.text] && failed.allSatisfy(\.isOtherText))
            #expect(try await walk.ledger.otherTexts(of: insertions[0].id, limit: 9) == failed)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A notification fails as damaged only if its text cannot be read`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: 3)
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scope) = (walk.ledger, walk.scopes[0].id)
            let one = facts.notification(in: walk.scopes[0], at: 0).received
            var other = one
            other.text = facts.text()
            let ids = try await ledger.commit(received: [one, other], processed: []).map(\.id)
            try #require(ids.count == 2 && ids[0] > 0 && ids[1] < 0)
            for id in ids {
                #expect(try await ledger.failDamaged(id, message: "its text is damaged", at: 9) == false)
            }
            #expect(try await ledger.backlog().count == 2)
            #expect(
                try await ledger.failedNotifications(code: "storage_damaged", in: [scope], limit: 9).isEmpty)
            // Each text independently.
            for (id, left) in zip(ids, [1, 0]) {
                try await engine.damage(text: id, of: ledger)
                #expect(try await ledger.failDamaged(id, message: "its text is damaged", at: 9))
                #expect(try await ledger.backlog().count == left)
            }
            let failed = try await ledger.failedNotifications(code: "storage_damaged", in: [scope], limit: 9)
            #expect(failed == ids.sorted())
        }
    }

    @Test(arguments: Engine.allCases, [true, false])
    func `A received text replaces a damaged one, failed or processed, and no readable one`(
        _ engine: Engine, _ hasFailed: Bool
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            var facts = RandomFacts(seed: 4)
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scope) = (walk.ledger, walk.scopes[0].id)
            let (one, found) = facts.notification(in: walk.scopes[0], at: 0)
            var other = one
            (other.type, other.text, other.signedDate) = ("OTHER", facts.text(), one.signedDate + 1)
            let id = try #require(try await ledger.commit(received: [one], processed: []).first?.id)
            var processed = found
            processed.id = id
            if !hasFailed { _ = try await ledger.commit(received: [], processed: [processed]) }
            try await engine.damage(text: id, of: ledger)
            if hasFailed { #expect(try await ledger.failDamaged(id, message: "its text is damaged", at: 9)) }
            #expect(try await ledger.commit(received: [other], processed: []) == [.stored(id)])
            #expect(
                try await ledger.failedNotifications(code: "storage_damaged", in: [scope], limit: 9).isEmpty)
            let pending = try await ledger.pending(after: .min, limit: 9)
            #expect(pending.map(\.text) == [other.text] && pending.map(\.type) == [other.type])
            #expect(pending.map(\.signedDate) == [other.signedDate])
            // A worker had read the damaged text before.
            #expect(try await ledger.failDamaged(id, message: "its text is damaged", at: 9) == false)
            #expect(try await ledger.pending(after: .min, limit: 9) == pending)
            #expect(try await ledger.otherTexts(of: id, limit: 9).isEmpty)
            #expect(try await ledger.commit(received: [other], processed: []) == [.duplicate(id)])
            let third = try await ledger.commit(received: [one], processed: []).map(\.id)
            #expect(third.allSatisfy { $0 < 0 } && third.count == 1)
        }
    }
}
