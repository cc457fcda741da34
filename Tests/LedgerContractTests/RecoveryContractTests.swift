@testable import Ledger
import TestSupport
import Testing

@Suite struct `The contract of recovery` {
    private static func plan(_ scope: Int64, windows: Int, movesMark: Bool = true) -> RecoveryPlan {
        RecoveryPlan(
            scope: scope, cause: .schedule, from: 0, until: 1000, filters: [], movesMark: movesMark,
            windows: (0..<windows).map { RecoveryWindow(stage: $0, from: 0, until: 1000) })
    }

    private static func page(next: String? = nil) -> PageOutcome {
        PageOutcome(next: next, isLast: next == nil, counts: RecoveryCounts(pages: 1), unverified: [])
    }

    private static func withLedger(
        _ engine: Engine, _ body: (any LedgerEngine, Int64) async throws -> Void
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            try await body(walk.ledger, try #require(walk.scopes.first).id)
        }
    }

    /// Numbers of windows may be used again.
    @Test(arguments: Engine.allCases)
    func `what is late about a window of a recovery that is over changes no other window`(
        _ engine: Engine
    ) async throws {
        try await Self.withLedger(engine) { ledger, scope in
            let old = try await ledger.begin(Self.plan(scope, windows: 1), at: 0)
            let late = try #require(try await ledger.openWindows(of: old).first)
            try await ledger.record(failure: "no", of: old, isGivenUp: true, at: 1)
            let new = try await ledger.begin(Self.plan(scope, windows: 1), at: 2)
            let window = try #require(try await ledger.openWindows(of: new).first)
            try await ledger.record(Self.page(next: "elsewhere"), of: late, at: 3)
            try await ledger.record(Self.page(), of: late, at: 3)
            try await ledger.clip(window: late, to: 5000)
            try await ledger.skip(window: late)
            #expect(try await ledger.openWindows(of: new) == [window])
            try await ledger.record(Self.page(next: "here"), of: window, at: 4)
            try await ledger.restart(window: late)
            #expect(try await ledger.openWindows(of: new).map(\.token) == ["here"])
        }
    }
}
