import Ledger
import TestSupport
import Testing

@Suite struct `The contract of what else was signed under an identifier` {
    private static func withLedger(
        _ engine: Engine, _ body: (any LedgerEngine, Int64) async throws -> Void
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            try await body(walk.ledger, try #require(walk.scopes.first).id)
        }
    }

    private static func uuid(_ number: Int) -> String { "00000000-0000-4000-8000-00000000000\(number)" }

    /// A notification, and as many other texts under its identifier.
    private static func notifications(_ number: Int, others: Int, in scope: Int64) -> [ReceivedNotification] {
        (0...others).map { other in
            ReceivedNotification(
                scope: scope, uuid: uuid(number), type: "TEST", signedDate: Int64(number), receivedAt: 5,
                origin: .delivered, text: "text \(number * 1000 + other)")
        }
    }

    @Test(arguments: Engine.allCases)
    func `one that failed waits again when it is received again`(_ engine: Engine) async throws {
        try await Self.withLedger(engine) { ledger, scope in
            let texts = Self.notifications(1, others: 1, in: scope)
            let ids = try await ledger.commit(receiving: texts, folding: []).map(\.id)
            try #require(ids.count == 2 && ids[1] < 0)
            try await ledger.fail(ids[1], code: "no", message: "it cannot be believed", at: 6)
            #expect(try await ledger.backlog().count == 1)
            #expect(try await ledger.commit(receiving: texts, folding: []) == [.duplicate(ids[0]), .kept(ids[1])])
            #expect(try await ledger.failedNotifications(code: "no", in: [scope], limit: 9).isEmpty)
            #expect(try await ledger.pending(after: .min, limit: 9).map(\.id) == [ids[1]])
            #expect(try await ledger.backlog().count == 2)
            let again = try await ledger.commit(receiving: texts, folding: [])
            #expect(again == [.duplicate(ids[0]), .duplicate(ids[0])])
        }
    }
}
