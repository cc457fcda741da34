internal import AppStoreServer
internal import Basics
package import Ledger
internal import Logging
internal import Synchronization

extension Recovery {
    /// Returns the completeness of each scope, in the order of `scopes`.
    package func completeness(of scopes: [AppEnvironment]) async throws -> [Completeness] {
        let missing = try await storage.missingCounts(in: scopes.map(\.id))
        let open = Dictionary(grouping: try await storage.openRecoveries(in: scopes.map(\.id)), by: \.scope)
        var all: [Completeness] = []
        for appEnvironment in scopes {
            all.append(
                try await completeness(
                    of: appEnvironment, missing[appEnvironment.id] ?? MissingCounts(), open[appEnvironment.id] ?? []))
        }
        return all
    }

    private func completeness(
        of appEnvironment: AppEnvironment, _ missing: MissingCounts, _ open: [RecoveryRun]
    ) async throws -> Completeness {
        let mark = mark(of: appEnvironment.id)
        let age = mark.map { max(now - $0.until, 0) }
        return Completeness(
            appEnvironment: appEnvironment, mark: mark, age: age, missing: missing,
            missingItems: missing.hasItems ? try await storage.missingItems(in: appEnvironment.id) : MissingItems(),
            status: .init(
                hasKey: clients[appEnvironment.id] != nil, isEnabled: settings.isEnabled, interval: settings.interval,
                trouble: failures(in: appEnvironment.id)?.message,
                isCatchingUp: open.contains(where: \.followsLongOutage)))
    }

    /// Records the mark after a reading. If it begins later than before, the App Store no longer keeps the
    /// notifications in between: logs that, because the state tells it only until every purchase was requested.
    func record(_ mark: CompletenessMark, in appEnvironment: AppEnvironment) {
        let former = state.withLock { $0.marks.updateValue(mark, forKey: appEnvironment.id) }
        guard let former, former.since < mark.since else { return }
        logger.warning(
            "notifications may be missing that the App Store no longer keeps",
            metadata: appEnvironment.logMetadata([
                "from": "\(InstantText.text(former.until))", "to": "\(InstantText.text(mark.since))",
            ]))
    }
}
