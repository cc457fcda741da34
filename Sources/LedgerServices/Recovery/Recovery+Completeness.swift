internal import AppStoreServer
internal import Foundation
package import Ledger

extension Recovery {
    /// What can be said about the gaps of some scopes now, in their order.
    package func completeness(of scopes: [Scope]) async throws -> [Completeness] {
        let missing = try await storage.missing(in: scopes.map(\.id))
        let open = Dictionary(grouping: try await storage.openRecoveries(in: scopes.map(\.id)), by: \.scope)
        var all: [Completeness] = []
        for scope in scopes {
            all.append(
                try await completeness(of: scope, missing[scope.id] ?? MissingCounts(), open[scope.id] ?? []))
        }
        return all
    }

    private func completeness(
        of scope: Scope, _ missing: MissingCounts, _ open: [RecoveryRun]
    ) async throws -> Completeness {
        let mark = mark(of: scope.id)
        let age = mark.map { max(now - $0.until, 0) }
        var completeness = Completeness(
            scope: scope, state: .complete, reason: nil, mark: mark, age: age, missing: missing,
            names: missing.haveNames ? try await storage.missingNames(in: scope.id) : MissingNames())
        let isCatchingUp = open.contains { $0.movesMark && $0.until - $0.from > RecoveryPlan.longOutage }
        completeness.judge(
            .init(
                canAsk: clients[scope.id] != nil, isEnabled: settings.isEnabled, interval: settings.interval,
                trouble: trouble(in: scope.id)?.message, isCatchingUp: isCatchingUp))
        return completeness
    }
}
