internal import AppStoreModels
internal import AppStoreServer
internal import Foundation
package import Ledger

extension Recovery {
    /// What can be said about the gaps of a scope now.
    package func completeness(of scope: Scope) async throws -> Completeness {
        let mark = mark(of: scope.id)
        let missing = try await storage.missing(in: scope.id)
        let age = mark.map { max(now - $0.until, 0) }
        var completeness = Completeness(
            scope: scope, state: .complete, reason: nil, mark: mark, age: age, missing: missing,
            names: try await storage.missingNames(in: scope.id))
        let isCatchingUp = try await storage.openRecoveries(in: scope.id).contains {
            $0.movesMark && $0.until - $0.from > RecoveryPlan.longOutage
        }
        completeness.judge(
            .init(
                canAsk: clients[scope.id] != nil, isEnabled: settings.isEnabled, interval: settings.interval,
                trouble: trouble(in: scope.id)?.message, isCatchingUp: isCatchingUp))
        return completeness
    }
}
